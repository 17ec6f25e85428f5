#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "state/moment.h"

namespace attnscope {

// The files that were opened or saved last, newest first. They are kept in a file that all programs share: each change
// is made to what stands there at the moment, so that two windows do not forget each other's.
class RecentFiles {
public:
  static constexpr std::size_t max_files = 10;

  RecentFiles() = default;  // remembers them while the program runs
  explicit RecentFiles(std::filesystem::path kept_in);

  // These throw Error when the file cannot be written; the list has changed then all the same.
  void add(const std::filesystem::path& path);
  void remove(const std::filesystem::path& path);
  void refresh();  // takes over what other programs did, and looks which files are still there

  const std::vector<RecentFile>& files() const { return files_; }

private:
  void read();
  void change(const std::function<void()>& make);

  std::filesystem::path kept_in_;
  std::vector<RecentFile> files_;
};

}  // namespace attnscope
