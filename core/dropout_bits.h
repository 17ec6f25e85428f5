#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

#include <cstdint>
#include <span>

namespace attnscope {

// The weights that fill_dropout_factors() keeps, as bits, and the steps that make them. Everything is decided by whole
// numbers: a draw is kept where it is below a threshold.

// Bit i of bits[i/64] is 1 where element i of `count` is kept; zeros up to the end of the last word. The same draws as
// fill_dropout_factors(), the mkl ones by all threads. Throws Cancelled, which leaves the generator somewhere.
void fill_dropout_bits(std::span<std::uint64_t> bits, Index count, Generator& generator, double rate,
                       DropoutKernel kernel, const Execution& execution);

// 1 in the first `count` bits, 0 up to the end of the last word; or 0 everywhere.
void fill_equal_bits(std::span<std::uint64_t> bits, Index count, bool is_set);

// `count` bits from number `first` on, zeros up to the end of the last word. Reads a word behind the last one it needs.
void copy_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> from, Index first, Index count);

constexpr std::size_t words_of_bits(Index count) { return static_cast<std::size_t>((count + 63) / 64); }

// The congruential stream of the mkl kernel.
std::uint32_t mkl_start(Generator& generator);                        // its first element; draws one word
std::uint32_t mkl_element(std::uint32_t start, std::uint64_t index);  // element `index` of the stream
std::uint32_t mkl_threshold(double keep);                             // smallest x whose x / (2^31 - 1) is not < keep

// The other kernel: an element is kept where 53 bits of two words are below a threshold.
constexpr std::uint64_t words_per_draw = 2;
std::uint64_t standard_threshold(double keep);  // smallest k whose k * 2^-53 is not < keep
// `count` bits of the elements that the engine draws next, zeros up to the end of the last word. Throws Cancelled.
void draw_standard_bits(std::span<std::uint64_t> bits, Index count, MersenneTwister& engine, std::uint64_t threshold,
                        const Execution& execution = {});

}  // namespace attnscope
