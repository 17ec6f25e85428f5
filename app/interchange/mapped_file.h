#pragma once

#include <cstddef>
#include <string_view>

namespace attnscope {

// A file in memory as far as it is looked at, to be read only. Where another program makes it shorter meanwhile, the
// system would end this one at the next look behind the new end: instead zeros are read there, and is_whole() says no.
// That holds for max_guarded files at a time.
class MappedFile {
public:
  static constexpr std::size_t max_guarded = 16;

  // Takes over the descriptor, of a regular file of `size` bytes. Without bytes() where it cannot be mapped.
  MappedFile(int descriptor, std::size_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool is_mapped() const { return address_ != nullptr; }
  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }
  // What was read before is what the file held, if this is true afterwards.
  bool is_whole() const;

private:
  int descriptor_;
  std::size_t size_;
  void* address_ = nullptr;
  std::size_t guard_ = max_guarded;  // its place among those that are; max_guarded: none was free
};

}  // namespace attnscope
