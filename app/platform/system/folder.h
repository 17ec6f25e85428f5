#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace attnscope {

// Paths of what a folder holds, in order; what was read of one that cannot be read on. `problem` says why. The standard
// library's own iterator ends the program where there is no memory for a name.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& problem);

}  // namespace attnscope
