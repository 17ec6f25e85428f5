#pragma once

#include <string>
#include <vector>

namespace attnscope::test {

// A sentence for each of Dear ImGui's windows that has more in it than it shows and cannot be scrolled to that, or that
// stands out of the display.
std::vector<std::string> windows_cut_off();

}  // namespace attnscope::test
