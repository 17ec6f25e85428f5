#pragma once

#include "core/execution.h"
#include "core/spares.h"
#include "core/tensor.h"

#include <initializer_list>
#include <memory>
#include <span>

namespace attnscope {

// Tensors whose memory is handed out again when nobody reads them.
class TensorPool {
public:
  // A tensor of this shape with any contents: zeros where it is new. Throws Cancelled.
  std::shared_ptr<Tensor> make(std::span<const Index> shape, const Execution& execution = {});
  std::shared_ptr<Tensor> make(std::initializer_list<Index> shape) {
    return make(std::span(shape.begin(), shape.size()));
  }

private:
  Spares<Tensor> spares_;
};

}  // namespace attnscope
