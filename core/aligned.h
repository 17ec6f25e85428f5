#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace attnscope {

// Memory for numbers: aligned to the lines of the caches, so that no vector of the processor straddles two; and where
// it is large, in large pages if the system has them, because matrices are walked down their columns.
inline void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t large_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= large_page ? large_page : line;
  if (bytes > SIZE_MAX - alignment) throw std::bad_alloc();
  const std::size_t padded = (bytes + line - 1) / line * line;
#ifdef __linux__
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, padded) != 0) throw std::bad_alloc();
  if (alignment == large_page) madvise(memory, padded / large_page * large_page, MADV_HUGEPAGE);  // only advice
#else
  void* const memory = std::aligned_alloc(line, padded);
  if (!memory) throw std::bad_alloc();
#endif
  return memory;
}

// For containers of numbers that the kernels read and write.
template <typename Number>
struct AlignedAllocator {
  using value_type = Number;
  AlignedAllocator() = default;
  template <typename Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): what a container asks for
  Number* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(Number)) throw std::bad_array_new_length();
    return static_cast<Number*>(allocate_aligned(count * sizeof(Number)));
  }
  void deallocate(Number* numbers, std::size_t) { std::free(numbers); }
  bool operator==(const AlignedAllocator&) const = default;
};

}  // namespace attnscope
