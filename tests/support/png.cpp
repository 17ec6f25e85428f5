#include "tests/support/png.h"

#include "platform/system/file.h"

namespace attnscope::test {

Image read_png(const std::filesystem::path& path) { return decode_png(read_file(path, std::size_t{1} << 30)); }

}  // namespace attnscope::test
