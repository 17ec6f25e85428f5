#pragma once

// The stages of attention, one function each, next to the PyTorch line that it equals. Every intermediate is a named
// result. B batch entries, T tokens, H heads; tensors are row-major. Outputs come first and must have their final
// shape.

#include "core/execution.h"
#include "core/tensor.h"
#include "core/visibility.h"

#include <functional>

namespace attnscope {

// projected (B,T,n) = inputs @ weight.T + bias; weight (n,d_in) as nn.Linear stores it, bias (n) or null.
void project_linear(Tensor& projected, const Tensor& inputs, const Tensor& weight, const Tensor* bias,
                    const Execution& execution);

// projected (B,T,n) = inputs @ weight; weight (d_in,n) as nn.Parameter(torch.rand(d_in, n)) stores it.
void project_parameter(Tensor& projected, const Tensor& inputs, const Tensor& weight, const Execution& execution);

// heads (B,H,T,head_dim) = projected.view(B, T, H, head_dim).transpose(1, 2)
void split_heads(Tensor& heads, const Tensor& projected, const Execution& execution);

// normalized (B,H,T,head_dim): each row divided by its root mean square, times the gains (1,head_dim);
// normalized = F.rms_norm(heads, (head_dim,), gain, eps=1e-6)
void normalize_heads(Tensor& normalized, const Tensor& heads, const Tensor& gain, const Execution& execution);

// rotated (B,H,T,head_dim): each pair of dimensions turned by the position of its token, as core/rope.h says;
// rotated = heads * cos + rotate_half(heads) * sin
void rotate_heads(Tensor& rotated, const Tensor& heads, const AttentionConfig& config, const Execution& execution);

// scores (B,H,T,T) = queries @ keys.transpose(2, 3)
void attention_scores(Tensor& scores, const Tensor& queries, const Tensor& keys, const Execution& execution);

// Some rows of one head: scores (n,T) of queries (n,head_dim) and keys (T,head_dim)
void attention_scores(Tensor& scores, MatrixView<const float> queries, MatrixView<const float> keys,
                      const Execution& execution);

// mask (T,T) = torch.triu(torch.ones(T, T), diagonal=1), or as it was edited: 1 where the query may not look
// Its first row is that of `first_query`.
void hide_keys(Tensor& mask, const Visibility& visibility, Index first_query = 0);

// masked (B,H,T,T) = scores.masked_fill(mask.bool(), -torch.inf)
void mask_scores(Tensor& masked, const Tensor& scores, const Tensor& mask, const Execution& execution);

// scaled (B,H,T,T) = scores / head_dim**0.5
void scale_scores(Tensor& scaled, const Tensor& scores, Index head_dim, const Execution& execution);

// scaled (B,H,T,T) = scores * scale
void multiply_scores(Tensor& scaled, const Tensor& scores, float scale, const Execution& execution);

// capped (B,H,T,T) = c * torch.tanh(scores / c)
void cap_scores(Tensor& capped, const Tensor& scores, float c, const Execution& execution);

// biased (B,H,T,T) = scores + bias
void add_bias(Tensor& biased, const Tensor& scores, const Bias& bias, const Execution& execution);

// Returns whether every key is hidden from a query in a matrix, b * H + h.
using HiddenRow = std::function<bool(Index matrix, Index query)>;

// weights (B,H,T,T) = torch.softmax(scores, dim=-1), the row maximum subtracted first. A row whose keys are all hidden,
// where PyTorch gives NaN, is defined as zeros; null: none is.
void softmax_rows(Tensor& weights, const Tensor& scores, const HiddenRow& is_hidden, const Execution& execution);

// weights (B,H,T,T) = scores / scores.sum(dim=-1, keepdim=True), with the zeros of softmax_rows
void normalize_rows(Tensor& weights, const Tensor& scores, const HiddenRow& is_hidden, const Execution& execution);

// masked (B,H,T,T) = weights * torch.tril(torch.ones(T, T)), given as the complement of mask
void mask_weights(Tensor& masked, const Tensor& weights, const Tensor& mask, const Execution& execution);

// dropped (B,H,T,T) = weights * factors
void drop_weights(Tensor& dropped, const Tensor& weights, const Tensor& factors, const Execution& execution);

// context (B,H,T,head_dim) = weights @ values
void weighted_values(Tensor& context, const Tensor& weights, const Tensor& values, const Execution& execution);

// context[:, heads] = 0, of context (B,H,T,head_dim)
void switch_off_heads(Tensor& context, std::span<const Index> heads);

// context (B,T,H*head_dim) = head_context.transpose(1, 2).reshape(B, T, H * head_dim)
void concatenate_heads(Tensor& context, const Tensor& head_context, const Execution& execution);

}  // namespace attnscope
