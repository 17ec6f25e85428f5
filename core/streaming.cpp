#include "core/streaming.h"

#include "core/dropout_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attnscope {

namespace {

constexpr Index block_rows = 64;   // queries that one block computes
constexpr Index chunk_keys = 256;  // keys that it looks at at a time
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// A block of queries under way: what its rows come to over the keys seen so far.
struct Block {
  Index matrix = 0;
  Index first_query = 0;
  RowMajorMatrix scores;   // of one chunk of keys; turned into exponentials in place
  RowMajorMatrix context;  // exponentials times values
  std::vector<float> max;
  std::vector<double> sum;
  std::vector<double> kept_sum;  // of what the mask after softmax leaves

  Index rows() const { return context.rows(); }
};

bool masks_weights(const AttentionConfig& config) { return has_stage(config, Stage::masked_weights); }

// scores = queries @ keys.transpose(2, 3), masked and scaled: what softmax reads
void score_chunk(Block& block, const StreamingSource& source, Index first_key, Index count) {
  const AttentionConfig& config = source.config;
  block.scores.resize(block.rows(), count);
  block.scores.noalias() = source.queries.matrix(block.matrix).middleRows(block.first_query, block.rows()) *
                           source.keys.matrix(block.matrix).middleRows(first_key, count).transpose();
  if (config.scale) block.scores /= static_cast<float>(std::sqrt(static_cast<double>(head_features(config))));
  if (config.mask != MaskRoute::causal) return;
  for (Index row = 0; row < block.rows(); ++row) {
    const Index visible = std::clamp<Index>(block.first_query + row + 1 - first_key, 0, count);
    block.scores.row(row).tail(count - visible).setConstant(minus_infinity);
  }
}

// Row `row` of the chunk becomes exponentials relative to the largest number so far; what came before is rescaled.
void exponentiate_row(Block& block, Index row) {
  const auto at = static_cast<std::size_t>(row);
  auto scores = block.scores.row(row);
  const float largest = std::max(block.max[at], scores.maxCoeff());
  const float rescale = largest == block.max[at] ? 1.0F : std::exp(block.max[at] - largest);
  block.max[at] = largest;
  block.sum[at] *= static_cast<double>(rescale);
  block.kept_sum[at] *= static_cast<double>(rescale);
  if (rescale != 1) block.context.row(row) *= rescale;
  const float shift = largest == minus_infinity ? 0.0F : largest;  // all masked so far: the exponentials are 0
  scores = (scores.array() - shift).exp();
}

// What the mask after softmax hides and what dropout drops multiplies no value.
void hide_and_drop(Block& block, const StreamingSource& source, Index row, Index first_key) {
  auto weights = block.scores.row(row);
  const Index query = block.first_query + row;
  if (masks_weights(source.config)) {
    const Index visible = std::clamp<Index>(query + 1 - first_key, 0, weights.size());
    weights.tail(weights.size() - visible) *= 0.0F;
    block.kept_sum[static_cast<std::size_t>(row)] += weights.head(visible).cast<double>().sum();
  }
  if (!source.dropout) return;
  std::array<std::uint64_t, chunk_keys / 64> kept{};
  source.dropout->row_bits(kept, block.matrix, query, first_key, weights.size());
  for (Index k = 0; k < weights.size(); ++k) {
    if ((kept[static_cast<std::size_t>(k / 64)] >> (k % 64) & 1) == 0) weights(k) = 0;
  }
}

void add_chunk(Block& block, const StreamingSource& source, Index first_key, Index count) {
  score_chunk(block, source, first_key, count);
  for (Index row = 0; row < block.rows(); ++row) {
    if (!normalizes_by_sum(source.config)) exponentiate_row(block, row);
    block.sum[static_cast<std::size_t>(row)] += block.scores.row(row).cast<double>().sum();
    hide_and_drop(block, source, row, first_key);
  }
  block.context.noalias() += block.scores * source.values.matrix(block.matrix).middleRows(first_key, count);
}

// Divides by the sums, now that they are known, and hands out the block.
void finish_block(Tensor& head_context, RowStatistics& rows, const Block& block, const StreamingSource& source) {
  const bool by_sum = normalizes_by_sum(source.config);
  const float factor = source.dropout ? source.dropout->factor() : 1.0F;
  auto out = head_context.matrix(block.matrix).middleRows(block.first_query, block.rows());
  for (Index row = 0; row < block.rows(); ++row) {
    const auto from = static_cast<std::size_t>(row);
    const auto at = static_cast<std::size_t>(block.matrix * head_context.rows() + block.first_query + row);
    rows.max[at] = by_sum ? 0.0F : block.max[from];
    rows.sum[at] = static_cast<float>(block.sum[from]);
    if (!rows.masked_sum.empty()) rows.masked_sum[at] = static_cast<float>(block.kept_sum[from] / block.sum[from]);
    const double divisor =
        source.config.mask == MaskRoute::causal_renormalized ? block.kept_sum[from] : block.sum[from];
    const bool is_hidden = !by_sum && block.max[from] == minus_infinity;
    if (is_hidden) {
      out.row(row).setZero();
    } else {
      out.row(row) = block.context.row(row) * static_cast<float>(static_cast<double>(factor) / divisor);
    }
  }
}

void compute_block(Block& block, const StreamingSource& source, const Execution& execution) {
  const auto rows = static_cast<std::size_t>(block.rows());
  block.max.assign(rows, minus_infinity);
  block.sum.assign(rows, 0);
  block.kept_sum.assign(rows, 0);
  // Keys after the last query are masked for the whole block.
  const bool skips = source.config.mask == MaskRoute::causal;
  const Index end = skips ? block.first_query + block.rows() : source.keys.rows();
  for (Index key = 0; key < end; key += chunk_keys) {
    if (execution.stop.stop_requested()) throw Cancelled{};
    add_chunk(block, source, key, std::min(chunk_keys, end - key));
  }
}

}  // namespace

void stream_attention(Tensor& head_context, RowStatistics& rows, const StreamingSource& source,
                      const Execution& execution) {
  // (B,H,T,head_dim): context_vec = self.dropout(torch.softmax(attn_scores, dim=-1)) @ values
  const Index T = head_context.rows();
  const auto row_count = static_cast<std::size_t>(head_context.matrix_count() * T);
  rows.max.resize(row_count);
  rows.sum.resize(row_count);
  rows.masked_sum.resize(masks_weights(source.config) ? row_count : 0);
  const Index blocks_per_matrix = (T + block_rows - 1) / block_rows;
  for_each_block(execution, head_context.matrix_count() * blocks_per_matrix, [&](Index index) {
    Block block;
    block.matrix = index / blocks_per_matrix;
    // Causal rows grow longer downwards: the long ones first leaves no thread with a long one at the end.
    block.first_query = (blocks_per_matrix - 1 - index % blocks_per_matrix) * block_rows;
    block.context.setZero(std::min(block_rows, T - block.first_query), head_context.cols());
    compute_block(block, source, execution);
    finish_block(head_context, rows, block, source);
  });
}

std::uint64_t streaming_scratch_bytes(const AttentionConfig& config) {
  const auto features = static_cast<std::uint64_t>(std::clamp<Index>(head_features(config), 0, max_features));
  // scores and context of a block, and the copies of a chunk that a matrix product makes
  const std::uint64_t floats = block_rows * (chunk_keys + features) + 2 * (block_rows + chunk_keys) * features;
  return static_cast<std::uint64_t>(thread_count({})) * floats * sizeof(float);
}

}  // namespace attnscope
