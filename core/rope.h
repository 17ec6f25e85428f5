#pragma once

#include "core/tensor.h"

#include <optional>
#include <span>
#include <vector>

namespace attnscope {

struct AttentionConfig;

// The way in which the dimensions of a query or a key are paired; a pair turns together.
enum class RopeLayout {
  half,         // i and i + dims / 2, as in Llama
  interleaved,  // 2i and 2i + 1, as in the paper
};

// The ways in which a model that was trained on shorter texts slows its pairs.
enum class RopeScalingKind {
  linear,  // every pair turns `factor` times more slowly
  llama3,  // only pairs that turn rarely do: those that turn often within a short text keep their angles
};

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::linear;
  double factor = 1;
  // Of llama3: a pair that turns fewer times than `low` in a text of `original_length` tokens is slowed by `factor`,
  // one that turns more often than `high` is not, and between the two the steps are mixed.
  double low = 1;
  double high = 4;
  Index original_length = 8192;
  bool operator==(const RopeScaling&) const = default;
};

// Rotary position embedding (Su et al., RoFormer, 2021): pair i of a token at position p turns by p · base^(−2i /
// dims), so that a score depends on how far query and key stand apart.
struct Rope {
  double base = 10'000;
  RopeLayout layout = RopeLayout::half;
  std::optional<Index> dims = {};  // even: the first dimensions of a head turn; nothing: all turn
  Index offset = 0;                // position of the first token
  std::optional<RopeScaling> scaling = {};
  bool operator==(const Rope&) const = default;
};

constexpr double least_rope_base = 1e-3;
constexpr double most_rope_base = 1e12;
constexpr double most_rope_scaling = 1e6;  // factor
constexpr Index max_rope_offset = Index{1} << 24;

bool has_rope(const AttentionConfig& config);    // queries and keys turn; only in multi-head attention
Index rope_dims(const AttentionConfig& config);  // dimensions of a head that turn; an even number

// The pair of a dimension: first' = first · cos(angle) − second · sin(angle), second' = second · cos(angle) + first ·
// sin(angle).
struct RopePair {
  Index first = 0;
  Index second = 0;
  Index number = 0;

  Index partner(Index col) const { return col == first ? second : first; }
};
std::optional<RopePair> rope_pair(const AttentionConfig& config, Index col);  // nothing if the dimension does not turn
double rope_angle(const AttentionConfig& config, Index token, Index pair);    // radians
double rope_slowing(const AttentionConfig& config, Index pair);  // scaling multiplies the pair's angles by it; else 1

// Cosine and sine of every pair, one row for each token: (tokens, dims / 2) each.
struct RopeTable {
  std::vector<float> cosines;
  std::vector<float> sines;
};
RopeTable rope_table(const AttentionConfig& config, Index tokens);

// Turns one token's row of head_dim numbers.
void rotate_row(std::span<float> rotated, std::span<const float> row, const AttentionConfig& config,
                const RopeTable& table, Index token);

// Root mean square layer normalization (Zhang and Sennrich, 2019), torch.nn.RMSNorm, uses the functions below.

constexpr double qk_norm_epsilon = 1e-6;  // the same in all models that normalize queries and keys

// Returns whether the queries and the keys of each head are normalized; only in multi-head attention.
bool has_qk_norm(const AttentionConfig& config);

// sqrt(mean(x * x) + epsilon)
double root_mean_square(std::span<const float> row, double epsilon);

// normalized = row / root_mean_square(row, qk_norm_epsilon) * gain, of one token's head_dim numbers each
void normalize_row(std::span<float> normalized, std::span<const float> row, std::span<const float> gain);

}  // namespace attnscope
