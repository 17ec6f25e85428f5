#pragma once

namespace attnscope {

enum class MaskRoute {
  none,
  causal,                // minus infinity above the diagonal, before softmax
  causal_after_softmax,  // weights * tril
  causal_renormalized,   // weights * tril, then divided by the row sum
  custom,                // minus infinity where AttentionConfig::hidden says, before softmax
};

}  // namespace attnscope
