#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

// Writes beside the target and renames over it, so that a file is there whole or not at all. Throws Error with a
// sentence that names the path and the system's reason.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Reads a whole file, "-" for standard input. Throws Error, also when it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace attnscope
