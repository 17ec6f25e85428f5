#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace attnscope {

// Memory for numbers: aligned to the lines of the caches, so that no vector of the processor straddles two; and where
// it is large, in large pages if the system has them, because matrices are walked down their columns. To be given back
// with std::free. Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

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

// Memory of the kernels, kept from one evaluation to the next. Growing loses what it held.
class Workspace {
public:
  // At least `count` floats with any contents; the same memory as before where it was enough.
  float* reserve(std::size_t count) {
    if (count > count_) {
      floats_.reset();
      count_ = 0;
      floats_.reset(static_cast<float*>(allocate_aligned(count * sizeof(float))));
      count_ = count;
    }
    return floats_.get();
  }
  float* get() const { return floats_.get(); }

private:
  struct Free {
    void operator()(float* floats) const { std::free(floats); }
  };
  std::unique_ptr<float, Free> floats_;
  std::size_t count_ = 0;
};

}  // namespace attnscope
