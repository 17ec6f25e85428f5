#pragma once

#include <filesystem>

#include "files/image.h"

namespace attnscope::test {

Image read_png(const std::filesystem::path& path);

}  // namespace attnscope::test
