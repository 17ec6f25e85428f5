#include "core/dropout_bits.h"

#include "core/kernels/select.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace attnscope {

namespace {

constexpr std::uint64_t modulus = congruential_modulus;

// multiplier^(digit * 256^place) mod modulus: a jump of any length is a product of four of them.
constexpr auto jumps = [] {
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  std::uint64_t step = congruential_multiplier;
  for (auto& place : table) {
    std::uint64_t power = 1;
    for (std::uint32_t& entry : place) {
      entry = static_cast<std::uint32_t>(power);
      power = power * step % modulus;
    }
    step = power;
  }
  return table;
}();

void fill_mkl(std::span<std::uint64_t> bits, Index count, std::uint32_t start, std::uint32_t threshold,
              const Execution& execution) {
  constexpr Index block = Index{1} << 17;
  for_each_block(execution, (count + block - 1) / block, [&](Index i) {
    const Index first = i * block;
    kernels().mkl_bits(bits.data() + first / word_bits, std::min(block, count - first),
                       mkl_element(start, static_cast<std::uint64_t>(first)), threshold);
  });
}

}  // namespace

std::uint32_t mkl_start(Generator& generator) {
  return std::max<std::uint32_t>(next_word(generator) % congruential_modulus, 1);
}

std::uint32_t mkl_element(std::uint32_t start, std::uint64_t index) {
  index %= modulus - 1;  // by Fermat's theorem the stream begins again there
  std::uint64_t element = start;
  for (const auto& place : jumps) {
    element = element * place[index & 255] % modulus;
    index >>= 8;
  }
  return static_cast<std::uint32_t>(element);
}

std::uint32_t mkl_threshold(double keep) {
  std::uint32_t kept = 0;  // the largest x that is known to be kept, if any is
  std::uint32_t dropped = congruential_modulus;
  while (kept + 1 < dropped) {
    const std::uint32_t middle = kept + (dropped - kept) / 2;
    (static_cast<double>(middle) / static_cast<double>(modulus) < keep ? kept : dropped) = middle;
  }
  return dropped;
}

std::uint64_t standard_threshold(double keep) { return static_cast<std::uint64_t>(std::ceil(keep * 0x1p53)); }

// By one thread: the words of the generator follow one from the other, and to share out what is left, tempering and
// comparing them, would take longer than it saves.
void draw_standard_bits(std::span<std::uint64_t> bits, Index count, MersenneTwister& engine, std::uint64_t threshold,
                        const Execution& execution) {
  // elements of 8 whole states, which fit the nearest cache, and of 39 words of bits
  constexpr Index block = 4 * twister_words;
  static_assert(block % word_bits == 0);
  std::array<std::uint32_t, words_per_draw * block> raw;
  for_each_piece(execution, count, block, [&](Index first, Index size) {
    engine.draw_raw(std::span(raw).first(words_per_draw * static_cast<std::size_t>(size)));
    kernels().standard_bits(bits.data() + first / word_bits, size, raw.data(), threshold);
  });
}

void fill_equal_bits(std::span<std::uint64_t> bits, Index count, bool is_set) {
  const std::size_t words = words_of_bits(count);
  std::fill_n(bits.begin(), words, is_set ? ~std::uint64_t{0} : 0);
  if (is_set && count % word_bits != 0) bits[words - 1] >>= word_bits - count % word_bits;
}

void copy_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> from, Index first, Index count) {
  const std::size_t words = words_of_bits(count);
  const auto begin = static_cast<std::size_t>(first / word_bits);
  const int shift = static_cast<int>(first % word_bits);
  assert((count == 0 || begin + words < from.size()) && "a word behind the last one is read");
  const std::uint64_t* const low = from.data() + begin;
  for (std::size_t i = 0; i < words; ++i) to[i] = low[i] >> shift | low[i + 1] << 1 << (word_bits - 1 - shift);
  if (count % word_bits != 0) to[words - 1] &= ~std::uint64_t{0} >> (word_bits - count % word_bits);
}

void fill_dropout_bits(std::span<std::uint64_t> bits, Index count, Generator& generator, double rate,
                       DropoutKernel kernel, const Execution& execution) {
  assert(rate >= 0 && rate <= 1 && "a dropout rate is a probability");
  assert(bits.size() >= words_of_bits(count) && "there is a bit for every element");
  if (rate == 0 || rate == 1) return fill_equal_bits(bits, count, rate == 0);
  const double keep = 1.0 - rate;
  if (kernel == DropoutKernel::mkl) {
    fill_mkl(bits, count, mkl_start(generator), mkl_threshold(keep), execution);
  } else {
    draw_standard_bits(bits, count, generator.engine, standard_threshold(keep), execution);
  }
}

}  // namespace attnscope
