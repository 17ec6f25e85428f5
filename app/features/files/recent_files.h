#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "session/ui_state.h"

namespace attnscope {

// The files that were opened or saved last, newest first. They are kept in a file that all programs share: each change
// is made to what stands there at the moment, so that two windows do not forget each other's. A change that cannot be
// written, because another program keeps the file locked, is written with the next one.
class RecentFiles {
public:
  static constexpr std::size_t max_files = 10;

  RecentFiles() = default;  // remembers them while the program runs
  explicit RecentFiles(std::filesystem::path kept_in);

  // These throw Error when the file cannot be written; the list has changed then all the same.
  void add(const std::filesystem::path& path);
  void remove(const std::filesystem::path& path);
  void refresh();  // takes over what other programs did, and looks which files are still there
  void keep();     // writes what could not be written before; throws as the others
  bool is_kept() const { return unwritten_.empty(); }

  const std::vector<RecentFile>& files() const { return files_; }

private:
  void read();
  void make_changes();

  std::filesystem::path kept_in_;
  std::vector<std::function<void(std::vector<RecentFile>& files)>> unwritten_;  // changes
  std::vector<RecentFile> files_;
};

}  // namespace attnscope
