#include "core/block_keys.h"

#include "core/dropout.h"
#include "core/visibility.h"

#include <algorithm>

namespace attnscope {

namespace {

Index words_of(const AttentionConfig& config) { return blocks_of(key_count(config), 64); }

void set_bits(std::span<std::uint64_t> words, const KeyRange& range) {
  for (Index key = range.first; key < range.last;) {
    const Index end = std::min<Index>(range.last, (key / 64 + 1) * 64);
    const std::uint64_t ones = end - key == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - key)) - 1;
    words[static_cast<std::size_t>(key / 64)] |= ones << (key % 64);
    key = end;
  }
}

}  // namespace

// Counts in floats; two of them hold a word of bits.
std::size_t BlockKeys::scratch_size(const AttentionConfig& config) {
  const Index kept = dropout_is_active(config) ? 2 : 0;
  const Index hidden = config.mask == MaskRoute::custom ? 2 : 0;
  const Index bias = has_bias(config) ? 64 : 0;
  return static_cast<std::size_t>((kept + hidden + bias) * words_of(config) * block_queries);
}

BlockKeys::BlockKeys(const Result& result, Index matrix, Index first_query, Index count, float* scratch)
    : words_(words_of(result.config)) {
  const AttentionConfig& config = result.config;
  const Visibility seen = visibility(config);
  bool has_gaps = false;
  for (Index row = 0; row < count; ++row) {
    visible_.at(static_cast<std::size_t>(row)) = seen.of(first_query + row);
    has_gaps = has_gaps || (!seen.hidden.is_empty() && !seen.gaps(first_query + row).empty());
  }
  const std::size_t words = static_cast<std::size_t>(count * words_);
  const auto take_words = [&] {
    auto* const bits = reinterpret_cast<std::uint64_t*>(scratch);
    scratch += 2 * words;
    return std::span(bits, words);
  };
  if (result.dropout) read_kept(take_words(), result, matrix, first_query);
  if (has_gaps) read_hidden(take_words(), seen, first_query);
  if (has_bias(config)) read_bias({scratch, 64 * words}, config, matrix, first_query);
}

void BlockKeys::read_bias(std::span<float> numbers, const AttentionConfig& config, Index matrix, Index first_query) {
  const Bias bias(config);
  const Index keys = key_count(config);
  const bool masks_weights = has_stage(config, Stage::masked_weights);
  const Stage masked = masks_weights ? Stage::masked_weights : Stage::weights;
  const Index count = std::ssize(numbers) / (64 * words_);
  bias_ = numbers.data();
  has_read_ = true;
  for (Index row = 0; row < count; ++row) {
    const std::span<const float> from = bias.row(matrix, first_query + row);
    float* const to = numbers.data() + row * 64 * words_;
    if (std::ssize(from) == keys) {
      std::ranges::copy(from, to);
    } else {
      std::fill_n(to, keys, from.front());
    }
    std::fill(to + keys, to + 64 * words_, 0.0F);
    const auto at = static_cast<std::size_t>(row);
    if (sees_nothing(config, masked, matrix, first_query + row)) visible_.at(at) = {};
    read_.at(at) = masks_weights ? KeyRange{0, keys} : visible_.at(at);
    if (sees_nothing(config, Stage::weights, matrix, first_query + row)) read_.at(at) = {};
  }
}

void BlockKeys::read_kept(std::span<std::uint64_t> bits, const Result& result, Index matrix, Index first_query) {
  kept_ = bits.data();
  kept_factor_ = result.dropout->factor();
  DropoutRows rows(*result.dropout);
  for (std::size_t row = 0; row * static_cast<std::size_t>(words_) < bits.size(); ++row) {
    const Index last = visible_.at(row).last;
    const auto of_row = bits.subspan(row * static_cast<std::size_t>(words_));
    rows.read(of_row.first(static_cast<std::size_t>(blocks_of(last, 64))), matrix,
              first_query + static_cast<Index>(row), 0, last);
  }
}

void BlockKeys::read_hidden(std::span<std::uint64_t> bits, const Visibility& seen, Index first_query) {
  hidden_ = bits.data();
  std::ranges::fill(bits, 0);
  Index query = first_query;
  for (auto left = bits; !left.empty(); left = left.subspan(static_cast<std::size_t>(words_)), ++query) {
    for (const KeyRange& gap : seen.gaps(query)) set_bits(left, gap);
  }
}

void BlockKeys::put_into(AttendTask& task) const {
  task.visible = visible_.data();
  task.read = has_read_ ? read_.data() : nullptr;
  task.bias = bias_;
  task.bias_stride = 64 * words_;
  task.kept = kept_;
  task.kept_stride = words_;
  task.kept_factor = kept_factor_;
  task.hidden = hidden_;
  task.hidden_stride = words_;
}

}  // namespace attnscope
