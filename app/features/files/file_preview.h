#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attnscope {

// Says in a few lines what a file holds that could be opened: its document, or its arrays with their shapes; else one
// sentence that says why there is nothing to show. Empty where there is no such file.
std::vector<std::string> preview_of(const std::filesystem::path& path);

}  // namespace attnscope
