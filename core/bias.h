#pragma once

#include "core/config.h"

#include <array>
#include <span>

namespace attnscope {

// The numbers that a configuration adds to its scores after scaling and cap, as torch's attn_mask of floats does. They
// broadcast to (B,H,T_query,T_key); minus infinity hides a key. A view of the configuration's own numbers.
class Bias {
public:
  // Matrix 0 and query 0 of those who ask are these of the configuration.
  explicit Bias(const AttentionConfig& config, Index first_matrix = 0, Index first_query = 0);

  // Returns the row of a query in a matrix, b * H + h: a number for each key, or one for all of them.
  std::span<const float> row(Index matrix, Index query) const;
  float at(Index matrix, Index query, Index key) const;

private:
  const SharedTensor* numbers_;
  std::array<Index, 4> shape_;
  Index heads_;
  Index first_matrix_;
  Index first_query_;
};

inline bool has_bias(const AttentionConfig& config) { return config.bias.rank() > 0; }

}  // namespace attnscope
