#pragma once

#include "core/aligned.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace attnscope {

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
