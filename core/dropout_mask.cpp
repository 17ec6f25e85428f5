#include "core/dropout_mask.h"

#include "core/dropout_bits.h"
#include "core/kernels/select.h"

namespace attnscope {

namespace {

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
    threshold_ = mkl_threshold(keep_);
    for (Index call = 0; call < heads_; ++call) starts_.push_back(mkl_start(generator));
    return;
  }
  const Index size = config.batch_size * head_count(config) * tokens_ * tokens_;
  grow(bits_, words_of_bits(size) + 1, execution);
  fill_dropout_bits(bits_, size, generator, config.dropout, config.dropout_kernel, execution);
}

Index DropoutMask::element(Index matrix, Index query) const {
  const Index batch_entry = matrix / heads_;
  // mkl starts each call anew; the other kernel's calls follow one another
  const Index before = starts_.empty() ? matrix % heads_ * batch_size_ : 0;
  return ((before + batch_entry) * tokens_ + query) * tokens_;
}

void DropoutMask::row_bits(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key,
                           Index count) const {
  const Index first = element(matrix, query) + first_key;
  if (!starts_.empty()) {
    const std::uint32_t start = starts_[static_cast<std::size_t>(matrix % heads_)];
    kernels().mkl_bits(bits.data(), count, mkl_element(start, static_cast<std::uint64_t>(first)), threshold_);
  } else if (!bits_.empty()) {
    copy_bits(bits, bits_, first, count);
  } else {
    fill_equal_bits(bits, count, keep_ > 0);
  }
}

std::uint64_t DropoutMask::bytes() const {
  return starts_.size() * sizeof(std::uint32_t) + bits_.size() * sizeof(std::uint64_t);
}

}  // namespace attnscope
