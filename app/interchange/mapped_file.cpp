#include "interchange/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace attnscope {
namespace {

// A mapped file, as the handler of the signal sees it: plain numbers, which no lock protects.
struct Guard {
  std::atomic<bool> is_taken = false;
  std::atomic<std::uintptr_t> first = 0;
  std::atomic<std::uintptr_t> last = 0;  // one past; 0 while nothing is guarded
  std::atomic<bool> is_damaged = false;
};
std::array<Guard, MappedFile::max_guarded> guards;
struct sigaction handler_before = {};
std::once_flag handler_is_set;

// Zeros from the page at `address` to the end of the file that it belongs to; false where it belongs to none.
bool replace_by_zeros(std::uintptr_t address) {
  const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (Guard& guard : guards) {
    const std::uintptr_t last = guard.last;
    if (address < guard.first || address >= last) continue;
    guard.is_damaged = true;
    const std::uintptr_t page = address / page_size * page_size;
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return ::mmap(reinterpret_cast<void*>(page), last - page, PROT_READ, flags, -1, 0) != MAP_FAILED;
  }
  return false;
}

// What it is not for goes to whoever was there before: at the end to the system, which ends the process.
void handle_bus_error(int signal, siginfo_t* info, void* context) {
  if (replace_by_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;
  if ((handler_before.sa_flags & SA_SIGINFO) && handler_before.sa_sigaction) {
    handler_before.sa_sigaction(signal, info, context);
  } else {
    ::sigaction(SIGBUS, &handler_before, nullptr);
    if (info->si_code <= 0) ::raise(signal);  // sent by a process: nothing is tried again that would fail again
  }
}

void set_handler() {
  struct sigaction action = {};
  action.sa_sigaction = handle_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &handler_before);
}

std::size_t take_guard() {
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (!guards[i].is_taken.exchange(true)) return i;
  }
  return guards.size();
}

}  // namespace

MappedFile::MappedFile(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {
  std::call_once(handler_is_set, set_handler);
  void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (address == MAP_FAILED) return;
  address_ = address;
  guard_ = take_guard();
  if (guard_ == max_guarded) return;
  Guard& guard = guards[guard_];
  guard.is_damaged = false;
  guard.first = reinterpret_cast<std::uintptr_t>(address_);
  guard.last = guard.first + size_;
}

MappedFile::~MappedFile() {
  if (guard_ != max_guarded) {
    guards[guard_].last = 0;
    guards[guard_].is_taken = false;
  }
  if (address_) ::munmap(address_, size_);
  ::close(descriptor_);
}

bool MappedFile::is_whole() const {
  if (guard_ != max_guarded && guards[guard_].is_damaged) return false;
  struct stat status = {};
  return ::fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) >= size_;
}

}  // namespace attnscope
