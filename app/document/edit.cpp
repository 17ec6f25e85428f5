#include "document/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/visibility.h"

namespace attnscope {

namespace {

Tensor transposed(const SharedTensor& tensor) {
  Tensor result({tensor.cols(), tensor.rows()});
  for (Index row = 0; row < tensor.rows(); ++row) {
    const std::span<const float> numbers = tensor.row(row);
    for (Index col = 0; col < tensor.cols(); ++col) result.matrix()(col, row) = numbers[static_cast<std::size_t>(col)];
  }
  return result;
}

const std::vector<Index>* shape_of(const std::vector<ParameterShape>& shapes, const std::string& name) {
  const auto found = std::ranges::find(shapes, name, &ParameterShape::name);
  return found == shapes.end() ? nullptr : &found->shape;
}

// Returns the other name of a weight: nn.Parameter has "W_query", nn.Linear "W_query.weight".
std::string other_name(const std::string& name) {
  const std::string ending = ".weight";
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name + ending;
}

// Makes key/value heads divide the number of heads, and turning dimensions pairs that fit into a head.
void fit_heads(AttentionConfig& config) {
  if (config.mechanism != Mechanism::multi_head_attention) return;
  if (config.num_heads % config.num_kv_heads.value_or(1) != 0) config.num_kv_heads.reset();
  const Index turned = has_rope(config) ? config.rope->dims.value_or(0) : 0;
  if (turned > head_features(config) || turned % 2 != 0) config.rope->dims.reset();
}

void snap_heads(AttentionConfig& config, Index wanted) {
  config.num_heads = wanted;
  if (!info(config.mechanism).splits_heads || config.d_out < 1) return;
  Index nearest = 1;
  for (Index heads = 1; heads <= std::min(config.d_out, max_heads); ++heads) {
    if (config.d_out % heads == 0 && std::abs(heads - wanted) < std::abs(nearest - wanted)) nearest = heads;
  }
  config.num_heads = nearest;
}

// Removes given queries, keys and values, and the options that apply only to them; inputs for as many tokens are drawn
// instead.
void leave_heads(Document& document) {
  AttentionConfig& config = document.config;
  config.inputs = RandnInputs{key_count(config), std::max<Index>(1, head_features(config))};
  if (config.mask == MaskRoute::custom) config.mask = MaskRoute::none;
  config.hidden = {};
  config.bias = Tensor();
  config.heads = {};
  document.query_tokens = {};
}

std::string heads_followed(const AttentionConfig& before, const AttentionConfig& now) {
  if (now.num_heads == before.num_heads || !info(now.mechanism).splits_heads) return {};
  if (now.d_out == before.d_out && now.mechanism == before.mechanism) return {};
  return fmt::format("The number of heads changed from {} to {}: it must divide d_out, which is {}.", before.num_heads,
                     now.num_heads, now.d_out);
}

std::string key_heads_followed(const AttentionConfig& before, const AttentionConfig& now) {
  if (!before.num_kv_heads || now.num_kv_heads || now.num_heads % *before.num_kv_heads == 0) return {};
  return fmt::format("Each head has keys and values of its own again: {} heads of keys do not divide {} heads.",
                     *before.num_kv_heads, now.num_heads);
}

// Says which mask and scaling came with a new mechanism, because they had the old one's defaults.
std::string defaults_followed(const AttentionConfig& before, const AttentionConfig& now) {
  if (now.mechanism == before.mechanism) return {};
  std::vector<std::string_view> changes;
  if (now.mask != before.mask) changes.push_back(now.mask == MaskRoute::none ? "no mask" : "a causal mask");
  if (now.scale != before.scale) changes.push_back(now.scale ? "scaled scores" : "unscaled scores");
  if (changes.empty()) return {};
  return fmt::format("{} comes with {}.", info(now.mechanism).title, fmt::join(changes, " and "));
}

bool are_alike(const ParameterShape& left, const ParameterShape& right) {
  return left.name == right.name && left.shape == right.shape;
}

// Says how many overrides have no place any more: those of another size, or of a layer that is gone.
std::string overrides_followed(const AttentionConfig& before, const AttentionConfig& now) {
  const std::size_t lost =
      before.weight_overrides.size() - std::min(before.weight_overrides.size(), now.weight_overrides.size());
  const bool is_of_the_same_shapes = std::ranges::equal(parameter_shapes(before), parameter_shapes(now), are_alike);
  if (lost == 0 || is_of_the_same_shapes) return {};
  return fmt::format("{} weight{} that {} set no longer fit{} and {} drawn again: undo brings {} back.", lost,
                     lost == 1 ? "" : "s", lost == 1 ? "was" : "were", lost == 1 ? "s" : "", lost == 1 ? "is" : "are",
                     lost == 1 ? "it" : "them");
}

// Says which of the user's settings went with heads, dropped weights or batch entries that are gone.
std::string interventions_followed(const AttentionConfig& before, const AttentionConfig& now) {
  const auto sizes = [](const AttentionConfig& config) {
    return std::tuple(config.num_heads, config.batch_size, token_count(config));
  };
  if (sizes(before) == sizes(now)) return {};
  std::vector<std::string> lost;
  const auto add = [&](std::size_t count_before, std::size_t count_now, std::string_view one, std::string_view more) {
    if (count_now >= count_before) return;
    const std::size_t gone = count_before - count_now;
    lost.push_back(fmt::format("{} {}", gone, gone == 1 ? one : more));
  };
  add(before.heads_off.size(), now.heads_off.size(), "head that was switched off", "heads that were switched off");
  add(before.dropout_edits.size(), now.dropout_edits.size(), "weight that was kept or dropped by hand",
      "weights that were kept or dropped by hand");
  if (lost.empty()) return {};
  return fmt::format("The edit also removed {}. Undo restores them.", fmt::join(lost, " and "));
}

auto cell_of(const DropoutEdit& edit) { return std::tuple(edit.batch, edit.head, edit.query, edit.key); }

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

void keep_fitting_overrides(AttentionConfig& config) {
  if (config.weight_overrides.empty()) return;
  const std::vector<ParameterShape> shapes = parameter_shapes(config);
  std::map<std::string, SharedTensor> kept;
  for (auto& [name, tensor] : config.weight_overrides) {
    const std::string other = other_name(name);
    const auto* same = shape_of(shapes, name);
    const auto* turned = tensor.rank() == 2 ? shape_of(shapes, other) : nullptr;
    if (same && *same == tensor.shape()) {
      kept[name] = std::move(tensor);
    } else if (turned && *turned == std::vector<Index>{tensor.cols(), tensor.rows()}) {
      kept[other] = transposed(tensor);
    }
  }
  config.weight_overrides = std::move(kept);
}

void fit_dimensions(AttentionConfig& config) {
  if (config.dimensions.empty()) return;
  std::vector<std::string> names = config.dimensions.copy();
  names.resize(begins_with_heads(config) ? 0 : static_cast<std::size_t>(std::max<Index>(0, input_features(config))));
  if (names.size() != config.dimensions.size()) config.dimensions = std::move(names);
}

void replace(Document& document, Document changed) {
  fit_dimensions(changed.config);
  fit_mask(changed.config);
  check(changed);
  document = std::move(changed);
}

void set_config(Document& document, AttentionConfig config) {
  Document changed = document;
  changed.config = std::move(config);
  replace(document, std::move(changed));
}

void set_mechanism(Document& document, Mechanism mechanism) {
  Document changed = document;
  AttentionConfig& config = changed.config;
  const auto default_mask = [](const MechanismInfo& of) {
    return of.has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  };
  const MechanismInfo& from = info(config.mechanism);
  const MechanismInfo& to = info(mechanism);
  if (begins_with_heads(config) && mechanism != config.mechanism) leave_heads(changed);
  if (config.mask == default_mask(from)) config.mask = default_mask(to);
  if (!config.scale_factor && config.scale == from.scales_by_default) config.scale = to.scales_by_default;
  config.mechanism = mechanism;
  snap_heads(config, config.num_heads);
  fit_heads(config);
  keep_fitting_overrides(config);
  keep_fitting_interventions(config);
  replace(document, std::move(changed));
}

void set_d_out(Document& document, Index d_out) {
  Document changed = document;
  changed.config.d_out = d_out;
  snap_heads(changed.config, changed.config.num_heads);
  fit_heads(changed.config);
  keep_fitting_overrides(changed.config);
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

void set_scaling(Document& document, bool is_scaled) {
  document.config.scale = is_scaled;
  if (!is_scaled) document.config.scale_factor.reset();
}

void multiply_scale(Document& document, double factor) {
  Document changed = document;
  const AttentionConfig& config = document.config;
  const double root = 1 / std::sqrt(static_cast<double>(head_features(config)));
  const double now = config.scale ? config.scale_factor.value_or(root) : 1;
  changed.config.scale = true;
  changed.config.scale_factor = now * factor;
  replace(document, std::move(changed));
}

void set_batch_size(Document& document, Index batch_size) {
  Document changed = document;
  changed.config.batch_size = batch_size;
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

void set_num_heads(Document& document, Index num_heads) {
  Document changed = document;
  changed.config.num_heads = num_heads;
  auto weights = std::exchange(changed.config.weight_overrides, {});
  keep_fitting_interventions(changed.config);
  fit_heads(changed.config);
  check(changed);
  changed.config.weight_overrides = std::move(weights);
  keep_fitting_overrides(changed.config);
  replace(document, std::move(changed));
}

void set_count(Document& document, const CountField& field, Index count) {
  if (field.member == &AttentionConfig::d_out) return set_d_out(document, count);
  if (field.member == &AttentionConfig::num_heads) return set_num_heads(document, count);
  if (field.member == &AttentionConfig::batch_size) return set_batch_size(document, count);
  document.config.*field.member = count;
}

std::vector<Index> allowed_head_counts(const Document& document) {
  const AttentionConfig& config = document.config;
  const bool splits = info(config.mechanism).splits_heads;
  std::vector<Index> counts;
  for (Index heads = 1; heads <= max_heads; ++heads) {
    if (!splits || config.d_out % heads == 0) counts.push_back(heads);
  }
  return counts;
}

std::string what_followed(const AttentionConfig& before, const AttentionConfig& now) {
  std::string said;
  for (const std::string& sentence :
       {heads_followed(before, now), key_heads_followed(before, now), defaults_followed(before, now),
        overrides_followed(before, now), interventions_followed(before, now)}) {
    if (!sentence.empty()) said += (said.empty() ? "" : " ") + sentence;
  }
  return said;
}

void keep_fitting_interventions(AttentionConfig& config) {
  const Index queries = query_count(config);
  const Index keys = key_count(config);
  std::erase_if(config.heads_off, [&](Index head) { return head >= config.num_heads; });
  std::erase_if(config.dropout_edits, [&](const DropoutEdit& edit) {
    return edit.batch >= config.batch_size || edit.head >= config.num_heads || edit.query >= queries ||
           edit.key >= keys;
  });
}

void follow_tokens(AttentionConfig& config, const std::function<std::optional<Index>(Index)>& now) {
  std::vector<DropoutEdit> followed;
  for (DropoutEdit edit : std::exchange(config.dropout_edits, {})) {
    const std::optional<Index> query = now(edit.query);
    const std::optional<Index> key = now(edit.key);
    if (!query || !key) continue;
    edit.query = *query;
    edit.key = *key;
    followed.push_back(edit);
  }
  std::ranges::sort(followed);
  config.dropout_edits = std::move(followed);
}

void set_dropout_edit(Document& document, const DropoutEdit& edit) {
  Document changed = document;
  remove_dropout_edit(changed, edit);
  auto& edits = changed.config.dropout_edits;
  edits.insert(std::ranges::lower_bound(edits, edit), edit);
  replace(document, std::move(changed));
}

void remove_dropout_edit(Document& document, const DropoutEdit& cell) {
  std::erase_if(document.config.dropout_edits, [&](const DropoutEdit& edit) { return cell_of(edit) == cell_of(cell); });
}

void remove_dropout_edits(Document& document) { document.config.dropout_edits.clear(); }

void set_head_off(Document& document, Index head, bool off) {
  Document changed = document;
  auto& heads = changed.config.heads_off;
  std::erase(heads, head);
  if (off) heads.insert(std::ranges::lower_bound(heads, head), head);
  replace(document, std::move(changed));
}

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
