#include "core/packed_heads.h"

#include <algorithm>

namespace attnscope {

namespace {

Index padded_values_size(const Kernels& kernels, const PackedHeads::Sizes& sizes) {
  const Index stride = rounded_up(sizes.value_dim, kernels.lanes);
  return stride == sizes.value_dim ? 0 : sizes.matrices * sizes.tokens * stride;
}

}  // namespace

Index PackedHeads::size(const Kernels& kernels, const Sizes& sizes) {
  return sizes.matrices * rounded_up(sizes.tokens, kernels.key_panel) * sizes.head_dim +
         padded_values_size(kernels, sizes);
}

void PackedHeads::reserve(const Kernels& kernels, const Sizes& sizes, const float* keys, const float* values) {
  kernels_ = &kernels;
  sizes_ = sizes;
  key_size_ = rounded_up(sizes.tokens, kernels.key_panel) * sizes.head_dim;
  value_stride_ = rounded_up(sizes.value_dim, kernels.lanes);
  from_keys_ = keys;
  from_values_ = values;
  keys_.reserve(static_cast<std::size_t>(sizes.matrices * key_size_));
  const Index padded = padded_values_size(kernels, sizes);
  read_values_ = padded == 0 ? values : padded_values_.reserve(static_cast<std::size_t>(padded));
}

void PackedHeads::pack(Index matrix, Index first, Index last) {
  const Index token = matrix * sizes_.tokens + first;
  kernels_->pack_keys(keys_.get() + matrix * key_size_ + first * sizes_.head_dim, from_keys_ + token * sizes_.head_dim,
                      last - first, sizes_.head_dim);
  if (read_values_ == from_values_) return;
  for (Index t = 0; t < last - first; ++t) {
    float* const to = padded_values_.get() + (token + t) * value_stride_;
    std::copy_n(from_values_ + (token + t) * sizes_.value_dim, sizes_.value_dim, to);
    std::fill(to + sizes_.value_dim, to + value_stride_, 0.0F);
  }
}

}  // namespace attnscope
