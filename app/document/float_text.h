#pragma once

#include <string>

namespace attnscope {

// Appends the shortest text that reads back as the same bits, for readers of float32 and of float64 alike. The number
// must be finite.
void append_float(std::string& text, float value);

}  // namespace attnscope
