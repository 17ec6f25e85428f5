#include "platform/system/process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "platform/system/file.h"

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

std::filesystem::path empty_page() {
  if (in_browser) return "/attnscope.html";  // page.js puts it there
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
  for (const char* const place : {"share/attnscope/attnscope.html", "web/attnscope.html"}) {
    const std::filesystem::path page = folder.parent_path() / place;
    if (std::filesystem::exists(page, failure)) return page;
  }
  return {};
}

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

namespace {

std::filesystem::path from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

// The XDG specification has relative paths in its variables ignored.
std::filesystem::path base_folder(const char* variable, const std::filesystem::path& below_home) {
  const std::filesystem::path base = from_environment(variable);
  std::filesystem::path folder = (base.is_absolute() ? base : home_folder() / below_home) / "attnscope";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error("The folder " + shown_path(folder) + " cannot be created: " + error.message() + ". Set " + variable +
                " to a folder that can be written.");
  }
  return folder;
}

}  // namespace

std::filesystem::path config_folder() { return base_folder("XDG_CONFIG_HOME", ".config"); }

std::filesystem::path state_folder() {
  return base_folder("XDG_STATE_HOME", std::filesystem::path(".local") / "state");
}

std::filesystem::path working_folder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  return error ? home_folder() : folder;
}

std::filesystem::path home_folder() {
  std::filesystem::path home = from_environment("HOME");
  if (home.is_absolute()) return home;
  std::error_code error;
  home = std::filesystem::current_path(error);
  return error ? std::filesystem::path(".") : home;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code problem;
  const std::filesystem::path absolute = std::filesystem::absolute(path, problem).lexically_normal();
  return problem ? path : absolute;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& problem) {
  problem.clear();
  std::vector<std::filesystem::path> entries;
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()), close);
  errno = opened ? 0 : errno;
  while (const dirent* const entry = opened ? ::readdir(opened.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back(folder / name);
    errno = 0;
  }
  problem.assign(errno, std::generic_category());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace attnscope
