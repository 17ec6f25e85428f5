#pragma once

#include <chrono>
#include <filesystem>

#include "platform/system/descriptor.h"

namespace attnscope {

// A lock between programs: held until this object is destroyed or the program ends, even by a crash. There are file
// systems without locks, so a program that gets none should go on.
class FileLock {
public:
  FileLock() = default;  // holds nothing
  // Creates the file when there is none, and tries for at most that long.
  explicit FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience = {});

  bool is_held() const { return descriptor_.is_open(); }
  void remove();  // the file too, and with it the lock

private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace attnscope
