#pragma once

#include "core/evaluate.h"
#include "core/kernels/kernels.h"
#include "core/visibility.h"

#include <array>
#include <span>

namespace attnscope {

constexpr Index block_queries = 96;  // queries of one head in a block; a multiple of every tile

// The keys that some queries of one head see, as the kernels read them: ranges, and bits where ranges do not suffice.
class BlockKeys {
public:
  // `count` is at most block_queries. `scratch`: room for scratch_size() floats, which must stay.
  BlockKeys(const Result& result, Index matrix, Index first_query, Index count, float* scratch);

  void put_into(AttendTask& task) const;

  static std::size_t scratch_size(const AttentionConfig& config);

private:
  void read_kept(std::span<std::uint64_t> bits, const Result& result, Index matrix, Index first_query);
  void read_bias(std::span<float> numbers, const AttentionConfig& config, Index matrix, Index first_query);
  void read_hidden(std::span<std::uint64_t> bits, const Visibility& seen, Index first_query);

  std::array<KeyRange, block_queries> visible_;
  std::array<KeyRange, block_queries> read_;  // the keys that softmax reads, if these are others
  bool has_read_ = false;
  Index words_ = 0;                        // 64-bit words in a row of bits
  const std::uint64_t* kept_ = nullptr;    // bits of the visible weights that survive dropout
  const float* bias_ = nullptr;            // added to the scores; a row has as many numbers as bits
  const std::uint64_t* hidden_ = nullptr;  // bits of the keys that an edited mask hides
  float kept_factor_ = 1;
};

}  // namespace attnscope
