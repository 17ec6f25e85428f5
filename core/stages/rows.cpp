// The graph of the stages, from the rows of all families.

#include "core/stages/support.h"

#include <algorithm>
#include <cassert>

namespace attnscope {

namespace {

using StageTable = std::array<StageInfo, stage_count>;

// The rows in the order of the enumerators. A row that leaves a name out has it from another one.
StageTable collected_rows() {
  using namespace stage_rules;
  StageTable table{};
  for (const auto& family : {projection_rows, norm_and_position_rows, score_rows, weight_rows, mix_rows}) {
    for (StageInfo row : family) {
      if (row.title.empty()) row.title = row.id;
      if (row.latex.empty()) row.latex = row.symbol;
      table.at(static_cast<std::size_t>(row.stage)) = row;
    }
  }
  assert(std::ranges::all_of(table, [](const StageInfo& row) { return row.rule; }) && "a row for each enumerator");
  return table;
}

const StageTable& stage_table() {
  static const StageTable table = collected_rows();
  return table;
}

// The steps from scores to weights in their order, also those that a configuration does not have.
StageList route_of(const AttentionConfig& config) {
  static const std::vector<const StageInfo*> steps = [] {
    std::vector<const StageInfo*> all;
    for (const StageInfo& row : stage_table())
      if (row.is_step) all.push_back(&row);
    return all;
  }();
  StageList route;
  std::optional<Stage> waiting;
  for (const StageInfo* const step : steps) {
    if (step->waits(config)) {
      waiting = step->stage;
      continue;
    }
    if (waiting && step->range == StageRange::probability) {
      route.add(*waiting);
      waiting.reset();
    }
    route.add(step->stage);
  }
  return route;
}

std::vector<SourceLine> operands_of_cell(const AttentionConfig& config, const Source& cell) {
  const StageList from = predecessors(config, cell.stage);
  if (const auto own = rule_of(config, cell.stage).operands) return own(config, cell, from);
  std::vector<SourceLine> lines;
  for (const Stage stage : from) lines.push_back(stage_rules::cell_line(cell, stage, cell.row, cell.col));
  return lines;
}

bool is_of_keys(const StageInfo& row) { return row.side && *row.side != OperandSide::query; }

}  // namespace

std::span<const StageInfo> stages() { return stage_table(); }

const StageInfo& info(Stage key) { return stage_table()[static_cast<std::size_t>(key)]; }

bool has_key_rows(Stage stage) { return is_of_keys(info(stage)) && info(stage).axes == StageAxes::head_token_feature; }

bool makes_keys_or_values(Stage parameter) {
  return is_of_keys(info(parameter)) && is_parameter(info(parameter).axes) && !is_gain(parameter);
}

std::optional<Stage> stage_named(std::string_view id) {
  const auto found = std::ranges::find(stages(), id, &StageInfo::id);
  return found == stages().end() ? std::nullopt : std::optional(found->stage);
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

const CellRule& rule_of(const AttentionConfig& config, Stage stage) { return info(stage).rule(config); }

bool has_stage(const AttentionConfig& config, Stage stage) { return info(stage).exists(config); }

bool acts_in(const AttentionConfig& config, Stage stage) {
  return has_stage(config, stage) && info(stage).acts(config);
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

std::vector<SourceLine> operands(const AttentionConfig& config, const Source& source) {
  using namespace stage_rules;
  const auto row = [&] { return row_line(config, source, source.stage, source.row); };
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
  return {row(), number_line(source, source.stage, SourceKind::row_maximum)};
}

}  // namespace attnscope
