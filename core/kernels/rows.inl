// Extremes and sums of rows of numbers. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/simd.h"

namespace attnscope {
namespace {

typedef float HalfFloats __attribute__((vector_size(lanes * 2)));
typedef float LooseHalfFloats __attribute__((vector_size(lanes * 2), aligned(4), may_alias));
typedef double Doubles __attribute__((vector_size(lanes * 4)));

// The extremes of a row so far.
struct Seen {
  Floats low = broadcast(__builtin_inff());
  Floats high = broadcast(-__builtin_inff());
  Doubles sum[2] = {};

  ATTNSCOPE_INLINE void add(const float* values) {
    constexpr std::int32_t exponent = 0x7F800000;  // all ones where a number is not finite
    const Floats value = load(values);
    const Ints is_finite = (reinterpret_cast<Ints>(value) & exponent) != exponent;
    const Floats for_low = is_finite ? value : low;
    const Floats for_high = is_finite ? value : high;
    low = for_low < low ? for_low : low;
    high = larger(for_high, high);
    float finite[lanes];
    store(finite, is_finite ? value : Floats{});
    ATTNSCOPE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const HalfFloats part = *reinterpret_cast<const LooseHalfFloats*>(finite + half * (lanes / 2));
      sum[half] += __builtin_convertvector(part, Doubles);
    }
  }
};

RowNumbers row_numbers(const float* row, std::ptrdiff_t count) {
  Seen seen;
  std::ptrdiff_t i = 0;
  for (; i + lanes <= count; i += lanes) seen.add(row + i);
  if (i < count) {
    float last[lanes];
    for (int lane = 0; lane < lanes; ++lane) last[lane] = i + lane < count ? row[i + lane] : __builtin_nanf("");
    seen.add(last);
  }
  RowNumbers numbers{seen.low[0], seen.high[0], 0};
  for (int lane = 0; lane < lanes; ++lane) {
    if (seen.low[lane] < numbers.low) numbers.low = seen.low[lane];
    if (seen.high[lane] > numbers.high) numbers.high = seen.high[lane];
  }
  const Doubles sum = seen.sum[0] + seen.sum[1];
  for (int lane = 0; lane < lanes / 2; ++lane) numbers.sum += sum[lane];
  return numbers;
}

}  // namespace
}  // namespace attnscope
