#include "document/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/visibility.h"
#include "document/edit_support.h"

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

// The names that one weight has as nn.Parameter ("W_query") and as nn.Linear ("W_query.weight").
std::string other_name(const std::string& name) {
  const std::string ending = ".weight";
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name + ending;
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

// Leaves given queries, keys and values, with all settings of theirs; inputs for as many tokens are drawn instead.
void leave_heads(Document& document) {
  AttentionConfig& config = document.config;
  config.inputs = RandnInputs{key_count(config), std::max<Index>(1, head_features(config))};
  if (config.mask == MaskRoute::custom) config.mask = MaskRoute::none;
  config.hidden = {};
  config.bias = Tensor();
  config.heads = {};
  document.query_tokens = {};
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

void replace(Document& document, Document changed) {
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
  keep_fitting_overrides(config);
  keep_fitting_interventions(config);
  replace(document, std::move(changed));
}

void set_d_out(Document& document, Index d_out) {
  Document changed = document;
  changed.config.d_out = d_out;
  snap_heads(changed.config, changed.config.num_heads);
  keep_fitting_overrides(changed.config);
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

void set_scaling(Document& document, bool is_scaled) {
  document.config.scale = is_scaled;
  if (!is_scaled) document.config.scale_factor.reset();
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
  check(changed);
  changed.config.weight_overrides = std::move(weights);
  keep_fitting_overrides(changed.config);
  replace(document, std::move(changed));
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

}  // namespace attnscope
