#include "core/dropout_mask.h"

#include <algorithm>

namespace attnscope {

namespace {

// Intel MKL's MCG31m1 generator.
constexpr std::uint64_t modulus = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t multiplier = 1132489760;

// multiplier^exponent mod modulus: a jump of that many steps.
std::uint64_t jump(std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t power = multiplier; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * power % modulus;
    power = power * power % modulus;
  }
  return result;
}

std::uint64_t set_bit(Index k) { return std::uint64_t{1} << (k % 64); }

std::size_t word_of(Index k) { return static_cast<std::size_t>(k / 64); }

bool draws_head_by_head(const AttentionConfig& config) {
  return head_count(config) > 1 && !info(config.mechanism).splits_heads;
}

bool draws_nothing(const AttentionConfig& config) { return !dropout_is_active(config) || config.dropout >= 1; }

}  // namespace

DropoutMask::DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution)
    : tokens_(token_count(config)),
      heads_(draws_head_by_head(config) ? head_count(config) : 1),
      batch_size_(config.batch_size),
      keep_(dropout_is_active(config) ? 1 - config.dropout : 1) {
  factor_ = keep_ > 0 ? 1.0F / static_cast<float>(keep_) : 0.0F;
  if (draws_nothing(config)) return;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    for (Index call = 0; call < heads_; ++call) {
      states_.push_back(std::max<std::uint64_t>(next_word(generator) % modulus, 1));
    }
    return;
  }
  const Index matrices = config.batch_size * head_count(config);
  const Index size = matrices * tokens_ * tokens_;
  bits_.resize(word_of(size + 63));
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  for (Index i = 0; i < size; ++i) {
    if (i % 65536 == 0 && execution.stop.stop_requested()) throw Cancelled{};
    const double uniform = static_cast<double>(next_double_word(generator) & mantissa) * 0x1p-53;
    if (uniform < keep_) bits_[word_of(i)] |= set_bit(i);
  }
}

std::uint64_t DropoutMask::element(Index matrix, Index query) const {
  const Index batch_entry = matrix / heads_;
  // mkl starts each call anew; the other kernel's calls follow one another
  const Index before = states_.empty() ? matrix % heads_ * batch_size_ : 0;
  return static_cast<std::uint64_t>(((before + batch_entry) * tokens_ + query) * tokens_);
}

void DropoutMask::row_bits(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key,
                           Index count) const {
  std::fill_n(bits.begin(), word_of(count + 63), 0);
  const std::uint64_t first = element(matrix, query) + static_cast<std::uint64_t>(first_key);
  if (!states_.empty()) {
    std::uint64_t state = states_[static_cast<std::size_t>(matrix % heads_)] * jump(first) % modulus;
    for (Index k = 0; k < count; ++k) {
      const double uniform = static_cast<double>(state) / static_cast<double>(modulus);
      if (uniform < keep_) bits[word_of(k)] |= set_bit(k);
      state = state * multiplier % modulus;
    }
    return;
  }
  for (Index k = 0; k < count; ++k) {
    const auto i = static_cast<Index>(first) + k;
    const bool is_kept = bits_.empty() ? keep_ > 0 : (bits_[word_of(i)] & set_bit(i)) != 0;
    if (is_kept) bits[word_of(k)] |= set_bit(k);
  }
}

std::uint64_t DropoutMask::bytes() const { return (states_.size() + bits_.size()) * sizeof(std::uint64_t); }

}  // namespace attnscope
