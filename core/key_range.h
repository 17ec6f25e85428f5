#pragma once

#include <cstddef>

namespace attnscope {

// Keys first, first + 1, … up to but not last. Empty where first == last.
struct KeyRange {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;

  std::ptrdiff_t count() const { return last - first; }
  bool is_empty() const { return first >= last; }
  bool contains(std::ptrdiff_t key) const { return first <= key && key < last; }
  bool operator==(const KeyRange&) const = default;
};

}  // namespace attnscope
