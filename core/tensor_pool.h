#pragma once

#include "core/execution.h"
#include "core/tensor.h"

#include <memory>
#include <utility>
#include <vector>

namespace attnscope {

// Objects that are used again when the last reader has let go of them: work that is repeated asks the system for
// nothing. Readers may be on any thread; who takes them is on one.
template <typename Object>
class Spares {
public:
  // One that nobody reads and that `fits`, or null.
  template <typename Fits>
  std::shared_ptr<Object> take(const Fits& fits) {
    for (const std::shared_ptr<Object>& object : objects_) {
      if (object.use_count() == 1 && fits(*object)) return lent(object);  // copied after its last reader read it
    }
    return nullptr;
  }

  // Lends an object that is kept for when it is spare. It was made because no spare one fits: those will not be needed,
  // and go.
  std::shared_ptr<Object> keep(std::shared_ptr<Object> object) {
    std::erase_if(objects_, [](const std::shared_ptr<Object>& spare) { return spare.use_count() == 1; });
    objects_.push_back(std::move(object));
    return lent(objects_.back());
  }

private:
  // Lends an object by a pointer of its own: who watches that one learns that its last reader has let go, although the
  // object stays and the next reader finds other contents at the same address.
  static std::shared_ptr<Object> lent(const std::shared_ptr<Object>& object) {
    return {object.get(), [held = object](Object*) mutable { held.reset(); }};
  }

  std::vector<std::shared_ptr<Object>> objects_;
};

// Tensors whose memory is handed out again when nobody reads them.
class TensorPool {
public:
  // A tensor of this shape with any contents: zeros where it is new. Throws Cancelled.
  std::shared_ptr<Tensor> make(std::vector<Index> shape, const Execution& execution = {});

private:
  Spares<Tensor> spares_;
};

}  // namespace attnscope
