#pragma once

#include <string>
#include <vector>

#include "core/number_text.h"
#include "core/tensor.h"

namespace attnscope {

std::string format_shape(const std::vector<Index>& shape);  // "(2, 6, 3)"

std::string format_probability(float probability);  // "96.1 %", on one line
std::string format_duration(double seconds);        // "0.08 ms", "1.24 s"

}  // namespace attnscope
