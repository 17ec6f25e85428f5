#pragma once

#include <filesystem>

#include "drive/script.h"

namespace attnscope {

// Does what a script says in a window without a display, with pointer and keyboard; files go into `folder`, which is
// made when it is missing. The same script makes the same bytes. Throws ScriptError for what is wrong with the script
// or not on the screen, with the step in its sentence, and Error for anything else.
void run_script(const Script& script, const std::filesystem::path& folder);

}  // namespace attnscope
