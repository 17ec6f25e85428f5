#pragma once

#include "core/tensor.h"

#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace attnscope {

// Memory of the kernels: aligned, kept from one evaluation to the next, in large pages where the system has them.
// Growing loses what it held.
class Workspace {
public:
  // At least `count` floats; the same memory as before where it was enough.
  float* reserve(std::size_t count) {
    if (count <= count_) return floats_.get();
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t alignment = count * sizeof(float) >= page ? page : 64;
    const std::size_t bytes = (count * sizeof(float) + alignment - 1) / alignment * alignment;
    floats_.reset();
    count_ = 0;
    floats_.reset(static_cast<float*>(std::aligned_alloc(alignment, bytes)));
    if (!floats_) throw std::bad_alloc();
#ifdef __linux__
    if (alignment == page) madvise(floats_.get(), bytes, MADV_HUGEPAGE);  // only advice: nothing is lost without it
#endif
    count_ = bytes / sizeof(float);
    return floats_.get();
  }
  float* get() const { return floats_.get(); }
  std::size_t bytes() const { return count_ * sizeof(float); }

private:
  struct Free {
    void operator()(float* floats) const { std::free(floats); }
  };
  std::unique_ptr<float, Free> floats_;
  std::size_t count_ = 0;
};

}  // namespace attnscope
