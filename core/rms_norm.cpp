#include "core/rms_norm.h"

#include "core/config.h"

#include <cmath>

namespace attnscope {

bool has_qk_norm(const AttentionConfig& config) {
  return config.qk_norm == QkNorm::rms && config.mechanism == Mechanism::multi_head_attention;
}

double root_mean_square(std::span<const float> row, double epsilon) {
  double squares = 0;
  for (const float number : row) squares += static_cast<double>(number) * static_cast<double>(number);
  return std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
}

void normalize_row(std::span<float> normalized, std::span<const float> row, std::span<const float> gain) {
  const double factor = 1 / root_mean_square(row, qk_norm_epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    normalized[i] = static_cast<float>(static_cast<double>(row[i]) * factor) * gain[i];
}

}  // namespace attnscope
