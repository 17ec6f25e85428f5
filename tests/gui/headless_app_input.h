#pragma once

#include <string>

#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"

namespace attnscope::test {

// What HeadlessApp's clipboard functions read and write.
void use_clipboard(std::string& text);

}  // namespace attnscope::test
