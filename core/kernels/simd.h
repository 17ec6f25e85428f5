#pragma once

// Vectors of the widest kind that the file is compiled for, by the compiler's vector extensions; intrinsics only where
// those fall short. Everything has internal linkage: each instruction set has its own.

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace attnscope {
namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX2__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif

typedef float Floats __attribute__((vector_size(lanes * 4)));
typedef std::int32_t Ints __attribute__((vector_size(lanes * 4)));
typedef float LooseFloats __attribute__((vector_size(lanes * 4), aligned(4), may_alias));

// Every instruction set adds the numbers of a row in sixteen lanes, so that those which round a * b + c once give the
// same bits, and the others give the same bits as each other.
constexpr int sum_lanes = 16;
constexpr int sum_vectors = sum_lanes / lanes;

#define ATTNSCOPE_INLINE inline __attribute__((always_inline))
#define ATTNSCOPE_UNROLL _Pragma("GCC unroll 32")

ATTNSCOPE_INLINE Floats load(const float* from) { return *reinterpret_cast<const LooseFloats*>(from); }
ATTNSCOPE_INLINE void store(float* to, Floats value) { *reinterpret_cast<LooseFloats*>(to) = value; }

ATTNSCOPE_INLINE Floats broadcast(float value) {
#if defined(__AVX512F__)
  return _mm512_set1_ps(value);
#elif defined(__AVX2__)
  return _mm256_set1_ps(value);
#else
  return Floats{value, value, value, value};
#endif
}

// a * b + c, rounded once where the processor can.
ATTNSCOPE_INLINE Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

// The larger of both; `b` where one of them is NaN.
ATTNSCOPE_INLINE Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}

ATTNSCOPE_INLINE Floats square_root(Floats value) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(value);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(value);
#else
  Floats root{};
  for (int i = 0; i < lanes; ++i) root[i] = __builtin_sqrtf(value[i]);
  return root;
#endif
}

ATTNSCOPE_INLINE Ints lane_numbers() {
#if defined(__AVX512F__)
  return Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif defined(__AVX2__)
  return Ints{0, 1, 2, 3, 4, 5, 6, 7};
#else
  return Ints{0, 1, 2, 3};
#endif
}

// value in the first `count` lanes (any number, also negative or beyond), `other` behind them.
ATTNSCOPE_INLINE Floats first_lanes(Floats value, std::ptrdiff_t count, float other) {
  const std::int32_t limit = count < 0 ? 0 : count > lanes ? lanes : static_cast<std::int32_t>(count);
  return lane_numbers() < limit ? value : broadcast(other);
}

// value in the lanes [begin, end) (any numbers), `other` elsewhere.
ATTNSCOPE_INLINE Floats lanes_between(Floats value, std::ptrdiff_t begin, std::ptrdiff_t end, float other) {
  const std::int32_t low = begin < 0 ? 0 : begin > lanes ? lanes : static_cast<std::int32_t>(begin);
  const std::int32_t high = end < 0 ? 0 : end > lanes ? lanes : static_cast<std::int32_t>(end);
  return ((lane_numbers() > low - 1) & (high > lane_numbers())) ? value : broadcast(other);
}

// value in the lanes whose bit is set, 0 elsewhere.
ATTNSCOPE_INLINE Floats lanes_of_bits(Floats value, std::uint32_t bits) {
#if defined(__AVX512F__)
  return _mm512_maskz_mov_ps(static_cast<__mmask16>(bits), value);
#else
  const Ints lane_bit = (Ints{} + 1) << lane_numbers();
  return (static_cast<std::int32_t>(bits) & lane_bit) != 0 ? value : Floats{};
#endif
}

// Lane i of the result is lane i + d of the value, for i < d.
template <int d>
ATTNSCOPE_INLINE Floats lanes_from(Floats value) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(value, value, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d, 4 ^ d, 5 ^ d, 6 ^ d, 7 ^ d, 8 ^ d, 9 ^ d,
                                 10 ^ d, 11 ^ d, 12 ^ d, 13 ^ d, 14 ^ d, 15 ^ d);
#elif defined(__AVX2__)
  if constexpr (d == 4) return _mm256_castps128_ps256(_mm256_extractf128_ps(value, 1));
  return __builtin_shufflevector(value, value, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d, 4 ^ d, 5 ^ d, 6 ^ d, 7 ^ d);
#else
  return __builtin_shufflevector(value, value, 0 ^ d, 1 ^ d, 2 ^ d, 3 ^ d);
#endif
}

template <int distance = lanes / 2>
ATTNSCOPE_INLINE float sum_of_lanes(Floats value) {
  value += lanes_from<distance>(value);
  if constexpr (distance > 1) return sum_of_lanes<distance / 2>(value);
  return value[0];
}

// The sum of sixteen lanes, in the same order for every length of a vector.
ATTNSCOPE_INLINE float sum_of_lanes(Floats (&value)[sum_vectors]) {
  ATTNSCOPE_UNROLL
  for (int half = sum_vectors / 2; half > 0; half /= 2) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < half; ++v) value[v] += value[v + half];
  }
  return sum_of_lanes(value[0]);
}

// Treats NaN as larger() does.
template <int distance = lanes / 2>
ATTNSCOPE_INLINE float largest_lane(Floats value) {
  value = larger(value, lanes_from<distance>(value));
  if constexpr (distance > 1) return largest_lane<distance / 2>(value);
  return value[0];
}

constexpr float log2_of_e = 1.44269504088896341F;

// x = 2^x for x <= 0, exactly 0 below -126.5; relative error below 2.2e-7. NaN stays NaN. The polynomial is the minimax
// one of 2^f on [-1/2, 1/2]. Several vectors take each step together, because each step waits for the one before it.
template <int N>
ATTNSCOPE_INLINE void exp2_of_negative(Floats (&x)[N]) {
  constexpr float factors[] = {0.00967554096F, 0.0555071309F, 0.240221202F, 0.693146944F, 1.00000012F};
  const Floats magic = broadcast(12583039.0F);  // 1.5 * 2^23 + 127: leaves the rounded exponent in the low bits
  Floats shifted[N];
  Floats power[N];
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) x[i] = larger(broadcast(-127.0F), x[i]);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) shifted[i] = x[i] + magic;
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) x[i] = x[i] - (shifted[i] - magic);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) power[i] = broadcast(0.00132764725F);
  ATTNSCOPE_UNROLL
  for (const float factor : factors) {
    ATTNSCOPE_UNROLL
    for (int i = 0; i < N; ++i) power[i] = multiply_add(power[i], x[i], broadcast(factor));
  }
  ATTNSCOPE_UNROLL
  for (int i = 0; i < N; ++i) x[i] = power[i] * reinterpret_cast<Floats>(reinterpret_cast<Ints>(shifted[i]) << 23);
}

}  // namespace
}  // namespace attnscope
