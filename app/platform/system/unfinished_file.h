#pragma once

#include <cstddef>
#include <filesystem>

namespace attnscope {

// The name of a file that is being written, where the file system has no files without a name: removed when this ends,
// and when a signal ends the program (end_cleanly_on_signals()).
class UnfinishedFile {
public:
  UnfinishedFile() = default;  // none
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }  // empty where there is none
  void set(const std::filesystem::path& path);
  void keep();  // it has another name now

private:
  std::filesystem::path path_;
  std::size_t place_ = 0;  // among those that signals remove
};

// Removes all of them. May be called by the handler of a signal.
void remove_unfinished_files();

}  // namespace attnscope
