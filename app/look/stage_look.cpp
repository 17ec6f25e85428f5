#include "look/stage_look.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/rms_norm.h"
#include "core/shown_text.h"
#include "core/visibility.h"
#include "look/number_text.h"

namespace attnscope {
namespace {

// Hue, saturation and value, each from 0 to 1.
Rgb from_hsv(float hue, float saturation, float value) {
  const auto channel = [&](float offset) {
    const float place = std::fmod(offset + hue * 6, 6.0F);
    const float share = std::fmax(0.0F, std::fmin(1.0F, std::fmin(place, 4 - place)));
    return static_cast<std::uint8_t>(std::lround(255 * (value - value * saturation * share)));
  };
  return {channel(5), channel(3), channel(1)};
}

// The modules multiply by an nn.Parameter as it is, and by the transposed weight of an nn.Linear.
StageWording projection_wording(const AttentionConfig& config, Stage stage) {
  const StageInfo& result = info(stage);
  const StageList from = predecessors(config, stage);
  const std::string_view in = info(from[0]).symbol;
  const std::string_view weight = info(from[1]).title;
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  std::string formula =
      fmt::format("{} = {} · {}{}{}", result.symbol, in, weight, is_linear ? "ᵀ" : "", from.size() > 2 ? " + b" : "");
  if (stage == Stage::output || info(config.mechanism).splits_heads) return {formula, std::string(result.pytorch)};
  if (!is_linear) return {formula, fmt::format("{} = x @ self.{}", result.id, weight)};
  return {formula, fmt::format("{} = self.{}(x)", result.id, weight)};
}

// Batches and heads are axes before the last two.
std::string scores_pytorch(const AttentionConfig& config) {
  if (info(config.mechanism).splits_heads) return std::string(info(Stage::scores).pytorch);
  const bool has_batches = info(config.mechanism).has_dropout;
  return has_batches ? "attn_scores = queries @ keys.transpose(1, 2)" : "attn_scores = queries @ keys.T";
}

}  // namespace

bool sums_to_one(Stage stage) { return info(stage).range == StageRange::probability; }

bool is_off_one(float row_sum) {
  constexpr float tolerance = 0.005F;
  return std::abs(row_sum - 1) > tolerance;
}

AxisTitles axis_titles(const AttentionConfig& config, Stage stage) {
  const StageAxes axes = info(stage).axes;
  if (is_query_by_key(axes)) return {"query", "key"};
  if (!is_parameter(axes)) return {"token", "dim"};
  if (axes == StageAxes::bias) return {"", is_gain(stage) ? "dim" : "out"};
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  return is_linear ? AxisTitles{"out", "in"} : AxisTitles{"in", "out"};
}

StageWording wording(const AttentionConfig& config, Stage stage) {
  const bool is_simple = config.mechanism == Mechanism::simple_self_attention;
  if (is_simple && stage == Stage::scores) return {"S = X Xᵀ", "attn_scores = inputs @ inputs.T"};
  if (begins_with_heads(config) && rule_of(config, stage) == CellRule::start) {
    const std::string& origin = config.heads.origin;
    return {origin.empty() ? "given by the document" : fmt::format("given: from {}", shown_text(origin)),
            std::string(info(stage).id)};
  }
  if (info(stage).rule == CellRule::projection) return projection_wording(config, stage);
  if (stage == Stage::scores && (has_rope(config) || has_qk_norm(config))) {
    const StageInfo& queries = info(queries_stage(config));
    const StageInfo& keys = info(keys_stage(config));
    return {fmt::format("S = {} {}ᵀ", queries.symbol, keys.symbol),
            fmt::format("attn_scores = {} @ {}.transpose(2, 3)", queries.id, keys.id)};
  }
  if (!is_simple && stage == Stage::scores) return {std::string(info(stage).formula), scores_pytorch(config)};
  if (is_simple && stage == Stage::head_context) return {"Z = A · X", "context_vecs = attn_weights @ inputs"};
  if (stage == Stage::weights && is_simple && config.normalization == Normalization::sum) {
    return {"A = S ÷ (sum of its row)", "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"};
  }
  if (stage == Stage::weights && !config.scale && !config.softcap) {
    return {"A = softmax(S), row by row", "attn_weights = torch.softmax(attn_scores, dim=-1)"};
  }
  if (info(stage).axes == StageAxes::weight && info(config.mechanism).weight_style == WeightStyle::parameter) {
    return {"one column for each output dimension", "torch.nn.Parameter(torch.rand(d_in, d_out))"};
  }
  if (stage == Stage::mask && (config.mask == MaskRoute::custom || config.sliding_window))
    return {"M = 1 where the key is hidden from the query", "mask[query, first:last] = True"};
  if (stage == Stage::scaled_scores && config.scale_factor) return {"S × scale", "scaled = attn_scores * scale"};
  const Stage from = normalized_from_stage(config);
  if (stage == Stage::weights && from == Stage::scaled_scores && config.scale_factor)
    return {"A = softmax(S × scale), row by row", "attn_weights = torch.softmax(scaled, dim=-1)"};
  if (stage == Stage::weights && from != Stage::scaled_scores) {
    return {fmt::format("A = softmax({}), row by row", info(from).symbol),
            fmt::format("attn_weights = torch.softmax({}, dim=-1)", info(from).id)};
  }
  return {std::string(info(stage).formula), std::string(info(stage).pytorch)};
}

StageWording wording(const Result& result, Stage stage) {
  if (result.external) return {"as it stands in the file", "read, not computed here"};
  return wording(result.config, stage);
}

std::string product_shapes(const AttentionConfig& config, Stage stage) {
  const CellRule rule = rule_of(config, stage);
  if (rule != CellRule::projection && rule != CellRule::query_times_key && rule != CellRule::weighted_sum) return {};
  const auto shape_of = [&](Stage of) {
    const std::vector<Index> shape = stage_shape(config, of);
    return fmt::format("({}, {})", shape[shape.size() - 2], shape.back());
  };
  const StageList from = predecessors(config, stage);
  const bool is_parameter_turned = info(config.mechanism).weight_style == WeightStyle::linear;
  const bool is_turned = rule == CellRule::projection ? is_parameter_turned : rule == CellRule::query_times_key;
  std::string shapes = fmt::format("{} · {}{}", shape_of(from[0]), shape_of(from[1]), is_turned ? "ᵀ" : "");
  if (from.size() > 2) shapes += fmt::format(" + ({})", stage_shape(config, from[2]).back());
  const bool is_split = rule == CellRule::projection && info(config.mechanism).splits_heads && stage != Stage::output;
  if (!is_split || head_count(config) == 1) return fmt::format("{} = {}", shapes, shape_of(stage));
  return fmt::format("{} = ({}, {}), {} of them a head", shapes, query_count(config),
                     has_key_rows(stage) ? key_features(config) : config.d_out, head_features(config));
}

DiagramOperator diagram_operator(const AttentionConfig& config, Stage result) {
  switch (rule_of(config, result)) {
    case CellRule::start:
    case CellRule::hide_or_not:
    case CellRule::keep_or_drop:
      return {};
    case CellRule::projection:
    case CellRule::query_times_key:
    case CellRule::weighted_sum:
      return {"×"};
    case CellRule::rms_norm:
      return {"÷ RMS", "of the row"};
    case CellRule::rotate:
      return {"turn", "by position"};
    case CellRule::hide:
      return {"hide", "M = 1 → −∞"};
    case CellRule::step: {
      const auto amount = static_cast<double>(info(result).step(config)->amount(config));
      if (!info(result).step(config)->factor) return {fmt::format("c = {}", format_fixed(amount, 2)), "c · tanh(S/c)"};
      if (config.scale_factor) return {fmt::format("× {}", format_fixed(amount, 3))};
      return {fmt::format("÷ √{}", head_features(config)), fmt::format("= {}", format_fixed(amount, 3))};
    }
    case CellRule::add_bias:
      return {"+ b", "cell by cell"};
    case CellRule::normalize:
      if (normalizes_by_sum(config)) return {"÷ Σ", "of the row"};
      return {"softmax", "along the row"};
    case CellRule::keep_seen:
      return {"× (1 − M)"};
    case CellRule::share_of_row:
      return {"÷ Σ", "of the row"};
    case CellRule::product:
      return {"×", "cell by cell"};
    case CellRule::side_by_side:
      if (head_count(config) == 1) return {"=", "one head"};
      return {"concat", "heads"};
  }
  return {};
}

bool has_place(Stage stage) { return info(stage).place.column >= 0; }

StageSet places_after(const AttentionConfig& config, Stage last) {
  StageSet after;
  bool is_after = false;
  for (const Stage stage : computed_stages(config)) {
    if (is_after && has_place(stage)) after.add(stage);
    if (stage == last) is_after = true;
  }
  return after;
}

std::string about(const AttentionConfig& config, Stage stage) {
  const bool has_queries = has_stage(config, Stage::queries);
  const bool has_heads = head_count(config) > 1;
  switch (stage) {
    case Stage::inputs:
      return "an embedding for each token: the row of numbers that stands for it";
    case Stage::queries:
      return "what each token looks for";
    case Stage::keys:
      return "what each token can be found by";
    case Stage::values:
      return "what each token hands on";
    case Stage::normalized_queries:
    case Stage::normalized_keys:
      return fmt::format("each {} divided by its root mean square, so that its length does not count",
                         has_key_rows(stage) ? "key" : "query");
    case Stage::rotated_queries:
    case Stage::rotated_keys:
      return fmt::format("each pair of dimensions of a {}, turned by an angle that grows with its position",
                         has_key_rows(stage) ? "key" : "query");
    case Stage::scores:
      return has_queries ? "how well each query matches each key: their dot product"
                         : "how alike two embeddings are: their dot product";
    case Stage::mask:
      return "1 hides a key from a query";
    case Stage::masked_scores:
      return "a hidden key's score is −∞, which softmax turns into 0";
    case Stage::scaled_scores:
      if (config.scale_factor) return "each score times a factor that you chose";
      return fmt::format("divided by √{} = {}, so that scores do not grow with head_dim", head_features(config),
                         format_fixed(std::sqrt(static_cast<double>(head_features(config))), 3));
    case Stage::capped_scores:
      return "squeezed, so that no score is further from 0 than the cap";
    case Stage::biased_scores:
      return "each score plus its bias";
    case Stage::weights:
      return "each query's scores turned into shares: every row sums to 1";
    case Stage::masked_weights:
      return "hidden keys lose their weight after softmax, and rows no longer sum to 1";
    case Stage::renormalized_weights:
      return "each row divided by its sum, so that it sums to 1 again";
    case Stage::dropout_factors:
      return "0 drops a weight; the others grow to make up for it";
    case Stage::dropped_weights:
      return "in training, weights chosen at random are dropped and the others scaled up";
    case Stage::context:
      if (has_heads) return "the contexts of all heads, side by side";
      [[fallthrough]];
    case Stage::head_context:
      return has_queries ? "each query's mix of the values, by its weights"
                         : "each token's mix of all embeddings, by its weights";
    case Stage::output:
      return has_heads ? "out_proj mixes what the heads have found"
                       : "out_proj, a last linear layer, turns the context into the output";
    default:
      return std::string(info(stage).formula);
  }
}

std::string_view id_of(Band band) {
  static constexpr std::string_view ids[] = {"project", "compare", "mix"};
  return ids[static_cast<std::size_t>(band)];
}

std::string_view title_of(Band band) {
  static constexpr std::string_view titles[] = {"1 Project", "2 Compare", "3 Mix"};
  return titles[static_cast<std::size_t>(band)];
}

// The Okabe-Ito palette without black, brightened on dark ground; further heads walk around the hues by the golden
// angle.
Rgb head_rgb(Index head, bool dark) {
  static constexpr std::array<unsigned, 8> light = {0x006ED8, 0xBD4D11, 0x00785A, 0xA95089,
                                                    0x784900, 0x325299, 0x5A4F46, 0x6321FF};
  static constexpr std::array<unsigned, 8> on_dark = {0x4F96E9, 0xFF8A33, 0x53CC97, 0xDF91C9,
                                                      0xE6C228, 0x8AD4FF, 0xB8956F, 0x9FA7FF};
  if (head < static_cast<Index>(light.size())) return hex((dark ? on_dark : light)[static_cast<std::size_t>(head)]);
  const float hue = std::fmod(static_cast<float>(head) * 0.381966F, 1.0F);
  return from_hsv(hue, dark ? 0.45F : 0.75F, dark ? 0.95F : 0.45F);
}

Index thinned_step(double cell, double needed) {
  constexpr double spread = 1.5;
  if (cell >= needed) return 1;
  for (Index unit = 1;; unit *= 10) {
    for (const Index step : {unit, 2 * unit, 5 * unit}) {
      if (step > 1 && cell * static_cast<double>(step) >= spread * needed) return step;
    }
  }
}

}  // namespace attnscope
