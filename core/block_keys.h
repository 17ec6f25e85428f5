#pragma once

#include "core/evaluate.h"
#include "core/kernels/kernels.h"
#include "core/visibility.h"

#include <array>
#include <span>

namespace attnscope {

constexpr Index block_queries = 96;  // of one head, attended to in one go; a multiple of every tile

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
  std::array<KeyRange, block_queries> read_;  // by softmax; only where it differs
  bool has_read_ = false;
  Index words_ = 0;                        // of a row of bits
  const std::uint64_t* kept_ = nullptr;    // weights that survive dropout, of those that no mask hides
  const float* bias_ = nullptr;            // added to the scores: as many numbers a row as there are bits
  const std::uint64_t* hidden_ = nullptr;  // keys that an edited mask hides
  float kept_factor_ = 1;
};

}  // namespace attnscope
