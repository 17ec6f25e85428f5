#include "core/bias.h"

#include <algorithm>

namespace attnscope {

namespace {

// (B,H,T_query,T_key) with 1 for the axes that are not there.
std::array<Index, 4> four_axes(const std::vector<Index>& shape) {
  std::array<Index, 4> all = {1, 1, 1, 1};
  std::copy_backward(shape.begin(), shape.end(), all.end());
  return all;
}

Index within_axis(Index at, Index size) { return size == 1 ? 0 : at; }

}  // namespace

Bias::Bias(const AttentionConfig& config, Index first_matrix, Index first_query)
    : numbers_(&config.bias),
      shape_(four_axes(config.bias.shape())),
      heads_(head_count(config)),
      first_matrix_(first_matrix),
      first_query_(first_query) {}

std::span<const float> Bias::row(Index matrix, Index query) const {
  const Index of_all = first_matrix_ + matrix;
  const Index batch = within_axis(of_all / heads_, shape_[0]);
  const Index head = within_axis(of_all % heads_, shape_[1]);
  return numbers_->row((batch * shape_[1] + head) * shape_[2] + within_axis(first_query_ + query, shape_[2]));
}

float Bias::at(Index matrix, Index query, Index key) const {
  return row(matrix, query)[static_cast<std::size_t>(within_axis(key, shape_[3]))];
}

}  // namespace attnscope
