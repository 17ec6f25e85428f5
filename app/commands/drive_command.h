#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope drive`, as they were typed; empty where they were left out.
struct DriveArguments {
  std::string script;
  std::string folder;
};

// Does in a window without a display what a script says, and writes what it asks for into a folder. Throws Error.
void run_drive(const DriveArguments& arguments);

}  // namespace attnscope
