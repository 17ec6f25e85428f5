#include "document/nested_numbers.h"

#include <fmt/format.h>

#include <utility>

namespace attnscope {

std::optional<std::string> NestedNumbers::open() {
  if (depth_ > 0) ++counts_.back();
  if (has_numbers_ && depth_ == shape_.size()) return "an array among numbers";
  if (depth_ == most_axes) return fmt::format("an array in {} others, but there are at most {} axes", depth_, depth_);
  ++depth_;
  counts_.push_back(0);
  if (shape_.size() < depth_) shape_.push_back(-1);
  return std::nullopt;
}

std::optional<std::string> NestedNumbers::add(float number) {
  if (depth_ < shape_.size()) return "a number among arrays";
  has_numbers_ = true;
  ++counts_.back();
  numbers_.push_back(number);
  return std::nullopt;
}

std::optional<std::string> NestedNumbers::close() {
  const Index count = counts_.back();
  Index& length = shape_[--depth_];
  counts_.pop_back();
  if (count == 0) return "empty, but it must hold at least one number";
  if (length >= 0 && length != count)
    return fmt::format("{} long, but those before it are {} long: all must have the same length", count, length);
  length = count;
  return std::nullopt;
}

Tensor NestedNumbers::take() {
  has_numbers_ = false;
  return Tensor(std::exchange(shape_, {}), std::exchange(numbers_, {}));
}

}  // namespace attnscope
