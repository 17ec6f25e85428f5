#include "core/block_keys.h"

#include "core/dropout_bits.h"
#include "core/dropout_mask.h"

#include <algorithm>

namespace attnscope {

namespace {

Index words_of(const AttentionConfig& config) { return blocks_of(key_count(config), 64); }

bool has_hidden_bits(const AttentionConfig& config) { return config.mask == MaskRoute::custom; }

void set_bits(std::span<std::uint64_t> words, const KeyRange& range) {
  for (Index key = range.first; key < range.last;) {
    const Index end = std::min<Index>(range.last, (key / 64 + 1) * 64);
    const std::uint64_t ones = end - key == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - key)) - 1;
    words[static_cast<std::size_t>(key / 64)] |= ones << (key % 64);
    key = end;
  }
}

}  // namespace

std::size_t BlockKeys::bits_size(const AttentionConfig& config) {
  const Index kinds = (dropout_is_active(config) ? 1 : 0) + (has_hidden_bits(config) ? 1 : 0);
  return static_cast<std::size_t>(kinds * words_of(config) * block_queries);
}

BlockKeys::BlockKeys(const Result& result, Index matrix, Index first_query, Index count, std::uint64_t* bits)
    : words_(words_of(result.config)) {
  const Visibility seen = visibility(result.config);
  bool has_gaps = false;
  for (Index row = 0; row < count; ++row) {
    visible_[static_cast<std::size_t>(row)] = seen.of(first_query + row);
    has_gaps = has_gaps || !seen.gaps(first_query + row).empty();
  }
  const std::size_t size = static_cast<std::size_t>(count * words_);
  if (result.dropout) {
    read_kept({bits, size}, result, matrix, first_query);
    bits += size;
  }
  if (has_gaps) read_hidden({bits, size}, seen, first_query);
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
  task.kept = kept_;
  task.kept_stride = words_;
  task.kept_factor = kept_factor_;
  task.hidden = hidden_;
  task.hidden_stride = words_;
}

}  // namespace attnscope
