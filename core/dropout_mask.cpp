#include "core/dropout_mask.h"

#include "core/dropout_bits.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>

namespace attnscope {

namespace {

bool draws_head_by_head(const AttentionConfig& config) {
  return head_count(config) > 1 && !info(config.mechanism).splits_heads;
}

bool draws_nothing(const AttentionConfig& config) {
  return !dropout_is_active(config) || config.dropout <= 0 || config.dropout >= 1;
}

// At the most: so many rows are passed over, on the way to one of them, in a fraction of a millisecond.
constexpr std::uint64_t most_rows_apart = 64;

// How the standard kernel's draws are kept.
struct ViewMode {
  ViewMode(const AttentionConfig& config, std::uint64_t most_bytes) {
    const auto rows = static_cast<std::uint64_t>(config.batch_size * head_count(config) * query_count(config));
    words = words_of_bits(static_cast<Index>(rows) * key_count(config)) + 1;
    if (words * sizeof(std::uint64_t) <= most_bytes) return;
    const std::uint64_t fitting = std::max<std::uint64_t>(most_bytes / sizeof(MersenneTwister), 1);
    rows_apart = std::clamp<std::uint64_t>((rows + fitting - 1) / fitting, 1, most_rows_apart);
    marks = (rows + rows_apart - 1) / rows_apart;
  }
  std::uint64_t bytes() const { return marks > 0 ? marks * sizeof(MersenneTwister) : words * sizeof(std::uint64_t); }

  std::uint64_t words = 0;  // of bits, with one to read beyond them
  std::uint64_t rows_apart = 0;
  std::uint64_t marks = 0;  // states of the generator instead of bits; 0 where there are bits
};

}  // namespace

DropoutMask::DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution,
                         std::uint64_t most_bytes)
    : queries_(query_count(config)),
      keys_(key_count(config)),
      matrix_heads_(head_count(config)),
      heads_(draws_head_by_head(config) ? head_count(config) : 1),
      batch_size_(config.batch_size),
      keep_(dropout_is_active(config) ? 1 - config.dropout : 1) {
  factor_ = keep_ > 0 ? 1.0F / static_cast<float>(keep_) : 0.0F;
  const std::span<const DropoutEdit> edits = acting_dropout_edits(config);
  edits_.assign(edits.begin(), edits.end());
  if (draws_nothing(config)) return;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    threshold_ = mkl_threshold(keep_);
    for (Index call = 0; call < heads_; ++call) starts_.push_back(mkl_start(generator));
    return;
  }
  const ViewMode layout(config, most_bytes);
  if (layout.marks == 0) {
    grow(bits_, layout.words, execution);
    const Index size = config.batch_size * head_count(config) * queries_ * keys_;
    fill_dropout_bits(bits_, size, generator, config.dropout, config.dropout_kernel, execution);
    return;
  }
  standard_threshold_ = standard_threshold(keep_);
  mark_distance_ = static_cast<Index>(layout.rows_apart) * keys_;
  marks_.reserve(layout.marks);
  for_each_piece(execution, static_cast<Index>(layout.marks), 1, [&](Index, Index) {
    marks_.push_back(generator.engine);
    generator.engine.discard(words_per_draw * static_cast<std::uint64_t>(mark_distance_));
  });
}

Index DropoutMask::element(Index matrix, Index query) const {
  const Index batch_entry = matrix / heads_;
  // mkl starts each call anew; the other kernel's calls follow one another
  const Index before = starts_.empty() ? matrix % heads_ * batch_size_ : 0;
  return ((before + batch_entry) * queries_ + query) * keys_;
}

std::uint64_t DropoutMask::bytes() const {
  return starts_.size() * sizeof(std::uint32_t) + bits_.size() * sizeof(std::uint64_t) +
         marks_.size() * sizeof(MersenneTwister) + edits_.size() * sizeof(DropoutEdit);
}

std::uint64_t DropoutMask::bytes_for(const AttentionConfig& config, std::uint64_t most_bytes) {
  const std::uint64_t edits = acting_dropout_edits(config).size() * sizeof(DropoutEdit);
  if (draws_nothing(config)) return edits;
  if (config.dropout_kernel == DropoutKernel::standard) return edits + ViewMode(config, most_bytes).bytes();
  const Index calls = draws_head_by_head(config) ? head_count(config) : 1;
  return edits + static_cast<std::uint64_t>(calls) * sizeof(std::uint32_t);
}

void DropoutRows::read(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count) {
  read_drawn(bits, matrix, query, first_key, count);
  const Index heads = mask_->matrix_heads_;
  for (const DropoutEdit& edit : in_row(mask_->edits_, matrix / heads, matrix % heads, query)) {
    const Index bit = edit.key - first_key;
    if (bit < 0 || bit >= count) continue;
    const std::uint64_t place = std::uint64_t{1} << bit % word_bits;
    std::uint64_t& word = bits[static_cast<std::size_t>(bit / word_bits)];
    word = edit.keeps ? word | place : word & ~place;
  }
}

void DropoutRows::read_drawn(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count) {
  const DropoutMask& mask = *mask_;
  const Index first = mask.element(matrix, query) + first_key;
  if (!mask.starts_.empty()) {
    const std::uint32_t start = mask.starts_[static_cast<std::size_t>(matrix % mask.heads_)];
    kernels().mkl_bits(bits.data(), count, mkl_element(start, static_cast<std::uint64_t>(first)), mask.threshold_);
  } else if (!mask.bits_.empty()) {
    copy_bits(bits, mask.bits_, first, count);
  } else if (!mask.marks_.empty()) {
    go_to(first);
    draw_standard_bits(bits, count, *engine_, mask.standard_threshold_);
    next_ = first + count;
  } else {
    fill_equal_bits(bits, count, mask.keep_ > 0);
  }
}

// From the last mark before it, unless the generator stands between that and the element already.
void DropoutRows::go_to(Index element) {
  const Index mark = element / mask_->mark_distance_;
  const Index marked = mark * mask_->mark_distance_;
  if (!engine_ || next_ > element || next_ < marked) {
    engine_ = mask_->marks_[static_cast<std::size_t>(mark)];
    next_ = marked;
  }
  engine_->discard(words_per_draw * static_cast<std::uint64_t>(element - next_));
  next_ = element;
}

void fill_dropout_factors(Tensor& factors, const DropoutMask& mask, Index matrix, Index first_query,
                          const Execution& execution) {
  constexpr Index rows_at_once = 64;
  const Index rows = factors.rows();
  for_each_block(execution, blocks_of(rows, rows_at_once), [&](Index block) {
    DropoutRows kept(mask);
    std::vector<std::uint64_t> bits(words_of_bits(factors.cols()));
    for (Index row = block * rows_at_once; row < std::min(rows, (block + 1) * rows_at_once); ++row) {
      kept.read(bits, matrix, first_query + row, 0, factors.cols());
      const std::span<float> out = factors.matrix(0).row(row);
      for (std::size_t key = 0; key < out.size(); ++key)
        out[key] = (bits[key / word_bits] >> (key % word_bits) & 1) != 0 ? mask.factor() : 0.0F;
    }
  });
}

}  // namespace attnscope
