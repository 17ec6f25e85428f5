#include "core/visibility.h"

#include "core/evaluate.h"

#include <algorithm>

namespace attnscope {

KeyRange Visibility::of(Index query) const {
  const Index begin = std::clamp<Index>(query + first, 0, keys);
  return {begin, std::clamp(query + last, begin, keys)};
}

bool Visibility::hides_any(Index queries) const {
  const KeyRange all{0, keys};
  return queries > 0 && (of(0) != all || of(queries - 1) != all);
}

Visibility visibility(const AttentionConfig& config) {
  Visibility seen{.keys = token_count(config)};
  if (config.mask != MaskRoute::none) seen.last = 1;
  return seen;
}

Visibility visibility(const AttentionConfig& config, Stage stage) {
  if (hides_later_keys(config, stage)) return visibility(config);
  return {.keys = token_count(config)};
}

KeyRange visible(const AttentionConfig& config, Index query) { return visibility(config).of(query); }

}  // namespace attnscope
