#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

// Which weights dropout keeps, for all of (B,H,T,T), without a float for each. The same draws as
// fill_dropout_factors(): the wrapper's heads drop one after the other, each its (B,T,T) in one call; elsewhere one
// call drops (B,H,T,T).
class DropoutMask {
public:
  // `generator` as dropout finds it. Throws Cancelled.
  DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution);

  // Bit k of bits[k/64] is 1 where the weight (query, first_key + k) of this matrix (b*H+h) is kept; `count` bits are
  // written, and the rest of the last word is 0.
  void row_bits(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count) const;
  float factor() const { return factor_; }  // what a kept weight is multiplied by: 1/(1-rate); 0 at rate 1
  std::uint64_t bytes() const;

private:
  Index element(Index matrix, Index query) const;  // of the row's first weight, in the order of the draws

  Index tokens_ = 0;
  Index heads_ = 1;  // that draw one after the other; 1 where one call draws for all
  Index batch_size_ = 1;
  double keep_ = 1;
  float factor_ = 1;
  std::uint32_t threshold_ = 0;        // mkl: elements below it are kept
  std::vector<std::uint32_t> starts_;  // mkl: each call's first element
  std::vector<std::uint64_t> bits_;    // standard: of every element, and one word to read beyond them
};

}  // namespace attnscope
