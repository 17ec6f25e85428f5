#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Returns a number as it stands in a cell: fixed decimals, fewer for large numbers, no exponent, "−∞", "NaN", no
// "−0.00".
std::string format_fixed(double value, int decimals);

// Returns the shortest digits that read back as the same float32; powers of ten are written out: "1.5 × 10⁻⁷".
std::string format_full(float value);

std::string format_integer(double value);  // thousands apart: "1,048,576"

// Returns a dropout rate, or a number that follows from it, with two decimals, or with as many digits as tell it from 0
// and from 1.
std::string format_dropout_rate(double value);

// Returns which terms of a sum are shown where there is no room for all: the `most` largest in magnitude, in the order
// of the sum.
std::vector<std::size_t> largest_terms(std::span<const double> terms, std::size_t most);

// "key 1 Your": how people count, with the token's label.
std::string format_position(std::string_view axis, std::ptrdiff_t index, std::span<const std::string> labels);

}  // namespace attnscope
