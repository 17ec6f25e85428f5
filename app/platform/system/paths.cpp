#include "platform/system/paths.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/shown_text.h"

namespace attnscope {
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
