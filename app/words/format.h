#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "look/number_text.h"

namespace attnscope {

std::string format_shape(const std::vector<Index>& shape);  // "(2, 6, 3)"

// "key 1 Your": how people count, with the token's label.
std::string format_position(std::string_view axis, Index index, std::span<const std::string> labels);

std::string format_probability(float probability);  // "96.1 %", on one line
std::string format_duration(double seconds);        // "0.08 ms", "1.24 s"

}  // namespace attnscope
