// The numbers of one row of scores on their way to weights. Included once by the file of each instruction set.

#include "core/kernels/simd.h"
#include "core/kernels/kernels.h"

namespace attnscope {
namespace {

ATTNSCOPE_INLINE std::uint32_t kept_bits(const std::uint64_t* kept, std::ptrdiff_t key) {
  return static_cast<std::uint32_t>(kept[key / 64] >> (key % 64)) & (lanes == 32 ? ~0U : (1U << lanes) - 1U);
}

// Some rows of scores, and what turns them into weights.
struct ScoreRows {
  float* first;                // row r: first + r * stride
  std::ptrdiff_t stride;       // floats
  KeyRange any;                // scores that are read of any of the rows
  const float* subtracted;     // from the scores of each row
  float scale;                 // multiplies them
  const std::uint64_t* kept;   // bits of the first row, or null
  std::ptrdiff_t kept_stride;  // words
  std::ptrdiff_t key;          // whose bit stands for the first score; a multiple of the lanes
};

constexpr std::ptrdiff_t most_summed = 64 * sum_lanes;  // numbers of a row that are added lane by lane, at the most

// Weights of a vector of scores of R rows, not yet divided by the sums that they come to: exp(score - max), or the
// score itself. The rows go in step, so that none waits for its own exponential.
template <bool by_sum, bool drops, int R>
ATTNSCOPE_INLINE void weigh_vector(const ScoreRows& rows, int row, std::ptrdiff_t k, const Floats (&subtracted)[R],
                                   Floats scale, Floats (&total)[R][sum_vectors], int v) {
  float* const first = rows.first + row * rows.stride + k;
  Floats weights[R];
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) weights[r] = (load(first + r * rows.stride) - subtracted[r]) * scale;
  if constexpr (!by_sum) exp2_of_negative(weights);
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    total[r][v] += weights[r];
    if (drops)
      weights[r] = lanes_of_bits(weights[r], kept_bits(rows.kept + (row + r) * rows.kept_stride, rows.key + k));
    store(first + r * rows.stride, weights[r]);
  }
}

// Weights of R rows from `row` on, and their sums.
template <bool by_sum, bool drops, int R>
ATTNSCOPE_INLINE void weigh_in_step(const ScoreRows& rows, int row, float* sums) {
  const Floats scale = broadcast(by_sum ? rows.scale : rows.scale * log2_of_e);
  Floats subtracted[R];
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) subtracted[r] = broadcast(rows.subtracted[row + r]);
  for (int r = 0; r < R; ++r) sums[row + r] = 0;
  const std::ptrdiff_t begin = rows.any.first / lanes * lanes;
  for (std::ptrdiff_t k = begin / sum_lanes * sum_lanes; k < rows.any.last;) {
    Floats total[R][sum_vectors] = {};
    const std::ptrdiff_t end = k + most_summed < rows.any.last ? k + most_summed : rows.any.last;
    for (; k < end; k += sum_lanes) {
      ATTNSCOPE_UNROLL
      for (int v = 0; v < sum_vectors; ++v) {
        const std::ptrdiff_t at = k + v * lanes;
        if (sum_vectors == 1 || (at >= begin && at < end))
          weigh_vector<by_sum, drops, R>(rows, row, at, subtracted, scale, total, v);
      }
    }
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) sums[row + r] += sum_of_lanes(total[r]);
  }
}

constexpr int rows_in_step = 3;  // so many have their exponentials in registers

template <bool by_sum, bool drops, int R>
void weigh(const ScoreRows& rows, float* sums) {
  constexpr int step = R < rows_in_step ? R : rows_in_step;
  for (int row = 0; row + step <= R; row += step) weigh_in_step<by_sum, drops, step>(rows, row, sums);
  if constexpr (R % step > 0) weigh_in_step<by_sum, drops, R % step>(rows, R / step * step, sums);
}

void fill_zeros(float* from, const float* to) {
  for (; from < to; ++from) *from = 0;
}

float sum_of(const float* values, std::ptrdiff_t count) {
  float sum = 0;
  for (std::ptrdiff_t k = 0; k < count;) {
    Floats total[sum_vectors] = {};
    const std::ptrdiff_t end = k + most_summed < count ? k + most_summed : count;
    for (; k < end; k += sum_lanes) {
      ATTNSCOPE_UNROLL
      for (int v = 0; v < sum_vectors; ++v) {
        const std::ptrdiff_t at = k + v * lanes;
        total[v] += first_lanes(load(values + at), end - at, 0.0F);
      }
    }
    sum += sum_of_lanes(total);
  }
  return sum;
}

}  // namespace
}  // namespace attnscope
