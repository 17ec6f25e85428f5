// Rows of numbers: their extremes and sums, and activations. Included once by the file of each instruction set.

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

// value / (1 + exp(-x)) of N vectors, in place.
template <int N>
ATTNSCOPE_INLINE void multiply_with_sigmoids(Floats (&value)[N], const Floats (&x)[N]) {
  Floats power[N];  // exp(-|x|): neither numerator nor denominator can overflow
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) power[i] = broadcast(-log2_of_e) * larger(x[i], -x[i]);
  exp2_of_negative(power);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) value[i] *= (x[i] < Floats{} ? power[i] : broadcast(1.0F)) / (power[i] + 1.0F);
}

template <int N>
ATTNSCOPE_INLINE void swish_vectors(float* numbers, float linear, float cubic) {
  Floats value[N];
  Floats x[N];
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) value[i] = load(numbers + i * lanes);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) x[i] = value[i] * multiply_add(value[i] * cubic, value[i], broadcast(linear));
  multiply_with_sigmoids(value, x);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) store(numbers + i * lanes, value[i]);
}

void swish(float* numbers, std::ptrdiff_t count, float linear, float cubic) {
  constexpr int in_step = 3;  // so many have their exponentials in registers
  std::ptrdiff_t i = 0;
  for (; i + in_step * lanes <= count; i += in_step * lanes) swish_vectors<in_step>(numbers + i, linear, cubic);
  for (; i < count; i += lanes) {
    float last[lanes] = {};
    const std::ptrdiff_t left = count - i < lanes ? count - i : lanes;
    for (std::ptrdiff_t lane = 0; lane < left; ++lane) last[lane] = numbers[i + lane];
    swish_vectors<1>(last, linear, cubic);
    for (std::ptrdiff_t lane = 0; lane < left; ++lane) numbers[i + lane] = last[lane];
  }
}

}  // namespace
}  // namespace attnscope
