// The numbers of one row of scores on their way to weights. Included once by the file of each instruction set.

#include "core/kernels/simd.h"
#include "core/key_range.h"

namespace attnscope {
namespace {

constexpr float log2_of_e = 1.44269504088896341F;

ATTNSCOPE_INLINE std::uint32_t kept_bits(const std::uint64_t* kept, std::ptrdiff_t key) {
  return static_cast<std::uint32_t>(kept[key / 64] >> (key % 64)) & (lanes == 32 ? ~0U : (1U << lanes) - 1U);
}

// exp(score - max), or the score itself.
template <bool by_sum>
ATTNSCOPE_INLINE Floats weight_of(Floats score, Floats subtracted, Floats scale) {
  return by_sum ? score * scale : exp2_of_negative((score - subtracted) * scale);
}

// Some rows of scores, and what turns them into weights.
struct ScoreRows {
  float* first;                // row r: first + r * stride
  std::ptrdiff_t stride;       // floats
  const KeyRange* ranges;      // scores that are read of each row; the others become 0
  KeyRange any;                // read of any of the rows
  KeyRange all;                // read of all of them
  const float* subtracted;     // from the scores of each row
  float scale;                 // multiplies them
  const std::uint64_t* kept;   // bits of the first row, or null
  std::ptrdiff_t kept_stride;  // words
  std::ptrdiff_t key;          // whose bit stands for the first score; a multiple of the lanes
};

constexpr std::ptrdiff_t most_summed = 64 * lanes;  // numbers of a row that are added lane by lane, at the most

// Weights of R rows, not yet divided by the sums that they come to, wherever any of the rows is read. The rows go in
// step, so that none waits for its own exponential.
template <bool by_sum, bool drops, int R>
void weigh(const ScoreRows& rows, float* sums) {
  const Floats scale = broadcast(by_sum ? rows.scale : rows.scale * log2_of_e);
  Floats subtracted[R];
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) subtracted[r] = broadcast(rows.subtracted[r]);
  for (int r = 0; r < R; ++r) sums[r] = 0;
  for (std::ptrdiff_t k = rows.any.first / lanes * lanes; k < rows.any.last;) {
    Floats total[R] = {};
    const auto put = [&](int r, Floats weight) __attribute__((always_inline)) {
      total[r] += weight;
      const std::uint64_t* const kept = rows.kept + r * rows.kept_stride;
      store(rows.first + r * rows.stride + k, drops ? lanes_of_bits(weight, kept_bits(kept, rows.key + k)) : weight);
    };
    const auto weight_at = [&](int r) __attribute__((always_inline)) {
      return weight_of<by_sum>(load(rows.first + r * rows.stride + k), subtracted[r], scale);
    };
    const std::ptrdiff_t end = k + most_summed < rows.any.last ? k + most_summed : rows.any.last;
    for (; k < end; k += lanes) {
      if (rows.all.first <= k && k + lanes <= rows.all.last) {
        ATTNSCOPE_UNROLL
        for (int r = 0; r < R; ++r) put(r, weight_at(r));
      } else {
        ATTNSCOPE_UNROLL
        for (int r = 0; r < R; ++r) {
          put(r, lanes_between(weight_at(r), rows.ranges[r].first - k, rows.ranges[r].last - k, 0.0F));
        }
      }
    }
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) sums[r] += sum_of_lanes(total[r]);
  }
}

void fill_zeros(float* from, const float* to) {
  for (; from < to; ++from) *from = 0;
}

float sum_of(const float* values, std::ptrdiff_t count) {
  float sum = 0;
  for (std::ptrdiff_t k = 0; k < count;) {
    Floats total{};
    const std::ptrdiff_t end = k + most_summed < count ? k + most_summed : count;
    for (; k + lanes <= end; k += lanes) total += load(values + k);
    if (k < end) total += first_lanes(load(values + k), end - k, 0.0F);
    k = end;
    sum += sum_of_lanes(total);
  }
  return sum;
}

}  // namespace
}  // namespace attnscope
