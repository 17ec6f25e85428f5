#pragma once

namespace attnscope {

// Runs what the arguments ask for: the window, or a command without one. Returns the exit status: 0; 2 for wrong usage
// or a bad document; 1 for anything else. Whatever goes wrong is one line on standard error.
int run_command_line(int argc, const char* const* argv);

}  // namespace attnscope
