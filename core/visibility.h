#pragma once

#include "core/hidden_keys.h"
#include "core/key_range.h"
#include "core/stage.h"
#include "core/tensor.h"

#include <algorithm>
#include <span>

namespace attnscope {

struct AttentionConfig;

// Rows and columns of scores: T_query and T_key.
Index query_count(const AttentionConfig& config);
Index key_count(const AttentionConfig& config);

// Returns the keys that are among [first, last).
KeyRange within(const KeyRange& keys, Index first, Index last);

// The keys that each query sees: those from query + first on and before query + last, of the keys that there are, or
// all but those that an edited mask hides. A plain value, for those who draw or count cells and know no configuration;
// it hides nothing unless it is told to.
struct Visibility {
  static constexpr Index unbounded = Index{1} << 40;

  Index keys = unbounded;    // T_key
  Index first = -unbounded;  // relative to the query; at most `last`
  Index last = unbounded;
  HiddenKeys hidden = {};  // of an edited mask; then first and last are unbounded

  // From the first to the last key that the query sees; empty where it sees none.
  KeyRange of(Index query) const;
  // Returns the keys between them that it does not see, in ascending order.
  std::span<const KeyRange> gaps(Index query) const;
  // From the first to the last key that any of these queries sees.
  KeyRange of_any(Index first_query, Index count) const;
  Index count(Index query) const;  // of the keys that it sees
  bool hides(Index query, Index key) const;
  bool hides_any(Index queries) const;  // of the first so many queries
  // Pairs of a query and a key that it sees, of the queries [first_query, last_query).
  double pairs(Index first_query, Index last_query) const;
  // The first query that sees this key or one after it.
  Index first_query_of(Index key) const;
  auto operator<=>(const Visibility&) const = default;
};

// Calls work(keys) for the ranges of keys among [first, last) that a query sees, in ascending order, and for those that
// are hidden from it.
template <typename Work>
void for_each_seen(const Visibility& visibility, Index query, Index first, Index last, const Work& work) {
  KeyRange left = within(visibility.of(query), first, last);
  const std::span<const KeyRange> gaps = visibility.gaps(query);
  const auto first_gap =
      std::ranges::partition_point(gaps, [&](const KeyRange& gap) { return gap.last <= left.first; });
  for (auto at = first_gap; at != gaps.end() && at->first < left.last; ++at) {
    const KeyRange& gap = *at;
    if (gap.first > left.first) work(KeyRange{left.first, gap.first});
    left.first = std::min<Index>(gap.last, left.last);
  }
  if (!left.is_empty()) work(left);
}
template <typename Work>
void for_each_hidden(const Visibility& visibility, Index query, Index first, Index last, const Work& work) {
  Index next = first;
  for_each_seen(visibility, query, first, last, [&](const KeyRange& keys) {
    if (keys.first > next) work(KeyRange{next, keys.first});
    next = keys.last;
  });
  if (next < last) work(KeyRange{next, last});
}

// Returns the keys that the mask lets the queries see, whether it acts before or after softmax; every key where there
// is no mask.
Visibility visibility(const AttentionConfig& config);
// Returns the keys that are not hidden in the rows of a stage, as minus infinity, 0, or in the mask itself. Scores
// before the mask, and dropout factors, which are drawn for every cell, have nothing hidden.
Visibility visibility(const AttentionConfig& config, Stage stage);
MaskSize mask_size(const AttentionConfig& config);
HiddenKeys hidden_keys(const AttentionConfig& config);  // what it hides, as an edited mask says it
// Whether mask and bias leave a query no key in a matrix of a stage of weights: these are 0, where PyTorch has NaN.
bool sees_nothing(const AttentionConfig& config, Stage stage, Index matrix, Index query);

// The head of keys and values that a head of queries reads; and its matrix among those of keys or values, from that
// among those of queries.
Index key_value_head(const AttentionConfig& config, Index head);
Index key_value_matrix(const AttentionConfig& config, Index matrix);

}  // namespace attnscope
