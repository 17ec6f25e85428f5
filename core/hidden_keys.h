#pragma once

#include "core/kernels/kernels.h"
#include "core/tensor.h"

#include <compare>
#include <memory>
#include <span>
#include <vector>

namespace attnscope {

enum class MaskRoute {
  none,
  causal,                // minus infinity above the diagonal, before softmax
  causal_after_softmax,  // weights * tril
  causal_renormalized,   // weights * tril, then divided by the row sum
  custom,                // minus infinity where AttentionConfig::hidden says, before softmax
};

// Says beside which key a query stands if keys and queries differ in number. A causal mask shows it the keys up to that
// one.
enum class MaskAlignment {
  lower_right,  // the last query beside the last key
  upper_left,   // the first beside the first
};

// Most ranges of all queries together, so that a file cannot ask for much memory.
constexpr Index max_hidden_ranges = Index{1} << 21;

// The keys that a mask hides from each query, as ranges in ascending order with keys between them. Immutable and
// shared: a copy costs a pointer.
class HiddenKeys {
public:
  HiddenKeys() = default;  // for no query
  // Takes the ranges of each query in any order; they may overlap, and empty ones are left out.
  explicit HiddenKeys(std::vector<std::vector<KeyRange>> queries);

  Index queries() const { return contents_ ? std::ssize(contents_->starts) - 1 : 0; }
  bool is_empty() const { return queries() == 0; }
  Index range_count() const { return contents_ ? std::ssize(contents_->ranges) : 0; }
  std::span<const KeyRange> of(Index query) const;  // none for a query beyond the last

  // Returns the bytes that these keys do not share with the others.
  std::size_t bytes_beyond(const HiddenKeys& other) const;

  friend bool operator==(const HiddenKeys& left, const HiddenKeys& right);
  friend std::strong_ordering operator<=>(const HiddenKeys& left, const HiddenKeys& right);

private:
  struct Contents {
    std::vector<std::size_t> starts;  // ranges of query q: [starts[q], starts[q + 1])
    std::vector<KeyRange> ranges;
  };

  std::shared_ptr<const Contents> contents_;  // null: of no query
};

// Returns the ranges in ascending order, without empty ones, and joined if no key lies between them.
std::vector<KeyRange> merged(std::vector<KeyRange> ranges);

// The size of a mask.
struct MaskSize {
  Index queries = 0;
  Index keys = 0;
  MaskAlignment alignment = MaskAlignment::lower_right;

  Index own_key(Index query) const { return alignment == MaskAlignment::lower_right ? query + keys - queries : query; }
};
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
