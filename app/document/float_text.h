#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// Appends the shortest text that reads back as the same bits, for readers of float32 and of float64 alike. The number
// must be finite.
void append_float(std::string& text, float value);

// The number that a whole text spells, with or without a sign before it, rounded to the nearest as Python does:
// infinity where it is too large, 0 where it is too small. "inf" and "nan" are numbers. Nothing for any other text.
std::optional<double> read_float(std::string_view text);

}  // namespace attnscope
