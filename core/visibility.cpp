#include "core/visibility.h"

#include "core/evaluate.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

// Returns the sum over i in [first, last) of i clamped to 0 and `most`.
double sum_of_clamped(Index first, Index last, Index most) {
  const Index from = std::clamp<Index>(first, 0, most);
  const Index to = std::clamp<Index>(last, from, most);
  const double between = static_cast<double>(to - from) * static_cast<double>(from + to - 1) / 2;
  const Index beyond = std::max<Index>(last - std::max(first, most), 0);
  return between + static_cast<double>(beyond) * static_cast<double>(most);
}

// Returns the shape as (B,H,T_query,T_key), with 1 for each missing axis.
std::array<Index, 4> four_axes(const std::vector<Index>& shape) {
  std::array<Index, 4> all = {1, 1, 1, 1};
  std::copy_backward(shape.begin(), shape.end(), all.end());
  return all;
}

Index within_axis(Index at, Index size) { return size == 1 ? 0 : at; }

}  // namespace

Index query_count(const AttentionConfig& config) { return token_count(config); }

Index key_count(const AttentionConfig& config) {
  return begins_with_heads(config) && config.heads.is_there() ? config.heads.keys.shape()[2] : token_count(config);
}

KeyRange within(const KeyRange& keys, Index first, Index last) {
  return {std::clamp<Index>(keys.first, first, last), std::clamp<Index>(keys.last, first, last)};
}

KeyRange Visibility::of(Index query) const {
  const Index begin = std::clamp<Index>(query + first, 0, keys);
  KeyRange seen{begin, std::clamp(query + last, begin, keys)};
  if (hidden.is_empty()) return seen;
  const std::span<const KeyRange> ranges = hidden.of(query);
  if (ranges.empty()) return seen;
  if (ranges.front().first == 0) seen.first = ranges.front().last;
  if (ranges.back().last == keys) seen.last = std::max(seen.first, Index{ranges.back().first});
  return seen;
}

std::span<const KeyRange> Visibility::gaps(Index query) const {
  std::span<const KeyRange> ranges = hidden.of(query);
  if (!ranges.empty() && ranges.front().first == 0) ranges = ranges.subspan(1);
  if (!ranges.empty() && ranges.back().last == keys) ranges = ranges.first(ranges.size() - 1);
  return ranges;
}

KeyRange Visibility::of_any(Index first_query, Index count) const {
  if (count <= 0) return {};
  if (hidden.is_empty()) return {of(first_query).first, of(first_query + count - 1).last};
  KeyRange any{keys, 0};
  for (Index query = first_query; query < first_query + count; ++query) {
    const KeyRange seen = of(query);
    if (!seen.is_empty()) any = {std::min(any.first, seen.first), std::max(any.last, seen.last)};
  }
  return any.is_empty() ? KeyRange{} : any;
}

Index Visibility::count(Index query) const {
  Index seen = of(query).count();
  for (const KeyRange& gap : gaps(query)) seen -= gap.count();
  return seen;
}

bool Visibility::hides(Index query, Index key) const {
  const std::span<const KeyRange> all = gaps(query);
  const auto gap = std::ranges::partition_point(all, [key](const KeyRange& each) { return each.last <= key; });
  return !of(query).contains(key) || (gap != all.end() && gap->contains(key));
}

bool Visibility::hides_any(Index queries) const {
  const KeyRange all{0, keys};
  if (hidden.range_count() > 0) return true;
  return queries > 0 && (of(0) != all || of(queries - 1) != all);
}

double Visibility::pairs(Index first_query, Index last_query) const {
  if (!hidden.is_empty()) {
    double seen = 0;
    for (Index query = first_query; query < last_query; ++query) seen += static_cast<double>(count(query));
    return seen;
  }
  return sum_of_clamped(first_query + last, last_query + last, keys) -
         sum_of_clamped(first_query + first, last_query + first, keys);
}

Index Visibility::first_query_of(Index key) const {
  if (hidden.is_empty()) return std::max<Index>(key + 1 - last, 0);
  Index query = 0;
  while (query < hidden.queries() && of(query).last <= key) ++query;
  return query;
}

Visibility visibility(const AttentionConfig& config) {
  Visibility seen{.keys = key_count(config)};
  if (config.mask == MaskRoute::custom) {
    seen.hidden = config.hidden;
  } else if (config.mask != MaskRoute::none) {
    seen.last = 1 + mask_size(config).own_key(0);
    if (config.sliding_window) seen.first = seen.last - *config.sliding_window;
  }
  return seen;
}

Visibility visibility(const AttentionConfig& config, Stage stage) {
  if (!is_query_by_key(info(stage).axes)) return {};
  if (has_stage(config, Stage::mask) && depends_on(config, stage, Stage::mask)) return visibility(config);
  return {.keys = key_count(config)};
}

Index key_value_head(const AttentionConfig& config, Index head) {
  return head * key_value_heads(config) / std::max<Index>(1, head_count(config));
}

Index key_value_matrix(const AttentionConfig& config, Index matrix) {
  const Index heads = head_count(config);
  return matrix / heads * key_value_heads(config) + key_value_head(config, matrix % heads);
}

MaskSize mask_size(const AttentionConfig& config) {
  return {query_count(config), key_count(config), config.mask_alignment};
}

HiddenKeys hidden_keys(const AttentionConfig& config) {
  const Visibility seen = visibility(config);
  std::vector<std::vector<KeyRange>> queries(static_cast<std::size_t>(query_count(config)));
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for_each_hidden(seen, static_cast<Index>(query), 0, seen.keys,
                    [&](const KeyRange& keys) { queries[query].push_back(keys); });
  }
  return HiddenKeys(std::move(queries));
}

bool sees_nothing(const AttentionConfig& config, Stage stage, Index matrix, Index query) {
  const Visibility seen = visibility(config, stage);
  if (seen.of(query).is_empty()) return true;
  if (!has_bias(config) || !depends_on(config, stage, Stage::biased_scores)) return false;
  const std::span<const float> row = Bias(config).row(matrix, query);
  const auto hides = [](float number) { return std::isinf(number); };
  if (std::ssize(row) < seen.keys) return hides(row.front());
  bool hides_all = true;
  for_each_seen(seen, query, 0, seen.keys, [&](const KeyRange& keys) {
    hides_all = hides_all && std::all_of(row.begin() + keys.first, row.begin() + keys.last, hides);
  });
  return hides_all;
}

Bias::Bias(const AttentionConfig& config, Index first_matrix, Index first_query)
    : numbers_(&config.bias),
      shape_(four_axes(config.bias.shape())),
      heads_(head_count(config)),
      first_matrix_(first_matrix),
      first_query_(first_query) {}

std::span<const float> Bias::row(Index matrix, Index query) const {
  const Index of_all = first_matrix_ + matrix;
  const Index batch = within_axis(of_all / heads_, shape_[0]);
  const Index head = within_axis(of_all % heads_, shape_[1]);
  return numbers_->row((batch * shape_[1] + head) * shape_[2] + within_axis(first_query_ + query, shape_[2]));
}

float Bias::at(Index matrix, Index query, Index key) const {
  return row(matrix, query)[static_cast<std::size_t>(within_axis(key, shape_[3]))];
}

// Edited masks.

namespace {

using Ranges = std::vector<KeyRange>;

// Makes a mask of so many queries; ranges_of(query) returns the hidden ranges of each.
template <typename RangesOf>
HiddenKeys made(Index queries, const RangesOf& ranges_of) {
  std::vector<Ranges> all;
  all.reserve(static_cast<std::size_t>(std::max<Index>(queries, 0)));
  for (Index query = 0; query < queries; ++query) all.push_back(ranges_of(query));
  return HiddenKeys(std::move(all));
}

Ranges ranges_of(const HiddenKeys& hidden, Index query) {
  const std::span<const KeyRange> ranges = hidden.of(query);
  return {ranges.begin(), ranges.end()};
}

// Returns all keys outside a range.
Ranges all_but(const KeyRange& seen, Index keys) { return {{0, std::min(seen.first, keys)}, {seen.last, keys}}; }

// Returns whether no query of a square mask sees a key behind its own.
bool hides_all_later(const HiddenKeys& hidden) {
  for (Index query = 0; query + 1 < hidden.queries(); ++query) {
    const std::span<const KeyRange> ranges = hidden.of(query);
    if (ranges.empty() || ranges.back().first > query + 1 || ranges.back().last < hidden.queries()) return false;
  }
  return hidden.queries() > 1;
}

}  // namespace

HiddenKeys hide_outside_window(const MaskSize& size, Index window, bool is_causal) {
  return made(size.queries, [&](Index query) {
    const Index own = size.own_key(query);
    const Index last = std::max<Index>(own + (is_causal ? 1 : window), 0);
    return all_but({own + 1 - window, last}, size.keys);
  });
}

HiddenKeys hide_other_blocks(const MaskSize& size, std::span<const Index> starts, bool is_causal) {
  std::vector<Index> edges = {0, size.keys};
  edges.insert(edges.end(), starts.begin(), starts.end());
  std::ranges::sort(edges);
  return made(size.queries, [&](Index query) {
    const Index own = std::clamp<Index>(size.own_key(query), 0, size.keys - 1);
    const auto next = std::ranges::upper_bound(edges, own);
    return all_but({*std::prev(next), is_causal ? std::max<Index>(size.own_key(query) + 1, 0) : *next}, size.keys);
  });
}

HiddenKeys with_first_visible(const HiddenKeys& hidden) {
  return made(hidden.queries(), [&](Index query) {
    Ranges ranges = ranges_of(hidden, query);
    if (!ranges.empty()) ranges.front().first = std::max<Index>(ranges.front().first, 1);
    return ranges;
  });
}

HiddenKeys with_hidden_from(const HiddenKeys& hidden, const MaskSize& size, Index first_key) {
  return made(size.queries, [&](Index query) {
    Ranges ranges = ranges_of(hidden, query);
    ranges.push_back({first_key, size.keys});
    return ranges;
  });
}

HiddenKeys with_cell(const HiddenKeys& hidden, Index query, Index key, bool is_hidden) {
  return made(hidden.queries(), [&](Index each) {
    Ranges ranges = ranges_of(hidden, each);
    if (each != query) return ranges;
    if (is_hidden) {
      ranges.push_back({key, key + 1});
      return ranges;
    }
    const auto around = std::ranges::find_if(ranges, [&](const KeyRange& range) { return range.contains(key); });
    if (around == ranges.end()) return ranges;
    const KeyRange behind{key + 1, around->last};
    around->last = key;
    ranges.push_back(behind);
    return ranges;
  });
}

HiddenKeys with_tokens(const HiddenKeys& hidden, Index position, Index count) {
  const Index total = hidden.queries() + count;
  const bool is_causal = hides_all_later(hidden);
  return made(total, [&](Index query) {
    Ranges ranges;
    if (is_causal) ranges.push_back({query + 1, total});
    if (query >= position && query < position + count) return ranges;
    for (const KeyRange& range : hidden.of(query < position ? query : query - count)) {
      ranges.push_back({range.first, std::min(range.last, position)});
      ranges.push_back({std::max(range.first, position) + count, range.last + count});
    }
    return ranges;
  });
}

HiddenKeys without_tokens(const HiddenKeys& hidden, Index position, Index count) {
  const auto moved = [&](Index key) { return key <= position ? key : std::max(position, key - count); };
  return made(hidden.queries() - count, [&](Index query) {
    Ranges ranges = ranges_of(hidden, query < position ? query : query + count);
    for (KeyRange& range : ranges) range = {moved(range.first), moved(range.last)};
    return ranges;
  });
}

}  // namespace attnscope
