#include "platform/system/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

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

Attempt try_lock(const std::filesystem::path& path, Descriptor& descriptor) {
  descriptor = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) return Attempt::impossible;
  const bool is_locked = ::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0;
  const bool may_come = !is_locked && (errno == EWOULDBLOCK || errno == EINTR);
  if (is_locked && is_still_there(descriptor.number(), path)) return Attempt::held;
  descriptor.close();
  return is_locked || may_come ? Attempt::taken : Attempt::impossible;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience) : path_(path) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (try_lock(path, descriptor_) == Attempt::taken && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(pause);
  }
}

void FileLock::remove() {
  if (!is_held()) return;
  ::unlink(path_.c_str());
  descriptor_.close();
}

}  // namespace attnscope
