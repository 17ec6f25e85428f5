#pragma once

#include <filesystem>
#include <string>

namespace attnscope {

// A name that is not taken, even by a second screenshot in the same second.
std::filesystem::path free_path(const std::filesystem::path& folder);

// Takes the PNG of a screenshot to where it was wanted, and says where that is. No path: the clipboard.
std::string deliver(const std::filesystem::path& path, const std::string& png);

}  // namespace attnscope
