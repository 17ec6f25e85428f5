#include "core/stage.h"

#include "core/attention.h"
#include "core/evaluate.h"
#include "core/kernels/kernels.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

namespace {

using Config = AttentionConfig;
using enum StageAxes;
using enum StageRange;

// What a configuration has.

bool always(const Config&) { return true; }

bool has_weights(const Config& config) { return info(config.mechanism).weight_style != WeightStyle::none; }

bool has_biases(const Config& config) {
  return config.qkv_bias && info(config.mechanism).weight_style == WeightStyle::linear;
}

bool has_output(const Config& config) { return info(config.mechanism).has_output_projection; }

bool has_dropout(const Config& config) { return info(config.mechanism).has_dropout; }

bool is_masked(const Config& config) { return config.mask != MaskRoute::none; }

bool masks_scores(const Config& config) { return config.mask == MaskRoute::causal; }

bool renormalizes(const Config& config) { return config.mask == MaskRoute::causal_renormalized; }

bool masks_weights(const Config& config) { return is_masked(config) && !masks_scores(config); }

bool has_scaled_scores(const Config& config) { return has_weights(config) || config.scale; }

bool has_softcap(const Config& config) { return config.softcap.has_value(); }

// What stages follow from.

StageList nothing(const Config&, Stage) { return {}; }

StageList through(const Config& config, Stage from, Stage weight_stage, Stage bias_stage) {
  StageList list = {from, weight_stage};
  if (has_stage(config, bias_stage)) list.add(bias_stage);
  return list;
}

StageList through_query(const Config& config, Stage) {
  return through(config, Stage::inputs, Stage::query_weight, Stage::query_bias);
}

StageList through_key(const Config& config, Stage) {
  return through(config, Stage::inputs, Stage::key_weight, Stage::key_bias);
}

StageList through_value(const Config& config, Stage) {
  return through(config, Stage::inputs, Stage::value_weight, Stage::value_bias);
}

StageList through_output(const Config& config, Stage) {
  return through(config, Stage::context, Stage::output_weight, Stage::output_bias);
}

StageList queries_and_keys(const Config& config, Stage) {
  return has_weights(config) ? StageList{Stage::queries, Stage::keys} : StageList{Stage::inputs, Stage::inputs};
}

StageList before(const Config& config, Stage stage) { return {before_on_route(config, stage)}; }

StageList before_and_mask(const Config& config, Stage stage) { return {before_on_route(config, stage), Stage::mask}; }

StageList before_and_factors(const Config& config, Stage stage) {
  return {before_on_route(config, stage), Stage::dropout_factors};
}

StageList weights_and_values(const Config& config, Stage) {
  return {score_route(config).back(), has_weights(config) ? Stage::values : Stage::inputs};
}

StageList head_contexts(const Config&, Stage) { return {Stage::head_context}; }

template <auto... fields>
constexpr ConfigPart part_of = {
    .differs = [](const Config& left, const Config& right) { return ((left.*fields != right.*fields) || ...); },
    .copy = [](Config& to, const Config& from) { ((to.*fields = from.*fields), ...); }};

// The mask follows from no other stage, and is as large as there are tokens.
constexpr ConfigPart mask_and_size = {
    .differs = [](const Config& left,
                  const Config& right) { return left.mask != right.mask || token_count(left) != token_count(right); },
    .copy = part_of<&Config::mask>.copy};

// Steps from scores to scores.

float root_of_features(const Config& config) {
  return static_cast<float>(std::sqrt(static_cast<double>(head_features(config))));
}

void make_scaled(Tensor& out, const Tensor& scores, const Config& config, const Execution& execution) {
  scale_scores(out, scores, head_features(config), execution);
}

void scale(std::span<float> scores, const Config& config) {
  const float factor = score_scale(config);
  for (float& score : scores) score *= factor;
}

constexpr ScoreStep scaling = {.acts = [](const Config& config) { return config.scale; },
                               .amount = root_of_features,
                               .factor = score_scale,
                               .apply = scale,
                               .make = make_scaled,
                               .words = "Divided by √head_dim:",
                               .pytorch = "{0} / {2}**0.5",
                               .numpy = "{0} / {2}**0.5",
                               .latex = "{0} / \\sqrt{{{2}}}",
                               .arithmetic = "{0} / {1}"};

float softcap_of(const Config& config) { return static_cast<float>(*config.softcap); }

void cap(std::span<float> scores, const Config& config) {
  const float c = softcap_of(config);
  for (float& score : scores) score = c * std::tanh(score / c);
}

void make_capped(Tensor& out, const Tensor& scores, const Config& config, const Execution& execution) {
  cap_scores(out, scores, softcap_of(config), execution);
}

constexpr ScoreStep capping = {.acts = always,
                               .amount = softcap_of,
                               .factor = nullptr,
                               .apply = cap,
                               .make = make_capped,
                               .words = "Capped at c = softcap:",
                               .pytorch = "{1} * torch.tanh({0} / {1})",
                               .numpy = "{1} * np.tanh({0} / {1})",
                               .latex = "{1} \\tanh\\bigl( {0} / {1} \\bigr)",
                               .arithmetic = "{1} · tanh({0} / {1})"};

// A weight matrix or a bias: as it was drawn, or as the user wants it.
constexpr StageInfo parameter(Stage stage, std::string_view id, std::string_view title, std::string_view latex,
                              StageAxes axes, bool (*exists)(const Config&)) {
  const bool is_weight = axes == weight;
  return {.stage = stage,
          .id = id,
          .title = title,
          .symbol = title,
          .latex = latex,
          .formula = is_weight ? "one row for each output feature" : "one number for each output feature",
          .pytorch = is_weight ? "torch.nn.Linear(d_in, d_out).weight" : "torch.nn.Linear(d_in, d_out).bias",
          .shape = is_weight ? "(d_out, d_in)" : "(1, d_out)",
          .axes = axes,
          .range = signed_value,
          .phase = Phase::parameters,
          .place = {Band::project, 0},
          .rule = CellRule::start,
          .exists = exists,
          .follows_from = nothing};
}

constexpr std::array<StageInfo, stage_count> stage_table = {{
    {.stage = Stage::inputs,
     .id = "inputs",
     .title = "inputs",
     .symbol = "X",
     .latex = "X",
     .formula = "X = one embedding per token",
     .pytorch = "batch = torch.stack([inputs] * batch_size)",
     .shape = "(B, T, d_in)",
     .axes = token_feature,
     .range = signed_value,
     .phase = Phase::inputs,
     .place = {Band::project, 0},
     .rule = CellRule::start,
     .exists = always,
     .follows_from = nothing},
    parameter(Stage::query_weight, "W_query", "W_query", "W_Q", weight, has_weights),
    parameter(Stage::query_bias, "W_query_bias", "W_query bias", "b_Q", bias, has_biases),
    parameter(Stage::key_weight, "W_key", "W_key", "W_K", weight, has_weights),
    parameter(Stage::key_bias, "W_key_bias", "W_key bias", "b_K", bias, has_biases),
    parameter(Stage::value_weight, "W_value", "W_value", "W_V", weight, has_weights),
    parameter(Stage::value_bias, "W_value_bias", "W_value bias", "b_V", bias, has_biases),
    parameter(Stage::output_weight, "out_proj", "out_proj", "W_O", weight, has_output),
    parameter(Stage::output_bias, "out_proj_bias", "out_proj bias", "b_O", bias, has_output),
    {.stage = Stage::queries,
     .id = "queries",
     .title = "queries",
     .symbol = "Q",
     .latex = "Q",
     .formula = "Q = X · W_query",
     .pytorch = "queries = self.W_query(x).view(B, T, H, head_dim).transpose(1, 2)",
     .shape = "(B, H, T, head_dim)",
     .axes = head_token_feature,
     .range = signed_value,
     .phase = Phase::projections,
     .place = {Band::project, 0},
     .rule = CellRule::projection,
     .exists = has_weights,
     .follows_from = through_query},
    {.stage = Stage::keys,
     .id = "keys",
     .title = "keys",
     .symbol = "K",
     .latex = "K",
     .formula = "K = X · W_key",
     .pytorch = "keys = self.W_key(x).view(B, T, H, head_dim).transpose(1, 2)",
     .shape = "(B, H, T, head_dim)",
     .axes = head_token_feature,
     .range = signed_value,
     .phase = Phase::projections,
     .place = {Band::project, 0},
     .rule = CellRule::projection,
     .exists = has_weights,
     .follows_from = through_key},
    {.stage = Stage::values,
     .id = "values",
     .title = "values",
     .symbol = "V",
     .latex = "V",
     .formula = "V = X · W_value",
     .pytorch = "values = self.W_value(x).view(B, T, H, head_dim).transpose(1, 2)",
     .shape = "(B, H, T, head_dim)",
     .axes = head_token_feature,
     .range = signed_value,
     .phase = Phase::projections,
     .place = {Band::project, 0},
     .rule = CellRule::projection,
     .exists = has_weights,
     .follows_from = through_value},
    {.stage = Stage::scores,
     .id = "scores",
     .title = "scores",
     .symbol = "S",
     .latex = "S",
     .formula = "S = Q Kᵀ",
     .pytorch = "attn_scores = queries @ keys.transpose(2, 3)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = signed_value,
     .phase = Phase::attention,
     .place = {Band::compare, 0},
     .rule = CellRule::query_times_key,
     .exists = always,
     .follows_from = queries_and_keys},
    {.stage = Stage::mask,
     .id = "mask",
     .title = "mask",
     .symbol = "M",
     .latex = "M",
     .formula = "M = 1 where the key comes after the query",
     .pytorch = "mask = torch.triu(torch.ones(T, T), diagonal=1)",
     .shape = "(T, T)",
     .axes = query_key,
     .range = boolean,
     .phase = Phase::attention,
     .place = {Band::compare, 0},
     .rule = CellRule::hide_or_not,
     .exists = is_masked,
     .follows_from = nothing,
     .reads = &mask_and_size},
    {.stage = Stage::masked_scores,
     .id = "masked_scores",
     .title = "masked scores",
     .symbol = "Sₘ",
     .latex = "S_M",
     .formula = "Sₘ = −∞ where M = 1, else S",
     .pytorch = "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = signed_value,
     .phase = Phase::attention,
     .place = {Band::compare, 0},
     .rule = CellRule::hide,
     .exists = masks_scores,
     .follows_from = before_and_mask},
    {.stage = Stage::scaled_scores,
     .id = "scaled_scores",
     .title = "scaled scores",
     .symbol = "S/√d_h",
     .latex = "\\tilde{S}",
     .formula = "S ÷ √d_h, with d_h = head_dim",
     .pytorch = "scaled = attn_scores / keys.shape[-1]**0.5",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = signed_value,
     .phase = Phase::attention,
     .place = {Band::compare, 0},
     .rule = CellRule::step,
     .exists = has_scaled_scores,
     .follows_from = before,
     .reads = &part_of<&Config::scale>,
     .step = &scaling},
    {.stage = Stage::capped_scores,
     .id = "capped_scores",
     .title = "capped scores",
     .symbol = "c·tanh(S/c)",
     .latex = "S_c",
     .formula = "c · tanh(scaled scores ÷ c), with c = softcap",
     .pytorch = "capped = softcap * torch.tanh(scaled / softcap)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = signed_value,
     .phase = Phase::attention,
     .place = {Band::compare, 0},
     .rule = CellRule::step,
     .exists = has_softcap,
     .follows_from = before,
     .reads = &part_of<&Config::softcap>,
     .work = 500,
     .step = &capping},
    {.stage = Stage::weights,
     .id = "weights",
     .title = "attention weights",
     .symbol = "A",
     .latex = "A",
     .formula = "A = softmax(S/√d_h), row by row",
     .pytorch = "attn_weights = torch.softmax(scaled, dim=-1)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = probability,
     .phase = Phase::attention,
     .place = {Band::compare, 1},
     .rule = CellRule::normalize,
     .exists = always,
     .follows_from = before,
     .reads = &part_of<&Config::normalization>,
     .work = 500},
    {.stage = Stage::masked_weights,
     .id = "masked_weights",
     .title = "masked weights",
     .symbol = "Aₘ",
     .latex = "A_M",
     .formula = "Aₘ = A × (1 − M)",
     .pytorch = "masked_weights = attn_weights * torch.tril(torch.ones(T, T))",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = probability,
     .phase = Phase::attention,
     .place = {Band::compare, 1},
     .rule = CellRule::keep_seen,
     .exists = masks_weights,
     .follows_from = before_and_mask},
    {.stage = Stage::renormalized_weights,
     .id = "renormalized_weights",
     .title = "renormalized weights",
     .symbol = "Aₙ",
     .latex = "\\bar{A}",
     .formula = "Aₙ = Aₘ ÷ (sum of its row)",
     .pytorch = "renormalized = masked_weights / masked_weights.sum(dim=-1, keepdim=True)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = probability,
     .phase = Phase::attention,
     .place = {Band::compare, 1},
     .rule = CellRule::share_of_row,
     .exists = renormalizes,
     .follows_from = before},
    {.stage = Stage::dropout_factors,
     .id = "dropout_factors",
     .title = "dropout factors",
     .symbol = "D",
     .latex = "D",
     .formula = "D = 0 where dropped, 1 ÷ (1 − p) where kept",
     .pytorch = "factors = self.dropout(torch.ones_like(attn_weights))",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = factor,
     .phase = Phase::dropout,
     .place = {Band::compare, 1},
     .rule = CellRule::keep_or_drop,
     .exists = has_dropout,
     .follows_from = nothing,
     .reads = &part_of<&Config::dropout, &Config::training, &Config::dropout_seed, &Config::dropout_kernel>,
     .work = 600},
    {.stage = Stage::dropped_weights,
     .id = "dropped_weights",
     .title = "dropped weights",
     .symbol = "A × D",
     .latex = "A_D",
     .formula = "A × D, cell by cell",
     .pytorch = "attn_weights = self.dropout(attn_weights)",
     .shape = "(B, H, T, T)",
     .axes = head_query_key,
     .range = probability,
     .phase = Phase::attention,
     .place = {Band::compare, 1},
     .rule = CellRule::product,
     .exists = has_dropout,
     .follows_from = before_and_factors},
    {.stage = Stage::head_context,
     .id = "head_context",
     .title = "head context",
     .symbol = "Zₕ",
     .latex = "C",
     .formula = "Zₕ = weights · V",
     .pytorch = "head_context = attn_weights @ values",
     .shape = "(B, H, T, head_dim)",
     .axes = head_token_feature,
     .range = signed_value,
     .phase = Phase::attention,
     .place = {Band::mix, 0},
     .rule = CellRule::weighted_sum,
     .exists = always,
     .follows_from = weights_and_values},
    {.stage = Stage::context,
     .id = "context",
     .title = "context",
     .symbol = "Z",
     .latex = "Z",
     .formula = "Z = the heads' contexts side by side",
     .pytorch = "context_vec = head_context.transpose(1, 2).reshape(B, T, H * head_dim)",
     .shape = "(B, T, H·head_dim)",
     .axes = token_feature,
     .range = signed_value,
     .phase = Phase::copies,
     .place = {Band::mix, 0},
     .rule = CellRule::side_by_side,
     .exists = always,
     .follows_from = head_contexts},
    {.stage = Stage::output,
     .id = "output",
     .title = "output",
     .symbol = "O",
     .latex = "O",
     .formula = "O = Z · W_outᵀ + b",
     .pytorch = "output = self.out_proj(context_vec)",
     .shape = "(B, T, d_out)",
     .axes = token_feature,
     .range = signed_value,
     .phase = Phase::output,
     .place = {Band::mix, 0},
     .rule = CellRule::projection,
     .exists = has_output,
     .follows_from = through_output},
}};

constexpr bool stages_are_in_order() {
  for (std::size_t i = 0; i < stage_table.size(); ++i) {
    const Stage key = stage_table[i].stage;
    if (static_cast<std::size_t>(key) != i) return false;
  }
  return true;
}
static_assert(stages_are_in_order(), "a row for each enumerator, in their order");

}  // namespace

std::span<const StageInfo> stages() { return stage_table; }

const StageInfo& info(Stage key) { return stage_table[static_cast<std::size_t>(key)]; }

std::optional<Stage> stage_named(std::string_view id) {
  const auto found = std::ranges::find(stage_table, id, &StageInfo::id);
  return found == stage_table.end() ? std::nullopt : std::optional(found->stage);
}

namespace {

// Each step follows from the last one before it that a configuration has.
constexpr std::array plain_route = {
    Stage::scores,  Stage::masked_scores,  Stage::scaled_scores,        Stage::capped_scores,
    Stage::weights, Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};
// A mask of minus infinity would come out of the cap as -c, and be seen.
constexpr std::array capped_route = {
    Stage::scores,  Stage::scaled_scores,  Stage::capped_scores,        Stage::masked_scores,
    Stage::weights, Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};

const auto& route_of(const Config& config) { return config.softcap ? capped_route : plain_route; }

}  // namespace

StageList score_route(const Config& config) {
  StageList list;
  for (const Stage stage : route_of(config)) {
    if (has_stage(config, stage)) list.add(stage);
  }
  return list;
}

Stage before_on_route(const Config& config, Stage stage) {
  Stage before = Stage::scores;
  for (const Stage step : route_of(config)) {
    if (step == stage) break;
    if (has_stage(config, step)) before = step;
  }
  return before;
}

ScoreMap score_map(const Config& config) {
  return {.scale = score_scale(config), .cap = config.softcap ? softcap_of(config) : 0};
}

}  // namespace attnscope
