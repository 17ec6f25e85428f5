#include "tests/support/failing_memory.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

// Without <cstdlib> and <malloc.h>: their declarations of what is defined here differ from library to library. These
// are the C library's own, for those who replace what it offers.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace attnscope::test {
namespace {

constexpr std::array<std::string_view, 8> counted = {"libstdc++.so", "libz.so",    "libpng16.so", "libzip.so",
                                                     "libgif.so",    "libqpdf.so", "libexpat.so", "libjpeg.so"};

std::atomic<bool> is_armed = false;
std::atomic<bool> goes_on = false;
std::atomic<bool> was_struck = false;
std::atomic<std::size_t> request_to_fail = 0;
std::atomic<std::size_t> count = 0;

// The file of the program itself, whose name has nothing to do with what a shared library is called.
bool is_program(const Dl_info& place) {
  static const void* const base = [] {
    Dl_info own;
    return dladdr(reinterpret_cast<const void*>(&is_program), &own) != 0 ? own.dli_fbase : nullptr;
  }();
  return place.dli_fbase == base;
}

bool is_counted(const void* caller) {
  Dl_info place;
  if (dladdr(caller, &place) == 0) return false;
  if (is_program(place)) return true;
  const std::string_view path = place.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view name : counted) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

bool strikes(const void* caller) {
  if (!is_armed || !is_counted(caller)) return false;
  const std::size_t number = ++count;
  if (number != request_to_fail && !(goes_on && number > request_to_fail)) return false;
  was_struck = true;
  errno = ENOMEM;
  return true;
}

}  // namespace

FailingMemory::FailingMemory(std::size_t request, Kind kind) {
  was_struck = false;
  goes_on = kind == Kind::from_then_on;
  request_to_fail = request;
  count = 0;
  is_armed = true;
}

FailingMemory::~FailingMemory() { end(); }

void FailingMemory::end() { is_armed = false; }

bool FailingMemory::has_struck() { return was_struck; }

std::size_t FailingMemory::requests() { return count; }

}  // namespace attnscope::test

using attnscope::test::strikes;

extern "C" {

void* malloc(std::size_t size) { return strikes(__builtin_return_address(0)) ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) {
  return strikes(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  return strikes(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return strikes(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (strikes(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

}  // extern "C"
