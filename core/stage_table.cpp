#include "core/stage.h"

#include "core/stage_rules.h"

#include <algorithm>

namespace attnscope {

namespace {

using namespace stage_rules;
using enum StageAxes;
using enum StageRange;

constexpr StagePlace in_project(int column) { return {Band::project, column}; }
constexpr StagePlace in_scores(int column) { return {Band::compare, column}; }
constexpr StagePlace in_context(int column) { return {Band::mix, column}; }

// A weight matrix or a bias: as it was drawn, or as the user wants it.
constexpr StageInfo parameter(Stage stage, std::string_view id, std::string_view title, std::string_view latex,
                              StageAxes axes, bool (*exists)(const AttentionConfig&)) {
  const bool is_weight = axes == weight;
  return {.stage = stage,
          .id = id,
          .title = title,
          .symbol = title,
          .latex = latex,
          .formula = is_weight ? "one row for each output dimension" : "one number for each output dimension",
          .pytorch = is_weight ? "torch.nn.Linear(d_in, d_out).weight" : "torch.nn.Linear(d_in, d_out).bias",
          .axes = axes,
          .exists = exists};
}

constexpr StageInfo projection(Stage stage, std::string_view id, std::string_view symbol, std::string_view formula,
                               std::string_view pytorch, StageList (*follows_from)(const AttentionConfig&, Stage),
                               int column) {
  return {.stage = stage,
          .id = id,
          .symbol = symbol,
          .formula = formula,
          .pytorch = pytorch,
          .axes = head_token_feature,
          .place = in_project(column),
          .rule = CellRule::projection,
          .exists = has_queries,
          .absence = stage == Stage::values ? no_weighted_values : no_weights,
          .follows_from = follows_from,
          .reads = &heads_of_one_shape};
}

// The gains of a norm, one for each dimension of a head.
constexpr StageInfo gain(Stage stage, std::string_view id, std::string_view latex) {
  StageInfo row = parameter(stage, id, id, latex, bias, has_qk_norm);
  row.formula = "one factor for each dimension of a head";
  row.pytorch = "torch.nn.RMSNorm(head_dim).weight";
  return row;
}

// Queries or keys on their way to the scores: normalized, or turned by the positions of their tokens.
constexpr StageInfo prepared(Stage stage, CellRule rule, std::string_view id, std::string_view title,
                             std::string_view symbol, std::string_view latex, std::string_view pytorch,
                             StageList (*follows_from)(const AttentionConfig&, Stage)) {
  const bool turns = rule == CellRule::rotate;
  return {.stage = stage,
          .id = id,
          .title = title,
          .symbol = symbol,
          .latex = latex,
          .formula = turns ? "each pair of dimensions turned by position · base^(−2i ÷ dims)"
                           : "each row ÷ its root mean square, × gain",
          .pytorch = pytorch,
          .axes = head_token_feature,
          .place = {Band::compare},
          .rule = rule,
          .exists = turns ? has_rope : has_qk_norm,
          .follows_from = follows_from,
          .reads = turns ? &part_of<&AttentionConfig::rope> : nullptr};
}

// A row that leaves a name out has it from another one.
constexpr std::array<StageInfo, stage_count> completed(std::array<StageInfo, stage_count> rows) {
  for (StageInfo& row : rows) {
    if (row.title.empty()) row.title = row.id;
    if (row.latex.empty()) row.latex = row.symbol;
  }
  return rows;
}

constexpr auto stage_table = completed({{
    {.stage = Stage::inputs,
     .id = "inputs",
     .symbol = "X",
     .formula = "X = one embedding per token",
     .pytorch = "batch = torch.stack([inputs] * batch_size)",
     .axes = token_feature,
     .place = in_project(0),
     .exists = has_inputs,
     .absence = no_inputs},
    parameter(Stage::query_weight, "W_query", "W_query", "W_Q", weight, has_weights),
    parameter(Stage::query_bias, "W_query_bias", "W_query bias", "b_Q", bias, has_biases),
    parameter(Stage::key_weight, "W_key", "W_key", "W_K", weight, has_weights),
    parameter(Stage::key_bias, "W_key_bias", "W_key bias", "b_K", bias, has_biases),
    parameter(Stage::value_weight, "W_value", "W_value", "W_V", weight, has_weights),
    parameter(Stage::value_bias, "W_value_bias", "W_value bias", "b_V", bias, has_biases),
    parameter(Stage::output_weight, "out_proj", "out_proj", "W_O", weight, has_output),
    parameter(Stage::output_bias, "out_proj_bias", "out_proj bias", "b_O", bias, has_output),
    gain(Stage::query_gain, "q_norm", "g_Q"),
    gain(Stage::key_gain, "k_norm", "g_K"),
    projection(Stage::queries, "queries", "Q", "Q = X · W_query",
               "queries = self.W_query(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::query_weight, Stage::query_bias>, 1),
    projection(Stage::keys, "keys", "K", "K = X · W_key",
               "keys = self.W_key(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::key_weight, Stage::key_bias>, 2),
    projection(Stage::values, "values", "V", "V = X · W_value",
               "values = self.W_value(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::value_weight, Stage::value_bias>, 3),
    prepared(Stage::normalized_queries, CellRule::rms_norm, "normalized_queries", "normalized queries", "N(Q)", "Q_N",
             "normalized_queries = self.q_norm(queries)", with_gain<Stage::queries, Stage::query_gain>),
    prepared(Stage::normalized_keys, CellRule::rms_norm, "normalized_keys", "normalized keys", "N(K)", "K_N",
             "normalized_keys = self.k_norm(keys)", with_gain<Stage::keys, Stage::key_gain>),
    prepared(Stage::rotated_queries, CellRule::rotate, "rotated_queries", "rotated queries", "R(Q)", "Q_R",
             "rotated_queries = rotate(queries)", pairs_of<Stage::queries, Stage::normalized_queries>),
    prepared(Stage::rotated_keys, CellRule::rotate, "rotated_keys", "rotated keys", "R(K)", "K_R",
             "rotated_keys = rotate(keys)", pairs_of<Stage::keys, Stage::normalized_keys>),
    {.stage = Stage::scores,
     .id = "scores",
     .symbol = "S",
     .formula = "S = Q Kᵀ",
     .pytorch = "attn_scores = queries @ keys.transpose(2, 3)",
     .axes = head_query_key,
     .place = in_scores(1),
     .rule = CellRule::query_times_key,
     .follows_from = queries_and_keys},
    {.stage = Stage::mask,
     .id = "mask",
     .symbol = "M",
     .formula = "M = 1 where the key comes after the query",
     .pytorch = "mask = torch.triu(torch.ones(T, T), diagonal=1)",
     .axes = query_key,
     .range = boolean,
     .place = {Band::compare},
     .rule = CellRule::hide_or_not,
     .exists = is_masked,
     .reads = &mask_and_size},
    {.stage = Stage::masked_scores,
     .id = "masked_scores",
     .title = "masked scores",
     .symbol = "Sₘ",
     .latex = "S_M",
     .formula = "Sₘ = −∞ where M = 1, else S",
     .pytorch = "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)",
     .axes = head_query_key,
     .place = in_scores(2),
     .rule = CellRule::hide,
     .exists = masks_scores,
     .absence = no_masked_scores,
     .follows_from = before_and_mask},
    {.stage = Stage::scaled_scores,
     .id = "scaled_scores",
     .title = "scaled scores",
     .symbol = "S/√head_dim",
     .latex = "\\tilde{S}",
     .formula = "S ÷ √head_dim",
     .pytorch = "scaled = attn_scores / keys.shape[-1]**0.5",
     .axes = head_query_key,
     .place = in_scores(3),
     .rule = CellRule::step,
     .exists = has_scaled_scores,
     .absence = no_scaling,
     .follows_from = before,
     .reads = &part_of<&AttentionConfig::scale, &AttentionConfig::scale_factor>,
     .step = scaling},
    {.stage = Stage::capped_scores,
     .id = "capped_scores",
     .title = "capped scores",
     .symbol = "c·tanh(S/c)",
     .latex = "S_c",
     .formula = "c · tanh(scaled scores ÷ c), with c = softcap",
     .pytorch = "capped = softcap * torch.tanh(scaled / softcap)",
     .axes = head_query_key,
     .place = {Band::compare, 3},
     .rule = CellRule::step,
     .exists = has_softcap,
     .absence = no_softcap,
     .follows_from = before,
     .reads = &part_of<&AttentionConfig::softcap>,
     .work = 500,
     .step = capping},
    {.stage = Stage::biased_scores,
     .id = "biased_scores",
     .title = "biased scores",
     .symbol = "S + b",
     .latex = "S_b",
     .formula = "scaled scores + bias, cell by cell",
     .pytorch = "biased = scaled + bias",
     .axes = head_query_key,
     .place = {Band::compare, 4},
     .rule = CellRule::add_bias,
     .exists = has_bias,
     .follows_from = before,
     .reads = &part_of<&AttentionConfig::bias>},
    {.stage = Stage::weights,
     .id = "weights",
     .title = "attention weights",
     .symbol = "A",
     .formula = "A = softmax(S/√head_dim), row by row",
     .pytorch = "attn_weights = torch.softmax(scaled, dim=-1)",
     .axes = head_query_key,
     .range = probability,
     .place = {Band::compare, 4},
     .rule = CellRule::normalize,
     .follows_from = before,
     .reads = &part_of<&AttentionConfig::normalization>,
     .work = 500},
    {.stage = Stage::masked_weights,
     .id = "masked_weights",
     .title = "masked weights",
     .symbol = "Aₘ",
     .latex = "A_M",
     .formula = "Aₘ = A × (1 − M)",
     .pytorch = "masked_weights = attn_weights * torch.tril(torch.ones(T, T))",
     .axes = head_query_key,
     .range = probability,
     .place = {Band::mix, 0},
     .rule = CellRule::keep_seen,
     .exists = masks_weights,
     .absence = no_masked_weights,
     .follows_from = before_and_mask},
    {.stage = Stage::renormalized_weights,
     .id = "renormalized_weights",
     .title = "renormalized weights",
     .symbol = "Aₙ",
     .latex = "\\bar{A}",
     .formula = "Aₙ = Aₘ ÷ (sum of its row)",
     .pytorch = "renormalized = masked_weights / masked_weights.sum(dim=-1, keepdim=True)",
     .axes = head_query_key,
     .range = probability,
     .place = {Band::mix, 1},
     .rule = CellRule::share_of_row,
     .exists = renormalizes,
     .absence = not_renormalized,
     .follows_from = before},
    {.stage = Stage::dropout_factors,
     .id = "dropout_factors",
     .title = "dropout factors",
     .symbol = "D",
     .formula = "D = 0 where dropped, 1 ÷ (1 − p) where kept",
     .pytorch = "factors = self.dropout(torch.ones_like(attn_weights))",
     .axes = head_query_key,
     .range = factor,
     .place = {Band::mix},
     .rule = CellRule::keep_or_drop,
     .exists = has_dropout,
     .reads = &part_of<&AttentionConfig::dropout, &AttentionConfig::training, &AttentionConfig::dropout_seed,
                       &AttentionConfig::dropout_kernel, &AttentionConfig::dropout_edits>,
     .work = 600},
    {.stage = Stage::dropped_weights,
     .id = "dropped_weights",
     .title = "dropped weights",
     .symbol = "A × D",
     .latex = "A_D",
     .formula = "A × D, cell by cell",
     .pytorch = "attn_weights = self.dropout(attn_weights)",
     .axes = head_query_key,
     .range = probability,
     .place = {Band::mix, 2},
     .rule = CellRule::product,
     .exists = has_dropout,
     .absence = no_dropout,
     .follows_from = before_and_factors},
    {.stage = Stage::head_context,
     .id = "head_context",
     .title = "head context",
     .symbol = "Zₕ",
     .latex = "C",
     .formula = "Zₕ = weights · V",
     .pytorch = "head_context = attn_weights @ values",
     .axes = head_token_feature,
     .place = in_context(3),
     .rule = CellRule::weighted_sum,
     .follows_from = weights_and_values,
     .reads = &part_of<&AttentionConfig::heads_off>},
    {.stage = Stage::context,
     .id = "context",
     .symbol = "Z",
     .formula = "Z = the heads' contexts side by side",
     .pytorch = "context_vec = head_context.transpose(1, 2).reshape(B, T, H * head_dim)",
     .axes = token_feature,
     .place = in_context(4),
     .rule = CellRule::side_by_side,
     .follows_from = head_contexts},
    {.stage = Stage::output,
     .id = "output",
     .symbol = "O",
     .formula = "O = Z · W_outᵀ + b",
     .pytorch = "output = self.out_proj(context_vec)",
     .axes = token_feature,
     .place = in_context(5),
     .rule = CellRule::projection,
     .exists = has_output,
     .absence = no_output,
     .follows_from = through<Stage::context, Stage::output_weight, Stage::output_bias>},
}});

// Each step follows from the last one before it that a configuration has.
constexpr std::array plain_route = {
    Stage::scores,  Stage::masked_scores,  Stage::scaled_scores,        Stage::capped_scores,
    Stage::weights, Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};
// A mask of minus infinity would come out of the cap as -c, and be seen. A bias is added after scaling and cap.
constexpr std::array late_mask_route = {Stage::scores,         Stage::scaled_scores,        Stage::capped_scores,
                                        Stage::biased_scores,  Stage::masked_scores,        Stage::weights,
                                        Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};

std::span<const Stage> route_of(const AttentionConfig& config) {
  return config.softcap || has_bias(config) ? std::span<const Stage>(late_mask_route) : plain_route;
}

constexpr bool stages_are_in_order() {
  for (std::size_t i = 0; i < stage_table.size(); ++i) {
    if (static_cast<std::size_t>(stage_table[i].stage) != i) return false;
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

StageList score_route(const AttentionConfig& config) {
  StageList list;
  for (const Stage stage : route_of(config)) {
    if (has_stage(config, stage)) list.add(stage);
  }
  return list;
}

Stage before_on_route(const AttentionConfig& config, Stage stage) {
  Stage before = Stage::scores;
  for (const Stage step : route_of(config)) {
    if (step == stage) break;
    if (has_stage(config, step)) before = step;
  }
  return before;
}

CellRule rule_of(const AttentionConfig& config, Stage stage) {
  const bool is_of_heads = stage == Stage::queries || stage == Stage::keys || stage == Stage::values;
  return is_of_heads && begins_with_heads(config) ? CellRule::start : info(stage).rule;
}

bool has_stage(const AttentionConfig& config, Stage stage) { return info(stage).exists(config); }

bool acts_in(const AttentionConfig& config, Stage stage) {
  if (!has_stage(config, stage)) return false;
  if (info(stage).rule == CellRule::step) return info(stage).step(config)->acts(config);
  return info(stage).rule != CellRule::product || dropout_is_active(config);
}

StageList predecessors(const AttentionConfig& config, Stage stage) { return info(stage).follows_from(config, stage); }

bool depends_on(const AttentionConfig& config, Stage stage, Stage origin) {
  return stage == origin ||
         std::ranges::any_of(predecessors(config, stage), [&](Stage from) { return depends_on(config, from, origin); });
}

std::vector<Stage> computed_stages(const AttentionConfig& config) {
  const StageList steps = score_route(config);
  const Stage* step = steps.begin();
  std::vector<Stage> present;
  for (const StageInfo& stage : stages()) {
    if (!stage.exists(config) || is_parameter(stage.axes)) continue;
    const bool is_step = std::ranges::find(steps, stage.stage) != steps.end();
    present.push_back(is_step ? *step++ : stage.stage);
  }
  return present;
}

}  // namespace attnscope
