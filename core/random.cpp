#include "core/random.h"

#include "core/kernels/select.h"
#include "core/tensor.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {

namespace {

constexpr auto block_size = static_cast<std::size_t>(randn_block);

// A piece takes about a millisecond.
constexpr Index skipped_piece = Index{1} << 23;
constexpr Index uniform_piece = Index{1} << 19;
constexpr Index normal_piece = Index{1} << 16;
static_assert(normal_piece % static_cast<Index>(block_size) == 0);

// One standard normal value in double, by Box and Muller; its twin waits in the generator for the next call.
double next_normal(Generator& generator) {
  if (generator.cached_normal) {
    const double cached = *generator.cached_normal;
    generator.cached_normal.reset();
    return cached;
  }
  const double v1 = double_uniform(next_double_word(generator));
  const double v2 = double_uniform(next_double_word(generator));
  const double radius = std::sqrt(-2.0 * std::log1p(-v2));
  const double angle = 2.0 * std::numbers::pi * v1;
  generator.cached_normal = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// Draws out.size() words, tempers them and scales them to fractions.
void draw_uniforms(std::span<float> out, Generator& generator, float from, float to) {
  constexpr std::size_t most =
      6 * static_cast<std::size_t>(twister_words);  // drawn at a time, so that they stay in the nearest cache
  std::array<std::uint32_t, most> raw;
  while (!out.empty()) {
    const std::size_t count = std::min(most, out.size());
    generator.engine.draw_raw(std::span(raw).first(count));
    // (tempered word & (2^24 - 1)) * 2^-24 * (to - from) + from, rounded once at the end: PyTorch's kernels are
    // compiled with fused multiply-add
    kernels().uniforms(out.data(), static_cast<std::ptrdiff_t>(count), raw.data(), from, to - from);
    out = out.subspan(count);
  }
}

// A piece of a longer span.
std::span<float> piece_of(std::span<float> all, Index first, Index count) {
  return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

constexpr auto state_size = static_cast<std::size_t>(twister_words);

}  // namespace

std::uint32_t next_word(Generator& generator) { return generator.engine(); }

std::uint64_t next_double_word(Generator& generator) {
  const std::uint64_t high = next_word(generator);
  return high << 32 | next_word(generator);
}

double double_uniform(std::uint64_t word) {
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  return static_cast<double>(word & mantissa) * 0x1p-53;
}

void skip_words(Generator& generator, std::uint64_t count, const Execution& execution) {
  for_each_piece(execution, static_cast<Index>(count), skipped_piece,
                 [&](Index, Index words) { generator.engine.discard(static_cast<std::uint64_t>(words)); });
}

void fill_uniform(std::span<float> out, Generator& generator, float from, float to, const Execution& execution) {
  for_each_piece(execution, static_cast<Index>(out.size()), uniform_piece,
                 [&](Index first, Index count) { draw_uniforms(piece_of(out, first, count), generator, from, to); });
}

std::uint64_t words_of_randn(Index count) {
  constexpr Index words_of_two = 4;
  if (count < randn_block) return static_cast<std::uint64_t>(blocks_of(count, 2) * words_of_two);
  return static_cast<std::uint64_t>(count + (count % randn_block == 0 ? 0 : randn_block));
}

void fill_randn(std::span<float> out, Generator& generator, const Execution& execution) {
  if (out.size() < block_size) {
    for (float& value : out) value = static_cast<float>(next_normal(generator));
    return;
  }
  for_each_piece(execution, static_cast<Index>(out.size()), normal_piece, [&](Index first, Index count) {
    const std::span<float> piece = piece_of(out, first, count);
    draw_uniforms(piece, generator, 0.0F, 1.0F);
    kernels().normals(piece.data(), static_cast<std::ptrdiff_t>(piece.size() / block_size));
  });
  if (out.size() % block_size != 0) {
    const std::span<float> last = out.last(block_size);  // overlaps the block before it, and is drawn afresh
    draw_uniforms(last, generator, 0.0F, 1.0F);
    kernels().normals(last.data(), 1);
  }
}

Tensor orthogonal_matrix(Index rows, Index cols, Generator& generator) {
  Tensor drawn({rows, cols});
  fill_randn(drawn.values, generator);
  const Index longer = std::max(rows, cols);
  const Index shorter = std::min(rows, cols);
  const Eigen::MatrixXf tall = rows < cols ? Eigen::MatrixXf(eigen(drawn).transpose()) : Eigen::MatrixXf(eigen(drawn));
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(tall);
  Eigen::MatrixXf orthogonal = qr.householderQ() * Eigen::MatrixXf::Identity(longer, shorter);
  // Makes the diagonal of R positive, as PyTorch does, so that the result depends on the numbers alone.
  for (Index i = 0; i < shorter; ++i) {
    if (qr.matrixQR()(i, i) < 0) orthogonal.col(i) *= -1;
  }
  Tensor result({rows, cols});
  if (rows < cols) {
    eigen(result) = orthogonal.transpose();
  } else {
    eigen(result) = orthogonal;
  }
  return result;
}

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < state_size; ++i) {
    const std::uint32_t before = state_[i - 1];
    state_[i] = 1812433253U * (before ^ before >> 30) + static_cast<std::uint32_t>(i);
  }
}

void MersenneTwister::skip_states(std::uint64_t count) {
  constexpr std::uint64_t most = 8;  // so many at a time stay in the nearest cache
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
