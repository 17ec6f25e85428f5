#include "core/cell_rules.h"

#include "core/attention.h"
#include "core/dropout.h"
#include "core/dropout_mask.h"
#include "core/matrix.h"
#include "core/model/forward.h"
#include "core/operations.h"
#include "core/rms_norm.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>

namespace attnscope {

namespace {

using Config = AttentionConfig;
using Lines = std::vector<SourceLine>;

// How a stage is made.

// projected (B,T,n) through the projection's weights: those of one head in the wrapper, of all heads elsewhere.
void project(Tensor& projected, const Run& run, const StageList& from, Index head) {
  const Parameters& parameters = *run.result.parameters;
  const Tensor& weight = *find(parameters, parameter_name(run.config, from[1], head));
  if (info(run.config.mechanism).weight_style == WeightStyle::parameter)
    return project_parameter(projected, run[from[0]], weight, run.execution);
  const Tensor* const bias = from.size() > 2 ? find(parameters, parameter_name(run.config, from[2], head)) : nullptr;
  project_linear(projected, run[from[0]], weight, bias, run.execution);
}

// Queries, keys or values (B,H,T,head_dim), or the output (B,T,d_out).
void make_projection(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  const Config& config = run.config;
  if (!is_per_head(config, stage)) return project(out, run, from, 0);
  const Index B = config.batch_size;
  const Index H = head_count(config);
  Tensor projected({B, token_count(config), has_key_rows(stage) ? key_features(config) : config.d_out});
  if (!has_own_heads(config)) {
    project(projected, run, from, 0);
    return split_heads(out, projected, run.execution);
  }
  for (Index h = 0; h < H; ++h) {
    project(projected, run, from, h);
    for (Index b = 0; b < B; ++b) eigen(out, b * H + h) = eigen(projected, b);
  }
}

HiddenRow hidden_rows_of(const Run& run, Stage stage) {
  if (has_bias(run.config)) {
    return [&run, stage](Index matrix, Index query) {
      return sees_nothing(run.config, stage, run.part.matrix + matrix, run.part.query + query);
    };
  }
  return [seen = visibility(run.config, stage), first = run.part.query](Index, Index query) {
    return seen.of(first + query).is_empty();
  };
}

void make_factors(Tensor& out, const Run& run, Stage, const StageList&) {
  if (const DropoutMask* const mask = run.result.dropout.get())
    return fill_dropout_factors(out, *mask, run.part.matrix, run.part.query, run.execution);
  fill_dropout_factors(out, run.config, dropout_generator(run), run.execution);
}

void make_shares(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  normalize_rows(out, run[from[0]], hidden_rows_of(run, stage), run.execution);
}

void make_weights(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  if (normalizes_by_sum(run.config)) return make_shares(out, run, stage, from);
  softmax_rows(out, run[from[0]], hidden_rows_of(run, stage), run.execution);
}

void make_context(Tensor& out, const Run& run, Stage, const StageList& from) {
  weighted_values(out, run[from[0]], run[from[1]], run.execution);
  if (info(run.config.mechanism).has_heads) switch_off_heads(out, run.config.heads_off);
}

template <void (*function)(Tensor&, const Tensor&, const Tensor&, const Execution&)>
void make_of_two(Tensor& out, const Run& run, Stage, const StageList& from) {
  function(out, run[from[0]], run[from[1]], run.execution);
}

// The numbers that a cell is computed from.

SourceLine cell_in(const Source& cell, Stage stage, Index row, Index col) {
  Source source = cell;
  source.stage = stage;
  source.row = row;
  source.col = col;
  source.kind = SourceKind::cell;
  return {source};
}

SourceLine row_of(const Config& config, const Source& cell, Stage stage, Index row) {
  return {cell_in(cell, stage, row, 0).first, stage_shape(config, stage).back()};
}

SourceLine column_of(const Source& cell, Stage stage, Index col, Index count) {
  return {cell_in(cell, stage, 0, col).first, count, true};
}

SourceLine of_row(const Source& cell, Stage stage, SourceKind kind) {
  SourceLine number = cell_in(cell, stage, cell.row, 0);
  number.first.kind = kind;
  return number;
}

Lines draw_if(bool is_drawn, const Source& cell) {
  if (!is_drawn) return {};
  Source draw = cell;
  draw.kind = SourceKind::draw;
  return {{draw}};
}

Lines start_operands(const Config& config, const Source& cell, const StageList&) {
  if (is_gain(cell.stage)) return {};
  if (cell.stage == Stage::inputs) return draw_if(std::holds_alternative<RandnInputs>(config.inputs), cell);
  if (!is_parameter(info(cell.stage).axes) || std::holds_alternative<ModelInputs>(config.inputs)) return {};
  return draw_if(!config.weight_overrides.contains(parameter_name(config, cell.stage, cell.head)), cell);
}

// The output feature of a layer that is the first one of a head.
Index first_unit(const Config& config, Stage stage, Index head) {
  return (has_key_rows(stage) ? key_value_head(config, head) : head) * head_features(config);
}

// The weights of the output feature that the cell stands for, and its bias.
Lines projection_operands(const Config& config, const Source& cell, const StageList& from) {
  const bool is_split = info(config.mechanism).splits_heads && is_per_head(config, cell.stage);
  const Index unit = is_split ? first_unit(config, cell.stage, cell.head) + cell.col : cell.col;
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const SourceLine left = row_of(config, cell, from[0], cell.row);
  const SourceLine weights =
      is_linear ? row_of(config, cell, from[1], unit) : column_of(cell, from[1], unit, left.count);
  Lines lines = {left, weights};
  if (from.size() > 2) lines.push_back(cell_in(cell, from[2], 0, unit));
  return lines;
}

Lines norm_operands(const Config&, const Source& cell, const StageList& from) {
  return {cell_in(cell, from[0], cell.row, cell.col), of_row(cell, from[0], SourceKind::row_rms),
          cell_in(cell, from[1], 0, cell.col)};
}

// A dimension that turns, and the one that it turns with; itself where it does not turn.
Lines rotation_operands(const Config& config, const Source& cell, const StageList& from) {
  const SourceLine own = cell_in(cell, from[0], cell.row, cell.col);
  const std::optional<RopePair> pair = rope_pair(config, cell.col);
  if (!pair) return {own};
  return {own, cell_in(cell, from[0], cell.row, pair->partner(cell.col))};
}

Lines score_operands(const Config& config, const Source& cell, const StageList& from) {
  return {row_of(config, cell, from[0], cell.row), row_of(config, cell, from[1], cell.col)};
}

bool row_sees_nothing(const Config& config, const Source& cell) {
  return sees_nothing(config, cell.stage, cell.batch * head_count(config) + cell.head, cell.row);
}

Lines share_operands(const Config& config, const Source& cell, const StageList& from) {
  if (row_sees_nothing(config, cell)) return {};
  return {cell_in(cell, from[0], cell.row, cell.col), of_row(cell, from[0], SourceKind::row_sum)};
}

Lines weight_operands(const Config& config, const Source& cell, const StageList& from) {
  if (normalizes_by_sum(config) || row_sees_nothing(config, cell)) return share_operands(config, cell, from);
  return {cell_in(cell, from[0], cell.row, cell.col), of_row(cell, from[0], SourceKind::row_maximum),
          of_row(cell, from[0], SourceKind::exponential_sum)};
}

Lines factor_operands(const Config& config, const Source& cell, const StageList&) {
  const bool draws = dropout_is_active(config) && config.dropout > 0 && config.dropout < 1;
  return draw_if(draws && !kept_by_user(config, cell.batch, cell.head, cell.row, cell.col), cell);
}

Lines context_operands(const Config& config, const Source& cell, const StageList& from) {
  if (is_off(config, cell.head)) return {};
  return {row_of(config, cell, from[0], cell.row), column_of(cell, from[1], cell.col, key_count(config))};
}

Lines operand_of_head(const Config& config, const Source& cell, const StageList& from) {
  const Index width = value_features(config);
  SourceLine line = cell_in(cell, from[0], cell.row, cell.col % width);
  line.first.head = cell.col / width;
  return {line};
}

// The operation that made a cell.

template <Operation operation>
Operation always(const Result&, const Source&, bool) {
  return operation;
}

Operation operation_of_start(const Result& result, const Source& cell, bool has_operands) {
  if (has_operands) return Operation::drawn;
  const bool is_of_model = std::holds_alternative<ModelInputs>(result.config.inputs);
  if (is_of_model && cell.stage == Stage::inputs) return Operation::normalized;
  const std::string name = parameter_name(result.config, cell.stage, cell.head);
  if (result.config.weight_overrides.contains(name)) return Operation::typed;
  if (trained_parameter(result.config, name)) return Operation::learned;
  return is_gain(cell.stage) ? Operation::begun : Operation::typed;
}

Operation operation_of_hidden(const Result& result, const Source& cell, bool) {
  return is_masked(result, cell) ? Operation::masked : Operation::copied;
}

Operation operation_of_step(const Result& result, const Source& cell, bool) {
  return acts_in(result.config, cell.stage) ? Operation::step : Operation::copied;
}

Operation operation_of_rotation(const Result& result, const Source& cell, bool) {
  return rope_pair(result.config, cell.col) ? Operation::rotated : Operation::copied;
}

Operation operation_of_share(const Result&, const Source&, bool has_operands) {
  return has_operands ? Operation::share_of_sum : Operation::nothing_left;
}

Operation operation_of_weight(const Result& result, const Source& cell, bool has_operands) {
  const bool is_softmax = has_operands && !normalizes_by_sum(result.config);
  return is_softmax ? Operation::softmax : operation_of_share(result, cell, has_operands);
}

Operation operation_of_factor(const Result& result, const Source& cell, bool) {
  const bool is_set = kept_by_user(result.config, cell.batch, cell.head, cell.row, cell.col).has_value();
  return is_set ? Operation::set_by_user : Operation::kept_or_dropped;
}

// The cells that follow from a rectangle of an operand.

CellRect whole_rows(const Config&, const Reached& stage, std::size_t, const Reached& of) {
  return {of.rect.row, 0, of.rect.rows, stage.rect.cols};
}

// Returns the cells of a projection that a rectangle of weights or of a bias goes into: features of a head.
CellRect projected_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  const bool has_units_as_rows = place == 1 && info(config.mechanism).weight_style == WeightStyle::linear;
  const bool is_split = info(config.mechanism).splits_heads && is_per_head(config, stage.stage);
  const Index first = has_units_as_rows ? of.rect.row : of.rect.col;
  const Index count = has_units_as_rows ? of.rect.rows : of.rect.cols;
  const Index begin = first - (is_split ? first_unit(config, stage.stage, stage.head) : 0);
  const Index from = std::clamp<Index>(begin, 0, stage.rect.cols);
  const Index to = std::clamp<Index>(begin + count, 0, stage.rect.cols);
  return {0, from, stage.rect.rows, to - from};
}

// A number goes into its whole row, a gain into its dimension of every row.
CellRect normalized_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  return {0, of.rect.col, stage.rect.rows, of.rect.cols};
}

// The first operand goes into the same dimensions, the second into their partners.
CellRect rotated_from(const Config& config, const Reached&, std::size_t place, const Reached& of) {
  if (place == 0) return of.rect;
  CellRect partners = {of.rect.row, 0, of.rect.rows, 0};
  for (Index col = of.rect.col; col < of.rect.col + of.rect.cols; ++col) {
    const std::optional<RopePair> pair = rope_pair(config, col);
    if (!pair) continue;
    const Index partner = pair->partner(col);
    const Index end = partners.cols == 0 ? partner + 1 : std::max(partners.col + partners.cols, partner + 1);
    partners.col = partners.cols == 0 ? partner : std::min(partners.col, partner);
    partners.cols = end - partners.col;
  }
  return partners;
}

CellRect scored_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  return {0, of.rect.row, stage.rect.rows, of.rect.rows};
}

CellRect mixed_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  return {0, of.rect.col, stage.rect.rows, of.rect.cols};
}

CellRect joined_from(const Config& config, const Reached&, std::size_t, const Reached& of) {
  return {of.rect.row, of.head * value_features(config) + of.rect.col, of.rect.rows, of.rect.cols};
}

constexpr std::array<RuleInfo, cell_rule_count> rule_table = {{
    {.rule = CellRule::start, .operation = operation_of_start, .operands = start_operands},
    {.rule = CellRule::projection,
     .make = make_projection,
     .operations =
         [](const Config& config, Stage stage) {
           const std::vector<Index> from = stage_shape(config, predecessors(config, stage)[0]);
           return 2 * static_cast<double>(element_count(stage_shape(config, stage))) * static_cast<double>(from.back());
         },
     .operation = always<Operation::dot_product>,
     .operands = projection_operands,
     .dependents = projected_from},
    {.rule = CellRule::rms_norm,
     .make = make_of_two<normalize_heads>,
     .operation = always<Operation::rms_normalized>,
     .operands = norm_operands,
     .dependents = normalized_from},
    {.rule = CellRule::rotate,
     .make = [](Tensor& out, const Run& run, Stage,
                const StageList& from) { rotate_heads(out, run[from[0]], run.config, run.execution); },
     .operation = operation_of_rotation,
     .operands = rotation_operands,
     .dependents = rotated_from},
    {.rule = CellRule::query_times_key,
     .make = make_of_two<attention_scores>,
     .operations = [](const Config& config, Stage) { return score_operations(config); },
     .operation = always<Operation::dot_product>,
     .operands = score_operands,
     .dependents = scored_from},
    {.rule = CellRule::hide_or_not,
     .make = [](Tensor& out, const Run& run, Stage,
                const StageList&) { hide_keys(out, visibility(run.config), run.part.query); },
     .operation = always<Operation::mask_rule>},
    {.rule = CellRule::hide, .make = make_of_two<mask_scores>, .operation = operation_of_hidden},
    {.rule = CellRule::step,
     .make =
         [](Tensor& out, const Run& run, Stage stage, const StageList& from) {
           info(stage).step(run.config)->make(out, run[from[0]], run.config, run.execution);
         },
     .operation = operation_of_step},
    {.rule = CellRule::add_bias,
     .make =
         [](Tensor& out, const Run& run, Stage, const StageList& from) {
           add_bias(out, run[from[0]], Bias(run.config, run.part.matrix, run.part.query), run.execution);
         },
     .operation = always<Operation::add_bias>},
    {.rule = CellRule::normalize,
     .make = make_weights,
     .operation = operation_of_weight,
     .operands = weight_operands,
     .dependents = whole_rows,
     .reads_row = true},
    {.rule = CellRule::keep_seen, .make = make_of_two<mask_weights>, .operation = always<Operation::keep_seen>},
    {.rule = CellRule::share_of_row,
     .make = make_shares,
     .operation = operation_of_share,
     .operands = share_operands,
     .dependents = whole_rows,
     .reads_row = true},
    {.rule = CellRule::keep_or_drop,
     .make = make_factors,
     .operation = operation_of_factor,
     .operands = factor_operands},
    {.rule = CellRule::product, .make = make_of_two<drop_weights>, .operation = always<Operation::product>},
    {.rule = CellRule::weighted_sum,
     .make = make_context,
     .operations = [](const Config& config, Stage) { return value_operations(config); },
     .operation =
         [](const Result& result, const Source& cell, bool) {
           return is_off(result.config, cell.head) ? Operation::switched_off : Operation::dot_product;
         },
     .operands = context_operands,
     .dependents = mixed_from},
    {.rule = CellRule::side_by_side,
     .make = [](Tensor& out, const Run& run, Stage,
                const StageList& from) { concatenate_heads(out, run[from[0]], run.execution); },
     .operation = always<Operation::copied>,
     .operands = operand_of_head,
     .dependents = joined_from},
}};

constexpr bool rules_are_in_order() {
  for (std::size_t i = 0; i < rule_table.size(); ++i)
    if (static_cast<std::size_t>(rule_table[i].rule) != i) return false;
  return true;
}
static_assert(rules_are_in_order(), "a row for each rule, in their order");

Lines operands_of_cell(const Config& config, const Source& cell) {
  const StageList from = predecessors(config, cell.stage);
  if (const auto own = info(rule_of(config, cell.stage)).operands) return own(config, cell, from);
  Lines lines;
  for (const Stage stage : from) lines.push_back(cell_in(cell, stage, cell.row, cell.col));
  return lines;
}

}  // namespace

const RuleInfo& info(CellRule rule) { return rule_table[static_cast<std::size_t>(rule)]; }

std::vector<SourceLine> operands(const AttentionConfig& config, const Source& source) {
  const auto row = [&] { return row_of(config, source, source.stage, source.row); };
  switch (source.kind) {
    case SourceKind::cell:
      return operands_of_cell(config, source);
    case SourceKind::draw:
      return {};
    case SourceKind::row_maximum:
    case SourceKind::row_sum:
    case SourceKind::row_rms:
      return {row()};
    case SourceKind::exponential_sum:
      break;
  }
  return {row(), of_row(source, source.stage, SourceKind::row_maximum)};
}

}  // namespace attnscope
