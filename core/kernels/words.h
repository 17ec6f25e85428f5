#pragma once

// Vectors of whole numbers for the random draws, beside the floats of simd.h.

#include "core/kernels/simd.h"

#if defined(__SSE4_2__)
#include <immintrin.h>
#endif

namespace attnscope {
namespace {

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
