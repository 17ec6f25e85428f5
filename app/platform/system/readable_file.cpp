#include "platform/system/readable_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"
#include "core/shown_text.h"

namespace attnscope {

ReadableFile::ReadableFile(const std::filesystem::path& path) : file_(open_to_read(path)) {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) {
    throw Error(fmt::format("Cannot read {}: {}.", shown_path(path), reason_text(errno)));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

bool ReadableFile::read(std::span<char> to, std::uint64_t position) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(file_.number(), to.data(), to.size(), static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      has_failed_ = true;
      return false;
    }
    to = to.subspan(static_cast<std::size_t>(count));
    position += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool ReadableFile::is_whole() const {
  struct stat status = {};
  return !has_failed_ && ::fstat(file_.number(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= size_;
}

}  // namespace attnscope
