#include "core/dropout.h"

#include "core/matrix.h"

#include <algorithm>
#include <cassert>

namespace attnscope {

namespace {

constexpr Index piece_size = Index{1} << 17;  // of about a millisecond

// Writes what becomes of the numbers from 0 to 1 that next() draws, piece by piece.
template <typename Next>
void fill_pieces(std::span<float> out, double keep, const Execution& execution, const Next& next) {
  const float factor = 1.0F / static_cast<float>(keep);
  for_each_piece(execution, static_cast<Index>(out.size()), piece_size, [&](Index first, Index count) {
    for (float& value : out.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)))
      value = next() < keep ? factor : 0.0F;
  });
}

// Intel MKL's MCG31m1 generator, seeded with one word of the Mersenne Twister.
void fill_mkl(std::span<float> out, Generator& generator, double keep, const Execution& execution) {
  constexpr std::uint64_t modulus = (std::uint64_t{1} << 31) - 1;
  constexpr std::uint64_t multiplier = 1132489760;
  std::uint64_t state = next_word(generator) % modulus;
  if (state == 0) state = 1;
  fill_pieces(out, keep, execution, [&] {
    const double uniform = static_cast<double>(state) / static_cast<double>(modulus);
    state = state * multiplier % modulus;
    return uniform;
  });
}

// PyTorch's own kernel: a 53-bit uniform from two words of the Mersenne Twister for each element.
void fill_standard(std::span<float> out, Generator& generator, double keep, const Execution& execution) {
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  fill_pieces(out, keep, execution,
              [&] { return static_cast<double>(next_double_word(generator) & mantissa) * 0x1p-53; });
}

}  // namespace

void fill_dropout_factors(std::span<float> out, Generator& generator, double rate, DropoutKernel kernel,
                          const Execution& execution) {
  assert(rate >= 0 && rate <= 1 && "a dropout rate is a probability");
  if (rate == 0 || rate == 1) {
    std::ranges::fill(out, rate == 0 ? 1.0F : 0.0F);
    return;
  }
  (kernel == DropoutKernel::mkl ? fill_mkl : fill_standard)(out, generator, 1.0 - rate, execution);
}

void fill_dropout_factors(Tensor& factors, const AttentionConfig& config, Generator generator,
                          const Execution& execution) {
  const double rate = dropout_is_active(config) ? config.dropout : 0.0;
  const Index H = head_count(config);
  if (rate == 0 || H == 1 || info(config.mechanism).splits_heads) {
    fill_dropout_factors(factors.values, generator, rate, config.dropout_kernel, execution);
  } else {
    Tensor head({config.batch_size, factors.rows(), factors.cols()});
    for (Index h = 0; h < H; ++h) {
      fill_dropout_factors(head.values, generator, rate, config.dropout_kernel, execution);
      for (Index b = 0; b < config.batch_size; ++b) eigen(factors, b * H + h) = eigen(head, b);
    }
  }
  for (const DropoutEdit& edit : acting_dropout_edits(config)) {
    if (edit.head >= H) continue;
    factors.matrix(edit.batch * H + edit.head)(edit.query, edit.key) =
        edit.keeps ? 1.0F / static_cast<float>(1.0 - rate) : 0.0F;
  }
}

}  // namespace attnscope
