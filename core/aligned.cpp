#include "core/aligned.h"

// The one place outside app/platform that asks the operating system for something: without large pages the products of
// large matrices are slower, and core is to be fast in every program that links it, not only in this one.
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace attnscope {

#ifdef __linux__
namespace {

constexpr std::size_t worth_populating = std::size_t{64} << 10;

// Has all pages of new memory made at once, which takes half as long as one by one when they are first written.
void populate(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);  // only advice
#endif
}

}  // namespace
#endif

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
  if (alignment == line && padded >= worth_populating) populate(memory, padded);
#else
  void* const memory = std::aligned_alloc(line, padded);
  if (!memory) throw std::bad_alloc();
#endif
  return memory;
}

}  // namespace attnscope
