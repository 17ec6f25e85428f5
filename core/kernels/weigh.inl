// The numbers of one row of scores on their way to weights. Included once by the file of each instruction set.

#include "core/kernels/simd.h"

namespace attnscope {
namespace {

constexpr float log2_of_e = 1.44269504088896341F;

ATTNSCOPE_INLINE std::uint32_t kept_bits(const std::uint64_t* kept, std::ptrdiff_t key) {
  return static_cast<std::uint32_t>(kept[key / 64] >> (key % 64)) & (lanes == 32 ? ~0U : (1U << lanes) - 1U);
}

// exp(score - max), or the score itself.
template <bool by_sum>
ATTNSCOPE_INLINE Floats weight_of(Floats score, Floats max, Floats scale) {
  return by_sum ? score * scale : exp2_of_negative((score - max) * scale);
}

// Some rows of scores, and what turns them into weights.
struct ScoreRows {
  float* first;                 // row r: first + r * stride
  std::ptrdiff_t stride;        // floats
  const std::ptrdiff_t* count;  // scores of each row, ascending
  const float* max;             // of each row
  float scale;                  // multiplies the scores
  const std::uint64_t* kept;    // bits of the first row, or null
  std::ptrdiff_t kept_stride;   // words
  std::ptrdiff_t key;           // whose bit stands for the first score
};

// Weights of R rows, not yet divided by the sums that they come to; zeros up to the vector that ends the longest row.
// The rows go in step, so that none waits for its own exponential.
template <bool by_sum, bool drops, int R>
void weigh(const ScoreRows& rows, float* sums) {
  const Floats scale = broadcast(by_sum ? rows.scale : rows.scale * log2_of_e);
  Floats max[R];
  Floats total[R] = {};
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) max[r] = broadcast(rows.max[r]);
  const auto put = [&](int r, std::ptrdiff_t k, Floats weight) __attribute__((always_inline)) {
    total[r] += weight;
    const std::uint64_t* const kept = rows.kept + r * rows.kept_stride;
    store(rows.first + r * rows.stride + k, drops ? lanes_of_bits(weight, kept_bits(kept, rows.key + k)) : weight);
  };
  std::ptrdiff_t k = 0;
  for (; k + lanes <= rows.count[0]; k += lanes) {
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) put(r, k, weight_of<by_sum>(load(rows.first + r * rows.stride + k), max[r], scale));
  }
  for (; k < rows.count[R - 1]; k += lanes) {
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) {
      const Floats weight = weight_of<by_sum>(load(rows.first + r * rows.stride + k), max[r], scale);
      put(r, k, first_lanes(weight, rows.count[r] - k, 0.0F));
    }
  }
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) sums[r] = sum_of_lanes(total[r]);
}

void fill_zeros(float* from, const float* to) {
  for (; from < to; ++from) *from = 0;
}

float sum_of(const float* values, std::ptrdiff_t count) {
  Floats total{};
  std::ptrdiff_t k = 0;
  for (; k + lanes <= count; k += lanes) total += load(values + k);
  if (k < count) total += first_lanes(load(values + k), count - k, 0.0F);
  return sum_of_lanes(total);
}

}  // namespace
}  // namespace attnscope
