#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "platform/system/descriptor.h"

namespace attnscope {

// A file that is read at any place, by several threads at once. It stays open, so that it can be read to its end when
// another program has removed it or put another in its place.
class ReadableFile {
public:
  // Throws Error where it cannot be opened or is no ordinary file.
  explicit ReadableFile(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }  // when it was opened
  // Whether all of `to` could be filled from `position` on: not where the file was made shorter meanwhile.
  bool read(std::span<char> to, std::uint64_t position) const;
  // Whether every read so far could be filled, and the file is still as long as it was.
  bool is_whole() const;

private:
  Descriptor file_;
  std::uint64_t size_ = 0;
  mutable std::atomic<bool> has_failed_ = false;
};

}  // namespace attnscope
