#pragma once

#include "core/aligned.h"
#include "core/execution.h"
#include "core/kernels/kernels.h"

namespace attnscope {

// Keys (B*H,T,head_dim) and values (B*H,T,value_dim) of all heads, as the kernels read them. Memory is kept from one
// evaluation to the next, and what is not packed anew stays.
class PackedHeads {
public:
  struct Sizes {
    Index matrices = 0;
    Index tokens = 0;
    Index head_dim = 0;
    Index value_dim = 0;
  };

  // Makes room. `keys` and `values` are read when something is packed, and `values` also later where they are taken as
  // they are.
  void reserve(const Kernels& kernels, const Sizes& sizes, const float* keys, const float* values);

  // The tokens [first, last) of a matrix. `first` begins a panel of keys, and `last` ends one or is the last of all.
  void pack(Index matrix, Index first, Index last);

  const float* keys(Index matrix) const { return keys_.get() + matrix * key_size_; }
  const float* values(Index matrix) const { return read_values_ + matrix * sizes_.tokens * value_stride_; }
  Index value_stride() const { return value_stride_; }  // floats between tokens: whole vectors

  // Floats that are kept for so many heads.
  static Index size(const Kernels& kernels, const Sizes& sizes);

private:
  const Kernels* kernels_ = nullptr;
  Sizes sizes_;
  Index key_size_ = 0;
  Index value_stride_ = 0;
  const float* from_keys_ = nullptr;
  const float* from_values_ = nullptr;
  const float* read_values_ = nullptr;
  Workspace keys_;
  Workspace padded_values_;  // where value_dim is no multiple of the lanes
};

}  // namespace attnscope
