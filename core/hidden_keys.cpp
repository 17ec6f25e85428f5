#include "core/hidden_keys.h"

#include <algorithm>
#include <utility>

namespace attnscope {

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

std::strong_ordering compare(const KeyRange& left, const KeyRange& right) {
  const std::strong_ordering by_first = left.first <=> right.first;
  return by_first == 0 ? left.last <=> right.last : by_first;
}

// Returns whether no query of a square mask sees a key behind its own.
bool hides_all_later(const HiddenKeys& hidden) {
  for (Index query = 0; query + 1 < hidden.queries(); ++query) {
    const std::span<const KeyRange> ranges = hidden.of(query);
    if (ranges.empty() || ranges.back().first > query + 1 || ranges.back().last < hidden.queries()) return false;
  }
  return hidden.queries() > 1;
}

}  // namespace

Ranges merged(Ranges ranges) {
  std::erase_if(ranges, [](const KeyRange& range) { return range.is_empty(); });
  std::ranges::sort(ranges, [](const KeyRange& left, const KeyRange& right) { return left.first < right.first; });
  Ranges apart;
  for (const KeyRange& range : ranges) {
    if (apart.empty() || range.first > apart.back().last) {
      apart.push_back(range);
    } else {
      apart.back().last = std::max(apart.back().last, range.last);
    }
  }
  return apart;
}

HiddenKeys::HiddenKeys(std::vector<Ranges> queries) {
  Contents contents{{0}, {}};
  contents.starts.reserve(queries.size() + 1);
  for (Ranges& query : queries) {
    const Ranges ranges = merged(std::exchange(query, {}));
    contents.ranges.insert(contents.ranges.end(), ranges.begin(), ranges.end());
    contents.starts.push_back(contents.ranges.size());
  }
  contents_ = std::make_shared<const Contents>(std::move(contents));
}

std::span<const KeyRange> HiddenKeys::of(Index query) const {
  if (query < 0 || query >= queries()) return {};
  const auto at = static_cast<std::size_t>(query);
  return std::span(contents_->ranges).subspan(contents_->starts[at], contents_->starts[at + 1] - contents_->starts[at]);
}

std::size_t HiddenKeys::bytes_beyond(const HiddenKeys& other) const {
  if (!contents_ || contents_ == other.contents_) return 0;
  return contents_->ranges.size() * sizeof(KeyRange) + contents_->starts.size() * sizeof(std::size_t);
}

bool operator==(const HiddenKeys& left, const HiddenKeys& right) { return (left <=> right) == 0; }

std::strong_ordering operator<=>(const HiddenKeys& left, const HiddenKeys& right) {
  if (left.contents_ == right.contents_) return std::strong_ordering::equal;
  if (!left.contents_ || !right.contents_) return left.queries() <=> right.queries();
  const auto& a = *left.contents_;
  const auto& b = *right.contents_;
  if (a.starts != b.starts) return a.starts <=> b.starts;
  return std::lexicographical_compare_three_way(a.ranges.begin(), a.ranges.end(), b.ranges.begin(), b.ranges.end(),
                                                compare);
}

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
