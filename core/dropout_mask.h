#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

// Memory for what tells which weights dropout keeps: a bit for each of them as long as these fit, else states of the
// generator some rows apart, from which the rows between are drawn again when they are read.
constexpr std::uint64_t dropout_mask_bytes = 64ULL << 20;

// The weights that dropout keeps, for all of (B,H,T,T), without a float for each. The same draws as
// fill_dropout_factors(): the wrapper's heads drop one after the other, each its (B,T,T) in one call; elsewhere one
// call drops (B,H,T,T). What the user keeps or drops overrides what was drawn.
class DropoutMask {
public:
  // `generator` as dropout finds it. Throws Cancelled.
  DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution,
              std::uint64_t most_bytes = dropout_mask_bytes);

  float factor() const { return factor_; }  // what a kept weight is multiplied by: 1/(1-rate); 0 at rate 1
  std::uint64_t bytes() const;
  // Returns the memory that a mask of this configuration will take.
  static std::uint64_t bytes_for(const AttentionConfig& config, std::uint64_t most_bytes = dropout_mask_bytes);

private:
  friend class DropoutRows;
  Index element(Index matrix, Index query) const;  // of the row's first weight, in the order of the draws

  Index queries_ = 0;
  Index keys_ = 0;
  Index matrix_heads_ = 1;  // H
  Index heads_ = 1;         // that draw one after the other; 1 where one call draws for all
  Index batch_size_ = 1;
  double keep_ = 1;
  float factor_ = 1;
  std::uint32_t threshold_ = 0;         // mkl: elements below it are kept
  std::vector<std::uint32_t> starts_;   // mkl: each call's first element
  std::vector<std::uint64_t> bits_;     // standard: of every element, and one word to read beyond them
  std::vector<MersenneTwister> marks_;  // or the generator at every so many elements
  Index mark_distance_ = 0;
  std::uint64_t standard_threshold_ = 0;  // draws below it are kept
  std::vector<DropoutEdit> edits_;        // what the user set instead of what was drawn
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
  Index next_ = 0;  // element that it draws next
};

// factors (1,1,n,T_key): what the weights of matrix b * H + h are multiplied by, from `first_query` on.
void fill_dropout_factors(Tensor& factors, const DropoutMask& mask, Index matrix, Index first_query,
                          const Execution& execution);

}  // namespace attnscope
