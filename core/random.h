#pragma once

#include "core/execution.h"
#include "core/kernels/kernels.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace attnscope {

// MT19937: the words of std::mt19937, and many of them at a time.
class MersenneTwister {
public:
  explicit MersenneTwister(std::uint32_t seed);
  bool operator==(const MersenneTwister&) const = default;

  std::uint32_t operator()();
  void discard(std::uint64_t count);
  // Draws the next out.size() words untempered, for kernels that temper them.
  void draw_raw(std::span<std::uint32_t> out);

private:
  void next_state();                      // computes the next 624 words
  void skip_states(std::uint64_t count);  // skips so many blocks of 624 words

  std::array<std::uint32_t, twister_words> state_{};
  std::size_t position_ = twister_words;  // place of the next word; 624: the state is used up
};

// PyTorch's CPU generator: MT19937 seeded with the low 32 bits of the seed, plus the one normal sample that it caches.
struct Generator {
  explicit Generator(std::uint64_t seed) : engine(static_cast<std::uint32_t>(seed)) {}
  bool operator==(const Generator&) const = default;

  MersenneTwister engine;
  std::optional<double> cached_normal;  // the sine half of the last scalar draw
};

std::uint32_t next_word(Generator& generator);
std::uint64_t next_double_word(Generator& generator);  // high half drawn first
double double_uniform(std::uint64_t word);             // in [0, 1), of its 53 low bits

// These throw Cancelled when a stop was requested, which leaves the generator somewhere.

void skip_words(Generator& generator, std::uint64_t count, const Execution& execution = {});

// out[i] in [from, to), one 32-bit word each. torch.rand (0, 1) and Tensor.uniform_(from, to), float32.
void fill_uniform(std::span<float> out, Generator& generator, float from, float to, const Execution& execution = {});

// Standard normal values as torch.randn draws them in float32: fewer than 16 one by one in double with the cached
// second sample, 16 or more by blocks of 16. The bits are those of PyTorch on x86 processors with AVX2; others, whose
// logarithm and cosine come from elsewhere, differ by some 1e-7.
void fill_randn(std::span<float> out, Generator& generator, const Execution& execution = {});
// How many numbers torch.randn transforms at a time, and how many 32-bit words it draws for `count` of them: fewer than
// a block are drawn in pairs, from two uniforms of two words each; of more, each takes a word, and the last block is
// drawn again where the count is no multiple of its size.
inline constexpr Index randn_block = 16;
std::uint64_t words_of_randn(Index count);

// (rows, cols) = torch.nn.init.orthogonal_(torch.empty(rows, cols)): rows are of length 1 and at right angles where
// there are no more of them than columns, else columns are. From torch.randn's numbers, by Householder reflections.
Tensor orthogonal_matrix(Index rows, Index cols, Generator& generator);

}  // namespace attnscope
