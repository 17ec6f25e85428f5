#pragma once

#include "core/kernels/draws.h"

#include <array>
#include <cstdint>
#include <span>

namespace attnscope {

// MT19937: the words of std::mt19937, and many of them at a time.
class MersenneTwister {
public:
  explicit MersenneTwister(std::uint32_t seed);
  bool operator==(const MersenneTwister&) const = default;

  std::uint32_t operator()();
  void discard(std::uint64_t count);
  // The next out.size() words before they are tempered, for kernels that do that themselves.
  void draw_raw(std::span<std::uint32_t> out);

private:
  void next_state();                      // the 624 words after these
  void skip_states(std::uint64_t count);  // those that far ahead

  std::array<std::uint32_t, twister_words> state_{};
  std::size_t position_ = twister_words;  // of the next word; 624: the state is used up
};

}  // namespace attnscope
