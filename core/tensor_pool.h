#pragma once

#include "core/execution.h"
#include "core/tensor.h"

#include <memory>
#include <mutex>
#include <vector>

namespace attnscope {

// Tensors whose memory comes back when the last reader lets go of them, and is handed out again: an evaluation that is
// repeated asks the system for nothing. Readers may be on any thread.
class TensorPool {
public:
  TensorPool();

  // A tensor of this shape with any contents. Throws Cancelled.
  std::shared_ptr<Tensor> make(std::vector<Index> shape, const Execution& execution = {});

private:
  struct Store {
    std::mutex mutex;
    std::vector<AlignedFloats> spare;
  };
  std::shared_ptr<Store> store_;  // outlives the pool in the tensors that are still read
};

}  // namespace attnscope
