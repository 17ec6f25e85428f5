#include "interchange/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds pause{5};

// Another program may have removed the file after it was opened here: then a lock on it keeps nobody out.
bool is_still_there(int descriptor, const std::filesystem::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

enum class Attempt { held, taken, impossible };

Attempt try_lock(const std::filesystem::path& path, int& descriptor) {
  descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Attempt::impossible;
  const bool is_locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const bool may_come = !is_locked && (errno == EWOULDBLOCK || errno == EINTR);
  if (is_locked && is_still_there(descriptor, path)) return Attempt::held;
  ::close(std::exchange(descriptor, -1));
  return is_locked || may_come ? Attempt::taken : Attempt::impossible;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience) : path_(path) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (try_lock(path, descriptor_) == Attempt::taken && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(pause);
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileLock::remove() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace attnscope
