#pragma once

#include "core/key_range.h"
#include "core/stage.h"
#include "core/tensor.h"

namespace attnscope {

struct AttentionConfig;

// Rows and columns of scores: T_query and T_key.
Index query_count(const AttentionConfig& config);
Index key_count(const AttentionConfig& config);

// Those of the keys that are among [first, last).
KeyRange within(const KeyRange& keys, Index first, Index last);

// Which keys each query sees: those from query + first on and before query + last, of the keys that there are. A plain
// value, for those who draw or count cells and know no configuration; it hides nothing unless it is told to.
struct Visibility {
  static constexpr Index unbounded = Index{1} << 40;

  Index keys = unbounded;    // T_key
  Index first = -unbounded;  // relative to the query; at most `last`
  Index last = unbounded;

  KeyRange of(Index query) const;
  // From the first to the last key that any of these queries sees.
  KeyRange of_any(Index first_query, Index count) const;
  bool hides(Index query, Index key) const { return !of(query).contains(key); }
  bool hides_any(Index queries) const;  // of the first so many queries
  // Pairs of a query and a key that it sees, of the queries [first_query, last_query).
  double pairs(Index first_query, Index last_query) const;
  // The first query that sees this key or one after it.
  Index first_query_of(Index key) const;
  auto operator<=>(const Visibility&) const = default;
};

// What the mask lets the queries see, whether it acts before or after softmax; every key where there is no mask.
Visibility visibility(const AttentionConfig& config);
// What is not hidden in the rows of a stage: minus infinity, 0, or the mask itself. Scores before the mask, and dropout
// factors, which are drawn for every cell, have nothing hidden.
Visibility visibility(const AttentionConfig& config, Stage stage);
KeyRange visible(const AttentionConfig& config, Index query);

// The head of keys and values that a head of queries reads; and its matrix among those of keys or values, from that
// among those of queries.
inline Index key_value_head(const AttentionConfig&, Index head) { return head; }
Index key_value_matrix(const AttentionConfig& config, Index matrix);

}  // namespace attnscope
