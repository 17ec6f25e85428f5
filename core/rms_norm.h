#pragma once

#include <span>

// Root mean square layer normalization (Zhang and Sennrich, 2019): torch.nn.RMSNorm.
namespace attnscope {

struct AttentionConfig;

constexpr double qk_norm_epsilon = 1e-6;  // as the models have it that normalize queries and keys

// Whether the queries and the keys of each head are normalized: in multi-head attention alone.
bool has_qk_norm(const AttentionConfig& config);

// sqrt(mean(x * x) + epsilon)
double root_mean_square(std::span<const float> row, double epsilon);

// normalized = row / root_mean_square(row, qk_norm_epsilon) * gain, of one token's head_dim numbers each
void normalize_row(std::span<float> normalized, std::span<const float> row, std::span<const float> gain);

}  // namespace attnscope
