#include "platform/system/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/shown_text.h"
#include "platform/system/descriptor.h"

namespace attnscope {

// Each is opened the wrong way round, so that reading and writing fail as they should.
void guard_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void write_standard_output(std::string_view bytes) {
  const std::string shown = ::isatty(STDOUT_FILENO) == 1 ? terminal_text(bytes) : std::string();
  if (!shown.empty()) bytes = shown;
  if (const int reason = write_all(STDOUT_FILENO, bytes)) {
    throw Error(fmt::format("Cannot write to standard output: {}.", reason_text(reason)));
  }
}

void write_standard_error(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

bool is_standard_error_a_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void find_fonts_beside_program() {
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::filesystem::path fonts = program.parent_path().parent_path() / "share/attnscope/fonts/fonts.conf";
  if (!failure && std::filesystem::exists(fonts, failure)) ::setenv("FONTCONFIG_FILE", fonts.c_str(), 0);
}

int process_id() { return static_cast<int>(::getpid()); }

std::tm local_time(std::time_t seconds) {
  std::tm local{};
  localtime_r(&seconds, &local);
  return local;
}

void keep_loaded(const char* library) { dlopen(library, RTLD_LAZY | RTLD_NODELETE); }

// The kernel's own estimate where there is one: it counts caches that would be given up.
std::uint64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (meminfo >> key >> kibibytes >> unit) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  const long pages = sysconf(_SC_AVPHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace attnscope
