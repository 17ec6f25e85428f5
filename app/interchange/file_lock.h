#pragma once

#include <chrono>
#include <filesystem>

namespace attnscope {

// A lock between programs: held from when the file is locked until this object goes or the program ends, however it
// does. Who holds none need not stop: file systems exist that have no locks.
class FileLock {
public:
  FileLock() = default;  // holds nothing
  // Makes the file when there is none, and tries for at most that long.
  explicit FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience = {});
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  bool is_held() const { return descriptor_ >= 0; }
  void remove();  // the file too, and with it the lock

private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace attnscope
