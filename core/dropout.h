#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

// Returns the generator in its state before dropout: seeded anew, or as the parameters leave it.
Generator dropout_generator(const AttentionConfig& config, const Generator& after_parameters);

// out[i] is 0 where dropped and 1/(1-rate) where kept: torch.nn.functional.dropout(torch.ones(n), rate), for the kernel
// that the reader's PyTorch uses. Rate 0 gives ones and rate 1 zeros, and neither draws. 0 <= rate <= 1.
// Throws Cancelled when a stop was requested, which leaves the generator somewhere.
void draw_dropout_factors(std::span<float> out, Generator& generator, double rate, DropoutKernel kernel,
                          const Execution& execution = {});

// factors (B,H,T,T) of a configuration: the wrapper's heads drop one after the other, each its (B,T,T) in one call;
// elsewhere one call drops all. Ones where nothing is dropped. What the user keeps or drops comes last. Throws
// Cancelled.
void draw_all_dropout_factors(Tensor& factors, const AttentionConfig& config, Generator generator,
                              const Execution& execution);

// The weights that draw_dropout_factors() keeps, as bits, and the steps that make them. Everything is decided by whole
// numbers: a draw is kept where it is below a threshold.

// Bit i of bits[i/64] is 1 where element i of `count` is kept; zeros up to the end of the last word. The same draws as
// draw_dropout_factors(), the mkl ones by all threads. Throws Cancelled, which leaves the generator somewhere.
void draw_dropout_bits(std::span<std::uint64_t> bits, Index count, Generator& generator, double rate,
                       DropoutKernel kernel, const Execution& execution);

// Writes 1 to the first `count` bits and 0 up to the end of the last word; or 0 everywhere.
void fill_equal_bits(std::span<std::uint64_t> bits, Index count, bool is_set);

// Copies `count` bits from number `first` on, with zeros up to the end of the last word. Reads a word behind the last
// one it needs.
void copy_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> from, Index first, Index count);

constexpr std::size_t words_of_bits(Index count) { return static_cast<std::size_t>((count + 63) / 64); }

// The congruential stream of the mkl kernel, which is Intel MKL's MCG31m1.
std::uint32_t mkl_start(Generator& generator);                        // returns its first element; draws one word
std::uint32_t mkl_element(std::uint32_t start, std::uint64_t index);  // element `index` of the stream
double mkl_uniform(std::uint32_t element);                            // from 0 to 1: what it is compared with
std::uint32_t mkl_threshold(double keep);                             // smallest x whose mkl_uniform(x) is not < keep

// The other kernel: an element is kept where 53 bits of two words are below a threshold.
constexpr std::uint64_t words_per_draw = 2;
std::uint64_t standard_threshold(double keep);  // smallest k whose k * 2^-53 is not < keep
// Writes `count` bits of the elements that the engine draws next, and zeros up to the end of the last word. Throws
// Cancelled.
void draw_standard_bits(std::span<std::uint64_t> bits, Index count, MersenneTwister& engine, std::uint64_t threshold,
                        const Execution& execution = {});

// A mask holds one bit for each weight if the bits fit into this memory. A larger mask holds states of the generator
// some rows apart, and rows between are drawn again when they are read.
constexpr std::uint64_t dropout_mask_bytes = 64ULL << 20;

// The weights that dropout keeps, for all of (B,H,T,T), without a float for each. The same draws as
// draw_all_dropout_factors(): the wrapper's heads drop one after the other, each its (B,T,T) in one call; elsewhere one
// call drops (B,H,T,T). What the user keeps or drops overrides what was drawn.
class DropoutMask {
public:
  // `generator` is in its state before dropout. Throws Cancelled.
  DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution,
              std::uint64_t most_bytes = dropout_mask_bytes);

  float factor() const { return factor_; }  // multiplies a kept weight: 1/(1-rate); 0 at rate 1
  std::uint64_t bytes() const;
  // Returns the memory that a mask of this configuration will take.
  static std::uint64_t bytes_for(const AttentionConfig& config, std::uint64_t most_bytes = dropout_mask_bytes);

private:
  friend class DropoutRows;
  Index element(Index matrix, Index query) const;  // number of the row's first weight, in the order of the draws

  Index queries_ = 0;
  Index keys_ = 0;
  Index matrix_heads_ = 1;  // H
  Index heads_ = 1;         // heads that draw one after the other; 1 if one call draws for all
  Index batch_size_ = 1;
  double keep_ = 1;
  float factor_ = 1;
  std::uint32_t threshold_ = 0;         // mkl: elements below it are kept
  std::vector<std::uint32_t> starts_;   // mkl: each call's first element
  std::vector<std::uint64_t> bits_;     // standard: a bit for every element, and one spare word
  std::vector<MersenneTwister> marks_;  // instead of bits: the generator at every so many elements
  Index mark_distance_ = 0;
  std::uint64_t standard_threshold_ = 0;  // draws below it are kept
  std::vector<DropoutEdit> edits_;        // the user's choices override the draws
};

// Reads a mask row by row. Rows that follow one another, of one matrix and downwards, are drawn without going back to a
// state of the generator for each.
class DropoutRows {
public:
  explicit DropoutRows(const DropoutMask& mask) : mask_(&mask) {}

  // Bit k of bits[k/64] is 1 where the weight (query, first_key + k) of this matrix (b*H+h) is kept; `count` bits are
  // written, and the rest of the last word is 0.
  void read(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count);

private:
  void go_to(Index element);
  void read_drawn(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count);

  const DropoutMask* mask_;
  std::optional<MersenneTwister> engine_;
  Index next_ = 0;  // the element that the generator draws next
};

// factors (1,1,n,T_key) that multiply the weights of matrix b * H + h, from `first_query` on.
void read_dropout_factors(Tensor& factors, const DropoutMask& mask, Index matrix, Index first_query,
                          const Execution& execution);

}  // namespace attnscope
