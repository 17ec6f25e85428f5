// Random draws in bulk: whole numbers only, so that every instruction set gives the same. Included once by the file of
// each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/simd.h"
#include "core/kernels/tile.h"

namespace attnscope {
namespace {

// Lane i holds multiplier^i: one product takes a state to as many elements as a word of the mask has bits.
struct Powers {
  constexpr Powers() {
    std::uint64_t power = 1;
    for (std::uint32_t& value : values) {
      value = static_cast<std::uint32_t>(power);
      power = power * congruential_multiplier % congruential_modulus;
    }
    next = static_cast<std::uint32_t>(power);
  }
  std::uint32_t values[word_bits] = {};
  std::uint32_t next = 0;  // multiplier^64
};

constexpr Powers powers;

// a * b mod 2^31 - 1 for a and b in (0, 2^31 - 1). b is doubled before, which puts the two parts of the product that
// are to be added, its upper and its lower 31 bits, into separate halves of 64.
ATTNSCOPE_INLINE Words multiply_modulo(Words a, Words b) {
  const Words doubled = b + b;
  const Wide even = multiply_even(a, doubled);
  const Wide odd = multiply_even(reinterpret_cast<Words>(reinterpret_cast<Wide>(a) >> 32),
                                 reinterpret_cast<Words>(reinterpret_cast<Wide>(doubled) >> 32));
  const Words upper = reinterpret_cast<Words>((even >> 32) | (odd & ~std::uint64_t{0xffffffff}));
  const Words lower = reinterpret_cast<Words>((even & std::uint64_t{0xffffffff}) | (odd << 32)) >> 1;
  const Words sum = upper + lower;
  return smaller(sum, sum - congruential_modulus);
}

std::uint64_t first_bits(std::ptrdiff_t count) { return (std::uint64_t{1} << count) - 1; }

void mkl_bits(std::uint64_t* bits, std::ptrdiff_t count, std::uint32_t state, std::uint32_t threshold) {
  constexpr int vectors = word_bits / lanes;
  const Words limit = broadcast_word(threshold);
  const Words step = broadcast_word(powers.next);
  Words states[vectors];
  ATTNSCOPE_UNROLL
  for (int v = 0; v < vectors; ++v) {
    states[v] = multiply_modulo(load_words(powers.values + v * lanes), broadcast_word(state));
  }
  for (; count > 0; count -= word_bits) {
    std::uint64_t word = 0;
    ATTNSCOPE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      word |= bits_less(states[v], limit) << (v * lanes);
      states[v] = multiply_modulo(states[v], step);
    }
    *bits++ = count < word_bits ? word & first_bits(count) : word;
  }
}

// One step of MT19937: the new word from two neighbours and the word between them and the new one.
ATTNSCOPE_INLINE Words twisted(Words upper, Words lower, Words between) {
  const Words mixed = (upper & 0x80000000U) | (lower & 0x7fffffffU);
  return between ^ (mixed >> 1) ^ ((Words{} - (lower & 1U)) & 0x9908b0dfU);
}

// Written behind the words that it reads, never over them, so that a vector needs no care at the end of the 624.
void twist(std::uint32_t* words, std::ptrdiff_t count) {
  for (std::ptrdiff_t n = 0; n < count; n += lanes) {
    const std::uint32_t* const from = words + n;
    store_words(words + n + twister_words,
                twisted(load_words(from), load_words(from + 1), load_words(from + twister_shift)));
  }
}

ATTNSCOPE_INLINE Words tempered(Words y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

// Bits of the elements whose two words each these are, the high half first.
ATTNSCOPE_INLINE std::uint64_t standard_bits_of(Words raw, Wide limit) {
  const Wide pair = reinterpret_cast<Wide>(tempered(raw));
  const Wide mantissa = ((pair << 32) | (pair >> 32)) & ((std::uint64_t{1} << 53) - 1);
  return bits_less_wide(mantissa, limit);
}

void standard_bits(std::uint64_t* bits, std::ptrdiff_t count, const std::uint32_t* raw, std::uint64_t threshold) {
  constexpr int elements = lanes / 2;  // of a vector
  const Wide limit = Wide{} + threshold;
  for (; count >= word_bits; count -= word_bits, raw += 2 * word_bits) {
    std::uint64_t word = 0;
    ATTNSCOPE_UNROLL
    for (int first = 0; first < word_bits; first += elements) {
      word |= standard_bits_of(load_words(raw + 2 * first), limit) << first;
    }
    *bits++ = word;
  }
  if (count == 0) return;
  std::uint32_t rest[2 * word_bits] = {};
  for (std::ptrdiff_t i = 0; i < 2 * count; ++i) rest[i] = raw[i];
  std::uint64_t word = 0;
  for (int first = 0; first < word_bits; first += elements) {
    word |= standard_bits_of(load_words(rest + 2 * first), limit) << first;
  }
  *bits = word & first_bits(count);
}

ATTNSCOPE_INLINE Floats uniform(Words raw, Floats width, Floats from) {
  const Ints mantissa = reinterpret_cast<Ints>(tempered(raw) & 0x00ffffffU);
  const Floats unit = __builtin_convertvector(mantissa, Floats) * 0x1p-24F;
  return multiply_add_once(unit, width, from);
}

void uniforms(float* out, std::ptrdiff_t count, const std::uint32_t* raw, float from, float width) {
  const Floats offset = broadcast(from);
  const Floats factor = broadcast(width);
  std::ptrdiff_t i = 0;
  for (; i + lanes <= count; i += lanes) store(out + i, uniform(load_words(raw + i), factor, offset));
  if (i == count) return;
  std::uint32_t rest[lanes] = {};
  float last[lanes];
  for (std::ptrdiff_t k = i; k < count; ++k) rest[k - i] = raw[k];
  store(last, uniform(load_words(rest), factor, offset));
  for (std::ptrdiff_t k = i; k < count; ++k) out[k] = last[k - i];
}

}  // namespace
}  // namespace attnscope
