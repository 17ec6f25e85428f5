#include "platform/system/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "platform/system/file.h"

namespace attnscope {

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

int Descriptor::close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

namespace {

constexpr const char* not_ordinary = "it is not an ordinary file";

}  // namespace

Descriptor open_to_read(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    const bool is_socket = errno == ENXIO;  // or a device without a driver
    throw Error(fmt::format("Cannot read {}: {}.", shown_path(path),
                            is_socket ? std::string(not_ordinary) : reason_text(errno)));
  }
  if (S_ISREG(status.st_mode)) {
    record_input(status);
    return file;
  }
  const std::string what = S_ISDIR(status.st_mode) ? reason_text(EISDIR) : std::string(not_ordinary);
  throw Error(fmt::format("Cannot read {}: {}.", shown_path(path), what));
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string reason_text(int reason) { return std::generic_category().message(reason); }

}  // namespace attnscope
