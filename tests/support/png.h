#pragma once

#include <filesystem>
#include <string>

#include "interchange/image.h"

namespace attnscope::test {

Image decode_png(const std::string& bytes);  // throws std::runtime_error
Image read_png(const std::filesystem::path& path);

}  // namespace attnscope::test
