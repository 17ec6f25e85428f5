#include "core/visibility.h"

#include "core/evaluate.h"

#include <algorithm>

namespace attnscope {

namespace {

// The sum of i, from 0 to `most` at the least and the most, over i in [first, last).
double sum_of_clamped(Index first, Index last, Index most) {
  const Index from = std::clamp<Index>(first, 0, most);
  const Index to = std::clamp<Index>(last, from, most);
  const double between = static_cast<double>(to - from) * static_cast<double>(from + to - 1) / 2;
  const Index beyond = std::max<Index>(last - std::max(first, most), 0);
  return between + static_cast<double>(beyond) * static_cast<double>(most);
}

}  // namespace

Index query_count(const AttentionConfig& config) { return token_count(config); }

Index key_count(const AttentionConfig& config) { return token_count(config); }

KeyRange within(const KeyRange& keys, Index first, Index last) {
  return {std::clamp<Index>(keys.first, first, last), std::clamp<Index>(keys.last, first, last)};
}

KeyRange Visibility::of(Index query) const {
  const Index begin = std::clamp<Index>(query + first, 0, keys);
  return {begin, std::clamp(query + last, begin, keys)};
}

KeyRange Visibility::of_any(Index first_query, Index count) const {
  if (count <= 0) return {};
  return {of(first_query).first, of(first_query + count - 1).last};
}

bool Visibility::hides_any(Index queries) const {
  const KeyRange all{0, keys};
  return queries > 0 && (of(0) != all || of(queries - 1) != all);
}

double Visibility::pairs(Index first_query, Index last_query) const {
  return sum_of_clamped(first_query + last, last_query + last, keys) -
         sum_of_clamped(first_query + first, last_query + first, keys);
}

Index Visibility::first_query_of(Index key) const { return std::max<Index>(key + 1 - last, 0); }

Visibility visibility(const AttentionConfig& config) {
  Visibility seen{.keys = key_count(config)};
  if (config.mask != MaskRoute::none) seen.last = 1;
  return seen;
}

Visibility visibility(const AttentionConfig& config, Stage stage) {
  if (!is_query_by_key(info(stage).axes)) return {};
  if (has_stage(config, Stage::mask) && depends_on(config, stage, Stage::mask)) return visibility(config);
  return {.keys = key_count(config)};
}

Index key_value_matrix(const AttentionConfig& config, Index matrix) {
  const Index heads = head_count(config);
  return matrix / heads * heads + key_value_head(config, matrix % heads);
}

KeyRange visible(const AttentionConfig& config, Index query) { return visibility(config).of(query); }

}  // namespace attnscope
