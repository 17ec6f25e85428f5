#include "tests/support/failing_disk.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

// Without <fcntl.h> and <unistd.h>: their declarations of what is defined here differ from library to library.
extern "C" int fcntl(int descriptor, int command, ...);

namespace attnscope::test {
namespace {

constexpr int write_only = 1;  // O_WRONLY, O_RDWR
constexpr int read_and_write = 2;
constexpr int get_flags = 3;  // F_GETFL
constexpr int deadly = -1;

std::atomic<int> left = 0;  // calls until it goes wrong; 0: never
std::atomic<int> reason_of_it = 0;
std::atomic<bool> was_struck = false;

// Whether this call is to fail; errno says why.
bool strikes() {
  int before = left;
  while (before > 0 && !left.compare_exchange_weak(before, before - 1)) {
  }
  if (before != 1) return false;
  if (reason_of_it == deadly) (void)raise(SIGKILL);
  was_struck = true;
  errno = reason_of_it;
  return true;
}

bool writes(int flags) { return (flags & (write_only | read_and_write)) != 0; }

// What is said on the standard streams is none of it, wherever they lead, nor is what is only read.
bool is_written_file(int descriptor) {
  struct stat status = {};
  const bool is_file = descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file && writes(fcntl(descriptor, get_flags));
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

FailingDisk::FailingDisk(int call, int reason) {
  was_struck = false;
  reason_of_it = reason;
  left = call;
}

FailingDisk::~FailingDisk() { left = 0; }

bool FailingDisk::has_struck() const { return was_struck; }

void die_at_call(int call) {
  reason_of_it = deadly;
  left = call;
}

}  // namespace attnscope::test

using attnscope::test::is_written_file;
using attnscope::test::real;
using attnscope::test::strikes;

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, unsigned);  // not there where it is not asked for
  va_end(arguments);
  static auto* const next = real<int(const char*, int, ...)>("open");
  return attnscope::test::writes(flags) && strikes() ? -1 : next(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  return is_written_file(descriptor) && strikes() ? -1 : next(descriptor, bytes, count);
}

int fsync(int descriptor) {
  static auto* const next = real<int(int)>("fsync");
  return strikes() ? -1 : next(descriptor);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static auto* const next = real<int(int, const char*, int, const char*, int)>("linkat");
  return strikes() ? -1 : next(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("rename");
  return strikes() ? -1 : next(from, to);
}

// A descriptor is free again even when its closing fails.
int close(int descriptor) {
  static auto* const next = real<int(int)>("close");
  const bool fails = is_written_file(descriptor) && strikes();
  const int reason = errno;
  const int result = next(descriptor);
  if (fails) errno = reason;
  return fails ? -1 : result;
}

}  // extern "C"
