#include "core/mersenne_twister.h"

#include "core/kernels/select.h"

#include <algorithm>

namespace attnscope {

namespace {

constexpr auto state_size = static_cast<std::size_t>(twister_words);

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < state_size; ++i) {
    const std::uint32_t before = state_[i - 1];
    state_[i] = 1812433253U * (before ^ before >> 30) + static_cast<std::uint32_t>(i);
  }
}

void MersenneTwister::skip_states(std::uint64_t count) {
  constexpr std::uint64_t most = 8;  // at a time, so that they stay in the nearest cache
  std::array<std::uint32_t, (most + 1) * state_size> words;
  std::ranges::copy(state_, words.begin());
  for (std::uint64_t done = 0; done < count;) {
    const auto states = static_cast<std::size_t>(std::min(most, count - done));
    kernels().twist(words.data(), static_cast<std::ptrdiff_t>(states) * twister_words);
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(states) * twister_words, state_size, words.begin());
    done += states;
  }
  std::copy_n(words.begin(), state_size, state_.begin());
}

void MersenneTwister::next_state() {
  skip_states(1);
  position_ = 0;
}

std::uint32_t MersenneTwister::operator()() {
  if (position_ == state_size) next_state();
  std::uint32_t word = state_[position_++];
  word ^= word >> 11;
  word ^= word << 7 & 0x9d2c5680U;
  word ^= word << 15 & 0xefc60000U;
  return word ^ word >> 18;
}

void MersenneTwister::discard(std::uint64_t count) {
  const std::uint64_t left = state_size - position_;
  if (count <= left) {
    position_ += static_cast<std::size_t>(count);
    return;
  }
  // A state is left only when a word of the next one is wanted, as when words are drawn one by one.
  const std::uint64_t beyond = count - left - 1;
  skip_states(beyond / state_size + 1);
  position_ = static_cast<std::size_t>(beyond % state_size) + 1;
}

void MersenneTwister::draw_raw(std::span<std::uint32_t> out) {
  const auto take = [&](std::size_t count) {
    std::copy_n(state_.begin() + static_cast<std::ptrdiff_t>(position_), count, out.begin());
    position_ += count;
    out = out.subspan(count);
  };
  take(std::min(state_size - position_, out.size()));
  if (out.empty()) return;
  if (const std::size_t states = out.size() / state_size; states > 0) {
    const std::span<std::uint32_t> whole = out.first(states * state_size);
    next_state();
    take(state_size);
    kernels().twist(whole.data(), static_cast<std::ptrdiff_t>(whole.size() - state_size));
    std::ranges::copy(whole.last(state_size), state_.begin());
    out = out.subspan(whole.size() - state_size);
  }
  if (out.empty()) return;
  next_state();
  take(out.size());
}

}  // namespace attnscope
