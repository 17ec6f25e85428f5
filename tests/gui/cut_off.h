#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope::test {

// A sentence for each of Dear ImGui's windows that has more in it than it shows and cannot be scrolled to that, or that
// stands out of the display.
std::vector<std::string> windows_cut_off();

// Returns how many pixels of the window, found by the end of its name's path ("card"), stand below its lower edge.
// Throws std::runtime_error if no such window is shown.
float pixels_below(std::string_view name);

}  // namespace attnscope::test
