#pragma once

#include "core/execution.h"
#include "core/kernels/kernels.h"
#include "core/workspace.h"

namespace attnscope {

// Keys and values of all heads, (B*H,T,head_dim) each, as the kernels read them. Memory is kept from one evaluation to
// the next, and what is not packed anew stays.
class PackedHeads {
public:
  // Makes room. `keys` and `values` are read when something is packed, and `values` also later where they are taken as
  // they are.
  void reserve(const Kernels& kernels, Index matrices, Index tokens, Index head_dim, const float* keys,
               const float* values);

  // The tokens [first, last) of a matrix. `first` begins a panel of keys, and `last` ends one or is the last of all.
  void pack(Index matrix, Index first, Index last);

  const float* keys(Index matrix) const { return keys_.get() + matrix * key_size_; }
  const float* values(Index matrix) const { return read_values_ + matrix * tokens_ * value_stride_; }
  Index value_stride() const { return value_stride_; }  // floats between tokens: whole vectors

  // Floats that are kept for so many heads.
  static Index size(const Kernels& kernels, Index matrices, Index tokens, Index head_dim);

private:
  const Kernels* kernels_ = nullptr;
  Index tokens_ = 0;
  Index head_dim_ = 0;
  Index key_size_ = 0;
  Index value_stride_ = 0;
  const float* from_keys_ = nullptr;
  const float* from_values_ = nullptr;
  const float* read_values_ = nullptr;
  Workspace keys_;
  Workspace padded_values_;  // where head_dim is no multiple of the lanes
};

}  // namespace attnscope
