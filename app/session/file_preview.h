#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attnscope {

// What a file holds that could be opened, in a few lines: its document, or its arrays with their shapes; else one
// sentence that says why there is nothing to show. Empty where there is no such file.
std::vector<std::string> preview_of(const std::filesystem::path& path);

}  // namespace attnscope
