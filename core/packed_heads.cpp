#include "core/packed_heads.h"

#include <algorithm>

namespace attnscope {

namespace {

Index padded_values_size(const Kernels& kernels, Index matrices, Index tokens, Index head_dim) {
  const Index stride = rounded_up(head_dim, kernels.lanes);
  return stride == head_dim ? 0 : matrices * tokens * stride;
}

}  // namespace

Index PackedHeads::size(const Kernels& kernels, Index matrices, Index tokens, Index head_dim) {
  return matrices * rounded_up(tokens, kernels.key_panel) * head_dim +
         padded_values_size(kernels, matrices, tokens, head_dim);
}

void PackedHeads::reserve(const Kernels& kernels, Index matrices, Index tokens, Index head_dim, const float* keys,
                          const float* values) {
  kernels_ = &kernels;
  tokens_ = tokens;
  head_dim_ = head_dim;
  key_size_ = rounded_up(tokens, kernels.key_panel) * head_dim;
  value_stride_ = rounded_up(head_dim, kernels.lanes);
  from_keys_ = keys;
  from_values_ = values;
  keys_.reserve(static_cast<std::size_t>(matrices * key_size_));
  const Index padded = padded_values_size(kernels, matrices, tokens, head_dim);
  read_values_ = padded == 0 ? values : padded_values_.reserve(static_cast<std::size_t>(padded));
}

void PackedHeads::pack(Index matrix, Index first, Index last) {
  const Index offset = (matrix * tokens_ + first) * head_dim_;
  kernels_->pack_keys(keys_.get() + matrix * key_size_ + first * head_dim_, from_keys_ + offset, last - first,
                      head_dim_);
  if (read_values_ == from_values_) return;
  for (Index t = 0; t < last - first; ++t) {
    float* const to = padded_values_.get() + (matrix * tokens_ + first + t) * value_stride_;
    std::copy_n(from_values_ + offset + t * head_dim_, head_dim_, to);
    std::fill(to + head_dim_, to + value_stride_, 0.0F);
  }
}

}  // namespace attnscope
