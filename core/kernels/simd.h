#pragma once

// Vectors of the widest kind that the file is compiled for, by the compiler's vector extensions; intrinsics only where
// those fall short. Everything has internal linkage: each instruction set has its own.

#include <cstddef>
#include <cstdint>

#if defined(__SSE4_2__)
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

// Vectors of whole numbers, for the random draws.

typedef std::uint32_t Words __attribute__((vector_size(lanes * 4)));
typedef std::uint64_t Wide __attribute__((vector_size(lanes * 4)));  // two words a lane, the first one low
typedef std::uint32_t LooseWords __attribute__((vector_size(lanes * 4), aligned(4), may_alias));

ATTNSCOPE_INLINE Words load_words(const std::uint32_t* from) { return *reinterpret_cast<const LooseWords*>(from); }
ATTNSCOPE_INLINE void store_words(std::uint32_t* to, Words value) { *reinterpret_cast<LooseWords*>(to) = value; }
ATTNSCOPE_INLINE Words broadcast_word(std::uint32_t value) { return Words{} + value; }

// Whole products of the words with even numbers.
ATTNSCOPE_INLINE Wide multiply_even(Words a, Words b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Wide>(_mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Wide>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE4_2__)
  return reinterpret_cast<Wide>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  constexpr std::uint64_t low_half = 0xffffffff;
  return (reinterpret_cast<Wide>(a) & low_half) * (reinterpret_cast<Wide>(b) & low_half);
#endif
}

ATTNSCOPE_INLINE Words smaller(Words a, Words b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(_mm512_min_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_min_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE4_2__)
  return reinterpret_cast<Words>(_mm_min_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}

#if defined(__AVX512F__)
// In a register of its own: GCC 12 may otherwise spill the 16 bits of a mask and read 64 back.
ATTNSCOPE_INLINE std::uint64_t bits_of_mask(std::uint32_t mask) {
  asm("" : "+r"(mask));
  return mask;
}
#endif

// Bit i says whether a[i] < b[i]; both are below 2^31.
ATTNSCOPE_INLINE std::uint64_t bits_less(Words a, Words b) {
#if defined(__AVX512F__)
  return bits_of_mask(_mm512_cmplt_epu32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(
      _mm256_movemask_ps(reinterpret_cast<__m256>(reinterpret_cast<Ints>(a) < reinterpret_cast<Ints>(b))));
#elif defined(__SSE4_2__)
  const Ints is_less = reinterpret_cast<Ints>(a) < reinterpret_cast<Ints>(b);
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(is_less)));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= std::uint64_t{a[i] < b[i]} << i;
  return bits;
#endif
}

// Does this for words of 64 bits, both below 2^63.
ATTNSCOPE_INLINE std::uint64_t bits_less_wide(Wide a, Wide b) {
#if defined(__AVX512F__)
  return bits_of_mask(_mm512_cmplt_epu64_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  const __m256i is_less = _mm256_cmpgt_epi64(reinterpret_cast<__m256i>(b), reinterpret_cast<__m256i>(a));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(is_less)));
#elif defined(__SSE4_2__)
  const __m128i is_less = _mm_cmpgt_epi64(reinterpret_cast<__m128i>(b), reinterpret_cast<__m128i>(a));
  return static_cast<std::uint32_t>(_mm_movemask_pd(reinterpret_cast<__m128d>(is_less)));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < lanes / 2; ++i) bits |= std::uint64_t{a[i] < b[i]} << i;
  return bits;
#endif
}

// a * b + c rounded once on every processor.
ATTNSCOPE_INLINE Floats multiply_add_once(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__) || defined(__AVX2__)
  return multiply_add(a, b, c);
#else
  Floats result{};
  for (int i = 0; i < lanes; ++i) result[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return result;
#endif
}

}  // namespace
}  // namespace attnscope
