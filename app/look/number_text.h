#pragma once

#include <string>

namespace attnscope {

// A number in a cell: fixed decimals, fewer for large numbers, never an exponent, "−∞" and "NaN" in words, no "−0.00".
std::string format_fixed(double value, int decimals);

// Full float32 precision, the shortest digits that read back as the same bits; powers of ten written out: "1.5 × 10⁻⁷".
std::string format_full(float value);

std::string format_integer(double value);  // thousands apart: "1,048,576"

}  // namespace attnscope
