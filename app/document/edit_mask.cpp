#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "document/edit_support.h"

namespace attnscope {
namespace {

void set_custom(Document& document, HiddenKeys hidden) {
  Document changed = document;
  changed.config.mask = MaskRoute::custom;
  changed.config.hidden = std::move(hidden);
  replace(document, std::move(changed));
}

void check_amount(Index amount, Index least, Index most, std::string_view what) {
  if (amount >= least && amount <= most) return;
  throw Error("mask", fmt::format("{} is {}, but it must be a whole number from {} to {}.", what, amount, least, most));
}

}  // namespace

void fit_mask(AttentionConfig& config) {
  if (config.mask != MaskRoute::custom) return;
  const Index before = config.hidden.queries();
  const Index now = token_count(config);
  if (now > before) config.hidden = with_tokens(config.hidden, before, now - before);
  if (now < before) config.hidden = without_tokens(config.hidden, now, before - now);
}

void set_mask(Document& document, MaskRoute mask) {
  if (mask == MaskRoute::custom) return set_custom(document, hidden_keys(document.config));
  Document changed = document;
  changed.config.mask = mask;
  changed.config.hidden = {};
  replace(document, std::move(changed));
}

void set_hidden(Document& document, Index query, Index key, bool is_hidden) {
  check_amount(query, 0, query_count(document.config) - 1, "The query");
  check_amount(key, 0, key_count(document.config) - 1, "The key");
  set_custom(document, with_cell(hidden_keys(document.config), query, key, is_hidden));
}

void set_mask_preset(Document& document, const MaskChoice& choice) {
  const MaskSize size = mask_size(document.config);
  switch (choice.preset) {
    case MaskPreset::none:
      return set_mask(document, MaskRoute::none);
    case MaskPreset::causal:
      return set_mask(document, MaskRoute::causal);
    case MaskPreset::window:
      check_amount(choice.amount, 1, size.keys, "The window");
      return set_custom(document, hide_outside_window(size, choice.amount, choice.is_causal));
    case MaskPreset::blocks:
      for (const Index start : choice.starts) check_amount(start, 0, size.keys - 1, "The first token of a block");
      return set_custom(document, hide_other_blocks(size, choice.starts, choice.is_causal));
    case MaskPreset::first_visible:
      return set_custom(document, with_first_visible(hidden_keys(document.config)));
    case MaskPreset::padding:
      check_amount(choice.amount, 0, size.keys, "The number of tokens before the padding");
      return set_custom(document, with_hidden_from(hidden_keys(document.config), size, choice.amount));
  }
}

void remove_bias(Document& document) { document.config.bias = Tensor(); }

// The last query stands at the last key, as under a mask that is aligned so.
void set_distance_bias(Document& document, float slope) {
  constexpr Index most_tokens = 4096;  // 64 MB of numbers
  const Index queries = query_count(document.config);
  const Index keys = key_count(document.config);
  if (std::max(queries, keys) > most_tokens) {
    throw Error("bias", fmt::format("A bias for {} queries and {} keys is too large to be typed: use up to {} tokens.",
                                    queries, keys, most_tokens));
  }
  Tensor bias({queries, keys});
  for (Index query = 0; query < queries; ++query) {
    for (Index key = 0; key < keys; ++key) {
      const Index distance = std::abs(query + keys - queries - key);
      bias.matrix()(query, key) = distance == 0 ? 0 : -slope * static_cast<float>(distance);
    }
  }
  Document changed = document;
  changed.config.bias = std::move(bias);
  replace(document, std::move(changed));
}

}  // namespace attnscope
