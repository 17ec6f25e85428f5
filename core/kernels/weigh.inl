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

// Weights of a row, not yet divided by the sum that it returns.
template <bool by_sum, bool drops>
float weigh(float* scores, std::ptrdiff_t count, float row_max, float score_scale, const std::uint64_t* kept,
            std::ptrdiff_t key) {
  constexpr int chains = 2;
  const Floats max = broadcast(row_max);
  const Floats scale = broadcast(by_sum ? score_scale : score_scale * log2_of_e);
  const auto put = [=](std::ptrdiff_t k, Floats weight) __attribute__((always_inline)) {
    store(scores + k, drops ? lanes_of_bits(weight, kept_bits(kept, key + k)) : weight);
  };
  Floats total[chains] = {};
  std::ptrdiff_t k = 0;
  for (; k + chains * lanes <= count; k += chains * lanes) {
    ATTNSCOPE_UNROLL
    for (int c = 0; c < chains; ++c) {
      const Floats weight = weight_of<by_sum>(load(scores + k + c * lanes), max, scale);
      total[c] += weight;
      put(k + c * lanes, weight);
    }
  }
  for (; k < count; k += lanes) {
    const Floats weight = first_lanes(weight_of<by_sum>(load(scores + k), max, scale), count - k, 0.0F);
    total[0] += weight;
    put(k, weight);
  }
  return sum_of_lanes(total[0] + total[1]);
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
