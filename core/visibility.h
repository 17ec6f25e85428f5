#pragma once

#include "core/config.h"
#include "core/kernels/kernels.h"
#include "core/stage.h"
#include "core/tensor.h"

#include <algorithm>
#include <array>
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
  static constexpr Index unbounded = Index{1} << (sizeof(Index) == 8 ? 40 : 29);

  Index keys = unbounded;    // T_key
  Index first = -unbounded;  // relative to the query; at most `last`
  Index last = unbounded;
  HiddenKeys hidden = {};  // an edited mask hides these; then first and last are unbounded

  // Returns the range from the first to the last key that the query sees; empty if it sees none.
  KeyRange of(Index query) const;
  // Returns the keys within that range that it does not see, in ascending order.
  std::span<const KeyRange> gaps(Index query) const;
  // Returns the range from the first to the last key that any of these queries sees.
  KeyRange of_any(Index first_query, Index count) const;
  Index count(Index query) const;  // counts the keys that the query sees
  bool hides(Index query, Index key) const;
  bool hides_any(Index queries) const;  // hides a key from one of queries 0 to queries - 1
  // Counts the pairs of a query of [first_query, last_query) and a key that it sees.
  double pairs(Index first_query, Index last_query) const;
  // Returns the first query that sees this key or one after it.
  Index first_query_of(Index key) const;
  auto operator<=>(const Visibility&) const = default;
};

// Calls work(keys) for each range of keys among [first, last) that a query sees, in ascending order; the second
// function does so for the ranges that are hidden from it.
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
// Returns the keys that the mask hides, in the form of an edited mask.
HiddenKeys hidden_keys(const AttentionConfig& config);
// Returns whether mask and bias hide every key from a query in a matrix of weights. Such a row is 0 here; PyTorch gives
// NaN.
bool sees_nothing(const AttentionConfig& config, Stage stage, Index matrix, Index query);

// Return the head of keys and values that a head of queries reads, and for a matrix of queries, b * H + h, the matrix
// of keys or values that it reads.
Index key_value_head(const AttentionConfig& config, Index head);
Index key_value_matrix(const AttentionConfig& config, Index matrix);

// The numbers that a configuration adds to its scores after scaling and cap, as torch's attn_mask of floats does. They
// broadcast to (B,H,T_query,T_key); minus infinity hides a key. A view of the configuration's own numbers.
class Bias {
public:
  // Callers count matrices and queries from these two of the configuration.
  explicit Bias(const AttentionConfig& config, Index first_matrix = 0, Index first_query = 0);

  // Returns the row of a query in a matrix, b * H + h: a number for each key, or one for all of them.
  std::span<const float> row(Index matrix, Index query) const;
  float at(Index matrix, Index query, Index key) const;

private:
  const SharedTensor* numbers_;
  std::array<Index, 4> shape_;
  Index heads_;
  Index first_matrix_;
  Index first_query_;
};

inline bool has_bias(const AttentionConfig& config) { return config.bias.rank() > 0; }

// Edited masks.

// The size of a mask.
struct MaskSize {
  Index queries = 0;
  Index keys = 0;
  MaskAlignment alignment = MaskAlignment::lower_right;

  Index own_key(Index query) const { return alignment == MaskAlignment::lower_right ? query + keys - queries : query; }
};
MaskSize mask_size(const AttentionConfig& config);
// Hides all but `window` keys up to the query's own, or so many to either side.
HiddenKeys hide_outside_window(const MaskSize& size, Index window, bool is_causal);
// Hides all keys outside the query's own block; blocks begin at key 0 and at `starts`. Hides later keys, too, if
// causal.
HiddenKeys hide_other_blocks(const MaskSize& size, std::span<const Index> starts, bool is_causal);
HiddenKeys with_first_visible(const HiddenKeys& hidden);                                       // every query sees key 0
HiddenKeys with_hidden_from(const HiddenKeys& hidden, const MaskSize& size, Index first_key);  // padding
HiddenKeys with_cell(const HiddenKeys& hidden, Index query, Index key, bool is_hidden);

// Returns the mask after tokens, each a query and a key, were put before `position`, or those from it on were taken
// out. All queries see a new token, and it sees all keys, except later ones if the mask hides all of these.
HiddenKeys with_tokens(const HiddenKeys& hidden, Index position, Index count);
HiddenKeys without_tokens(const HiddenKeys& hidden, Index position, Index count);

}  // namespace attnscope
