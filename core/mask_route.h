#pragma once

namespace attnscope {

enum class MaskRoute {
  none,
  causal,                // minus infinity above the diagonal, before softmax
  causal_after_softmax,  // weights * tril
  causal_renormalized,   // weights * tril, then divided by the row sum
  custom,                // minus infinity where AttentionConfig::hidden says, before softmax
};

// The key that a query stands beside if there are more or fewer keys than queries; it sees the keys up to that one.
enum class MaskAlignment {
  lower_right,  // the last query beside the last key
  upper_left,   // the first beside the first
};

}  // namespace attnscope
