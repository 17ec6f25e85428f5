#include "core/attention.h"

#include "core/config.h"
#include "core/rope.h"
#include "core/tensor.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

namespace attnscope {

namespace {

constexpr Index block_rows = 64;  // fixed, so that the bits do not depend on who runs the blocks
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Calls work(m, row, count) for every block of up to block_rows rows of each trailing matrix m of `tensor`. A block
// never spans two matrices, so equal matrices of a batch get equal bits.
template <typename Work>
void for_each_row_block(const Execution& execution, const Tensor& tensor, const Work& work) {
  const Index blocks_per_matrix = (tensor.rows() + block_rows - 1) / block_rows;
  for_each_block(execution, tensor.matrix_count() * blocks_per_matrix, [&](Index block) {
    const Index row = block % blocks_per_matrix * block_rows;
    work(block / blocks_per_matrix, row, std::min(block_rows, tensor.rows() - row));
  });
}

std::span<float> row_of(Tensor& tensor, Index matrix, Index row) {
  const Index offset = (matrix * tensor.rows() + row) * tensor.cols();
  return std::span(tensor.values).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(tensor.cols()));
}

std::span<const float> row_of(const Tensor& tensor, Index matrix, Index row) {
  const Index offset = (matrix * tensor.rows() + row) * tensor.cols();
  return std::span(tensor.values).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(tensor.cols()));
}

// Returns the matrix of keys or values, of (B,H_kv), that matrix m of (B,H) reads; several may share one.
Index shared_matrix(Index m, const Tensor& of_all, const Tensor& keys) {
  const Index heads = of_all.shape[1];
  const Index key_heads = keys.matrix_count() / of_all.shape[0];
  return m / heads * key_heads + m % heads * key_heads / heads;
}

// Calls work(out_row, in_row, matrix, row) for every row of two tensors of one shape.
template <typename Work>
void for_each_row(const Execution& execution, Tensor& out, const Tensor& in, const Work& work) {
  assert(out.shape == in.shape && "a stage that works cell by cell keeps the shape");
  for_each_row_block(execution, out, [&](Index m, Index first, Index count) {
    for (Index row = first; row < first + count; ++row) work(row_of(out, m, row), row_of(in, m, row), m, row);
  });
}

// Sums in double, so that a long row loses nothing, and in four sums that the processor adds at once.
float sum_of(std::span<const float> row) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= row.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += static_cast<double>(row[i + lane]);
  for (; i < row.size(); ++i) sums[0] += static_cast<double>(row[i]);
  return static_cast<float>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace

void project_linear(Tensor& projected, const Tensor& inputs, const Tensor& weight, const Tensor* bias,
                    const Execution& execution) {
  // (B,T,n) = (B,T,d_in) @ (n,d_in).T + (n): queries = self.W_query(x)
  assert(projected.cols() == weight.rows() && inputs.cols() == weight.cols() && "shapes of a linear layer");
  const auto weights = eigen(weight);
  for_each_row_block(execution, projected, [&](Index b, Index token, Index count) {
    auto block = eigen(projected, b).middleRows(token, count);
    block.noalias() = eigen(inputs, b).middleRows(token, count) * weights.transpose();
    if (bias) block.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(bias->values.data(), bias->size());
  });
}

void project_parameter(Tensor& projected, const Tensor& inputs, const Tensor& weight, const Execution& execution) {
  // (B,T,n) = (B,T,d_in) @ (d_in,n): queries = x @ self.W_query
  assert(projected.cols() == weight.cols() && inputs.cols() == weight.rows() && "shapes of a parameter");
  const auto weights = eigen(weight);
  for_each_row_block(execution, projected, [&](Index b, Index token, Index count) {
    eigen(projected, b).middleRows(token, count).noalias() = eigen(inputs, b).middleRows(token, count) * weights;
  });
}

void split_heads(Tensor& heads, const Tensor& projected, const Execution& execution) {
  // (B,H,T,head_dim) from (B,T,H*head_dim): queries = queries.view(B, T, H, head_dim).transpose(1, 2)
  assert(heads.size() == projected.size() && "heads share out the features");
  const Index head_count = heads.shape[1];
  const Index head_dim = heads.cols();
  for_each_row_block(execution, heads, [&](Index m, Index token, Index count) {
    const Index b = m / head_count;
    const Index h = m % head_count;
    eigen(heads, m).middleRows(token, count) = eigen(projected, b).block(token, h * head_dim, count, head_dim);
  });
}

void normalize_heads(Tensor& normalized, const Tensor& heads, const Tensor& gain, const Execution& execution) {
  // (B,H,T,head_dim) from (B,H,T,head_dim) and (1,head_dim): F.rms_norm(heads, (head_dim,), gain, eps=1e-6)
  for_each_row(execution, normalized, heads, [&](std::span<float> out, std::span<const float> in, Index, Index) {
    normalize_row(out, in, gain.values);
  });
}

void rotate_heads(Tensor& rotated, const Tensor& heads, const AttentionConfig& config, const Execution& execution) {
  // (B,H,T,head_dim) from (B,H,T,head_dim): rotated = heads * cos + rotate_half(heads) * sin
  const RopeTable table = rope_table(config, rotated.rows());
  for_each_row(execution, rotated, heads, [&](std::span<float> out, std::span<const float> in, Index, Index token) {
    rotate_row(out, in, config, table, token);
  });
}

void attention_scores(Tensor& scores, const Tensor& queries, const Tensor& keys, const Execution& execution) {
  // (B,H,T,T) from two (B,H,T,head_dim): attn_scores = queries @ keys.transpose(2, 3)
  assert(queries.cols() == keys.cols() && scores.cols() == keys.rows() && "one score for each query and key");
  for_each_row_block(execution, scores, [&](Index m, Index query, Index count) {
    eigen(scores, m).middleRows(query, count).noalias() =
        eigen(queries, m).middleRows(query, count) * eigen(keys, shared_matrix(m, scores, keys)).transpose();
  });
}

void attention_scores(Tensor& scores, MatrixView<const float> queries, MatrixView<const float> keys,
                      const Execution& execution) {
  const auto all = [](MatrixView<const float> view) {
    return Eigen::Map<const RowMajorMatrix>(view.data(), view.rows(), view.cols());
  };
  for_each_row_block(execution, scores, [&](Index, Index query, Index count) {
    eigen(scores).middleRows(query, count).noalias() = all(queries).middleRows(query, count) * all(keys).transpose();
  });
}

void hide_keys(Tensor& mask, const Visibility& visibility, Index first_query) {
  // (T,T): mask = torch.triu(torch.ones(T, T), diagonal=1), or what an edited mask hides
  for (Index query = 0; query < mask.rows(); ++query) {
    const std::span<float> row = row_of(mask, 0, query);
    std::ranges::fill(row, 1.0F);
    for_each_seen(visibility, first_query + query, 0, mask.cols(),
                  [&](const KeyRange& seen) { std::fill(row.begin() + seen.first, row.begin() + seen.last, 0.0F); });
  }
}

void mask_scores(Tensor& masked, const Tensor& scores, const Tensor& mask, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T) and (T,T): masked = attn_scores.masked_fill(mask.bool(), -torch.inf)
  for_each_row(execution, masked, scores, [&](std::span<float> out, std::span<const float> in, Index, Index query) {
    const std::span<const float> hidden = row_of(mask, 0, query);
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = hidden[key] != 0 ? minus_infinity : in[key];
  });
}

void scale_scores(Tensor& scaled, const Tensor& scores, Index head_dim, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T): scaled = attn_scores / keys.shape[-1]**0.5
  const float root = static_cast<float>(std::sqrt(static_cast<double>(head_dim)));
  for_each_row(execution, scaled, scores, [&](std::span<float> out, std::span<const float> in, Index, Index) {
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = in[key] / root;
  });
}

void multiply_scores(Tensor& scaled, const Tensor& scores, float scale, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T): scaled = attn_scores * scale
  for_each_row(execution, scaled, scores, [&](std::span<float> out, std::span<const float> in, Index, Index) {
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = in[key] * scale;
  });
}

void cap_scores(Tensor& capped, const Tensor& scores, float c, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T): capped = c * torch.tanh(scaled / c)
  for_each_row(execution, capped, scores, [&](std::span<float> out, std::span<const float> in, Index, Index) {
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = c * std::tanh(in[key] / c);
  });
}

void add_bias(Tensor& biased, const Tensor& scores, const Bias& bias, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T) and what broadcasts to it: biased = scaled + bias
  for_each_row(execution, biased, scores, [&](std::span<float> out, std::span<const float> in, Index m, Index query) {
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = in[key] + bias.at(m, query, static_cast<Index>(key));
  });
}

void softmax_rows(Tensor& weights, const Tensor& scores, const HiddenRow& is_hidden, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T): attn_weights = torch.softmax(scores, dim=-1)
  for_each_row(execution, weights, scores, [&](std::span<float> out, std::span<const float> in, Index m, Index query) {
    if (is_hidden && is_hidden(m, query)) {
      std::ranges::fill(out, 0.0F);
      return;
    }
    const float largest = Eigen::Map<const Eigen::ArrayXf>(in.data(), std::ssize(in)).maxCoeff();
    // Masked scores are the rule: their 0 needs no exp. A row of nothing else gives NaN, as in PyTorch.
    const float nothing = largest == minus_infinity ? std::nanf("") : 0.0F;
    for (std::size_t key = 0; key < out.size(); ++key)
      out[key] = in[key] == minus_infinity ? nothing : std::exp(in[key] - largest);
    const float sum = sum_of(out);
    for (float& weight : out) weight /= sum;
  });
}

void normalize_rows(Tensor& weights, const Tensor& scores, const HiddenRow& is_hidden, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T): attn_weights = scores / scores.sum(dim=-1, keepdim=True)
  for_each_row(execution, weights, scores, [&](std::span<float> out, std::span<const float> in, Index m, Index query) {
    if (is_hidden && is_hidden(m, query)) {
      std::ranges::fill(out, 0.0F);
      return;
    }
    const float sum = sum_of(in);  // a sum of 0 gives infinity or NaN, as in PyTorch
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = in[key] / sum;
  });
}

void mask_weights(Tensor& masked, const Tensor& weights, const Tensor& mask, const Execution& execution) {
  // (B,H,T,T) from (B,H,T,T) and (T,T): masked_weights = attn_weights * torch.tril(torch.ones(T, T))
  for_each_row(execution, masked, weights, [&](std::span<float> out, std::span<const float> in, Index, Index query) {
    const std::span<const float> hidden = row_of(mask, 0, query);
    for (std::size_t key = 0; key < out.size(); ++key) out[key] = in[key] * (1.0F - hidden[key]);
  });
}

void drop_weights(Tensor& dropped, const Tensor& weights, const Tensor& factors, const Execution& execution) {
  // (B,H,T,T) from two (B,H,T,T): attn_weights = self.dropout(attn_weights), which is attn_weights * factors
  assert(weights.shape == factors.shape && "one factor for each weight");
  for_each_row_block(execution, dropped, [&](Index m, Index query, Index count) {
    eigen(dropped, m).middleRows(query, count) =
        eigen(weights, m).middleRows(query, count).cwiseProduct(eigen(factors, m).middleRows(query, count));
  });
}

void weighted_values(Tensor& context, const Tensor& weights, const Tensor& values, const Execution& execution) {
  // (B,H,T,head_dim) from (B,H,T,T) and (B,H,T,head_dim): context_vec = attn_weights @ values
  assert(weights.cols() == values.rows() && context.cols() == values.cols() && "one weight for each value");
  for_each_row_block(execution, context, [&](Index m, Index query, Index count) {
    eigen(context, m).middleRows(query, count).noalias() =
        eigen(weights, m).middleRows(query, count) * eigen(values, shared_matrix(m, context, values));
  });
}

void switch_off_heads(Tensor& context, std::span<const Index> heads) {
  // (B,H,T,head_dim) in place: context_vec[:, heads] = 0
  const Index H = context.shape[1];
  for (Index m = 0; m < context.matrix_count(); ++m) {
    if (std::ranges::find(heads, m % H) != heads.end()) eigen(context, m).setZero();
  }
}

void concatenate_heads(Tensor& context, const Tensor& head_context, const Execution& execution) {
  // (B,T,H*head_dim) from (B,H,T,head_dim): context_vec = head_context.transpose(1, 2).reshape(B, T, H * head_dim)
  assert(context.size() == head_context.size() && "heads stand side by side");
  const Index head_dim = head_context.cols();
  const Index head_count = context.cols() / head_dim;
  for_each_row_block(execution, context, [&](Index b, Index token, Index count) {
    for (Index h = 0; h < head_count; ++h) {
      eigen(context, b).block(token, h * head_dim, count, head_dim) =
          eigen(head_context, b * head_count + h).middleRows(token, count);
    }
  });
}

}  // namespace attnscope
