#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "platform/system/file.h"

namespace attnscope {

// Bytes that can be looked at wherever they lie: in memory, or in a file of which only what is looked at is read.
class Bytes {
public:
  Bytes() = default;                                                      // there are none to be had
  Bytes(std::string_view memory, std::shared_ptr<const void> owner = {})  // NOLINT(google-explicit-constructor)
      : memory_(memory.data()), size_(memory.size()), owner_(std::move(owner)) {}
  explicit Bytes(std::shared_ptr<const ReadableFile> file) : size_(file->size()), file_(std::move(file)) {}

  Bytes(const std::string& memory) : Bytes(std::string_view(memory)) {}  // NOLINT(google-explicit-constructor)

  bool is_there() const { return memory_ || file_; }
  std::string_view in_memory() const { return {memory_, memory_ ? size_ : 0}; }  // empty where they are in a file
  std::uint64_t size() const { return size_; }
  const std::shared_ptr<const ReadableFile>& file() const { return file_; }  // null where they are in memory
  // A part of them, which must lie within; it keeps what it is a part of.
  Bytes part(std::uint64_t first, std::uint64_t count) const;
  // Copies bytes from `first` on, which must be there. False when a file no longer has them.
  bool read(std::span<char> to, std::uint64_t first) const;
  // A copy of a part, or of what there is of it. Throws Error where a file does not have it any more.
  std::string copy(std::uint64_t first, std::uint64_t count) const;

private:
  friend class BytesReader;

  const char* memory_ = nullptr;
  std::uint64_t first_ = 0;  // in the file
  std::uint64_t size_ = 0;
  std::shared_ptr<const void> owner_;  // of the memory; none: it outlives this
  std::shared_ptr<const ReadableFile> file_;
};

// Looks at one stretch of bytes after the other.
class BytesReader {
public:
  // If the next stretches follow closely, up to `ahead` bytes of a file are read at once.
  explicit BytesReader(Bytes bytes, std::uint64_t ahead = 0) : bytes_(std::move(bytes)), ahead_(ahead) {}

  // `count` bytes from `position` on, until the next call; they must lie within. Null where a file does not have them
  // any more.
  const char* at(std::uint64_t position, std::uint64_t count) {
    return bytes_.memory_ ? bytes_.memory_ + position : read(position, count);
  }

private:
  const char* read(std::uint64_t position, std::uint64_t count);

  Bytes bytes_;
  std::uint64_t ahead_;
  std::string held_;  // of the file
  std::uint64_t held_first_ = 0;
};

[[noreturn]] void fail_as_shortened();  // throws Error: another program made the file shorter

}  // namespace attnscope
