#include "core/aligned.h"

// The one place outside app/platform that asks the operating system for something: without large pages the products of
// large matrices are slower, and core is to be fast in every program that links it, not only in this one.
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace attnscope {

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t large_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= large_page ? large_page : line;
  if (bytes > SIZE_MAX - 2 * alignment) throw std::bad_alloc();
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

}  // namespace attnscope
