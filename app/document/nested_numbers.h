#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace attnscope {

// The numbers of arrays in arrays, as they are read: all of one depth, and of one length at each depth.
class NestedNumbers {
public:
  static constexpr std::size_t most_axes = 4;

  // An array begins, or ends; a number stands in the innermost one. Each says what is wrong, or nothing.
  std::optional<std::string> open();
  std::optional<std::string> add(float number);
  std::optional<std::string> close();

  bool is_done() const { return depth_ == 0; }
  Tensor take();

private:
  std::size_t depth_ = 0;      // arrays that are open
  bool has_numbers_ = false;   // then there are as many axes as the shape has
  std::vector<Index> shape_;   // -1 along an axis whose first array is open
  std::vector<Index> counts_;  // of each open array
  AlignedFloats numbers_;
};

}  // namespace attnscope
