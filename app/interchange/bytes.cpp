#include "interchange/bytes.h"

#include <algorithm>
#include <cassert>

#include "core/error.h"

namespace attnscope {

void fail_as_shortened() {
  throw Error("The file was made shorter by another program while it was read: read it again when it is whole.");
}

Bytes Bytes::part(std::uint64_t first, std::uint64_t count) const {
  assert(first <= size_ && count <= size_ - first);
  Bytes result = *this;
  if (result.memory_) result.memory_ += first;
  result.first_ += first;
  result.size_ = count;
  return result;
}

bool Bytes::read(std::span<char> to, std::uint64_t first) const {
  assert(first <= size_ && to.size() <= size_ - first);
  if (file_) return file_->read(to, first_ + first);
  std::copy_n(memory_ + first, to.size(), to.data());
  return true;
}

std::string Bytes::copy(std::uint64_t first, std::uint64_t count) const {
  if (first >= size_) return {};
  count = std::min(count, size_ - first);
  std::string bytes(count, '\0');
  if (!read(bytes, first)) fail_as_shortened();
  return bytes;
}

const char* BytesReader::read(std::uint64_t position, std::uint64_t count) {
  const bool is_held = position >= held_first_ && position + count <= held_first_ + held_.size();
  if (!is_held) {
    held_.resize(std::min(std::max(count, ahead_), bytes_.size_ - position));
    held_first_ = position;
    if (!bytes_.read(held_, position)) {
      held_.clear();
      return nullptr;
    }
  }
  return held_.data() + (position - held_first_);
}

}  // namespace attnscope
