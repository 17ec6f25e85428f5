#include "platform/system/folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace attnscope {

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
