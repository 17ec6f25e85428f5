#pragma once

// Functions that the rows and rules of several families share.

#include "core/evaluate.h"
#include "core/rope.h"
#include "core/run.h"
#include "core/stage.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

namespace attnscope::stage_rules {

// The families: their rows, in any order.
extern const std::span<const StageInfo> projection_rows;
extern const std::span<const StageInfo> norm_and_position_rows;
extern const std::span<const StageInfo> score_rows;
extern const std::span<const StageInfo> weight_rows;
extern const std::span<const StageInfo> mix_rows;

// The rule of a number that nothing computes: typed, learned or drawn.
extern const CellRule started;

// Returns the same rule or operation for every configuration and cell.
template <const CellRule& rule>
const CellRule& always(const AttentionConfig&) {
  return rule;
}
template <const Operation& operation>
const Operation& does(const Result&, const Source&, bool) {
  return operation;
}

// Tests of what a configuration has.
inline bool has_weights(const AttentionConfig& config) {
  return info(config.mechanism).weight_style != WeightStyle::none;
}
inline bool has_inputs(const AttentionConfig& config) { return !begins_with_heads(config); }
inline bool has_queries(const AttentionConfig& config) { return has_weights(config) || begins_with_heads(config); }
inline bool has_biases(const AttentionConfig& config) {
  return config.qkv_bias && info(config.mechanism).weight_style == WeightStyle::linear;
}
inline bool has_output(const AttentionConfig& config) { return info(config.mechanism).has_output_projection; }
inline bool has_dropout(const AttentionConfig& config) { return info(config.mechanism).has_dropout; }
inline bool is_masked(const AttentionConfig& config) { return config.mask != MaskRoute::none; }
inline bool masks_scores(const AttentionConfig& config) {
  return config.mask == MaskRoute::causal || config.mask == MaskRoute::custom;
}
inline bool renormalizes(const AttentionConfig& config) { return config.mask == MaskRoute::causal_renormalized; }
inline bool masks_weights(const AttentionConfig& config) { return is_masked(config) && !masks_scores(config); }
inline bool has_scaled_scores(const AttentionConfig& config) { return has_queries(config) || config.scale; }
inline bool has_softcap(const AttentionConfig& config) { return config.softcap.has_value(); }

// The stages that each one follows from.

inline StageList before(const AttentionConfig& config, Stage stage) { return {before_on_route(config, stage)}; }

inline StageList before_and_mask(const AttentionConfig& config, Stage stage) {
  return {before_on_route(config, stage), Stage::mask};
}

template <auto... fields>
inline constexpr ConfigPart part_of = {
    .differs = [](const AttentionConfig& left,
                  const AttentionConfig& right) { return ((left.*fields != right.*fields) || ...); },
    .copy = [](AttentionConfig& to, const AttentionConfig& from) { ((to.*fields = from.*fields), ...); }};

// How stages are made.

template <void (*function)(Tensor&, const Tensor&, const Tensor&, const Execution&)>
void make_of_two(Tensor& out, const Run& run, Stage, const StageList& from) {
  function(out, run[from[0]], run[from[1]], run.execution);
}

// The numbers that a cell is computed from.

inline SourceLine cell_line(const Source& cell, Stage stage, Index row, Index col) {
  Source source = cell;
  source.stage = stage;
  source.row = row;
  source.col = col;
  source.kind = SourceKind::cell;
  return {source};
}

inline SourceLine row_line(const AttentionConfig& config, const Source& cell, Stage stage, Index row) {
  return {cell_line(cell, stage, row, 0).first, stage_shape(config, stage).back()};
}

inline SourceLine column_line(const Source& cell, Stage stage, Index col, Index count) {
  return {cell_line(cell, stage, 0, col).first, count, true};
}

// A number of the cell's row: its maximum, its sum.
inline SourceLine number_line(const Source& cell, Stage stage, SourceKind kind) {
  SourceLine number = cell_line(cell, stage, cell.row, 0);
  number.first.kind = kind;
  return number;
}

inline std::vector<SourceLine> draw_if(bool is_drawn, const Source& cell) {
  if (!is_drawn) return {};
  Source draw = cell;
  draw.kind = SourceKind::draw;
  return {{draw}};
}

// The cells that follow from a rectangle of an operand.

inline CellRect whole_rows(const AttentionConfig&, const Reached& stage, std::size_t, const Reached& of) {
  return {of.rect.row, 0, of.rect.rows, stage.rect.cols};
}

// Those of a row of the first operand fill their row, those of a column of the second their column.
inline CellRect rows_or_columns(const AttentionConfig& config, const Reached& stage, std::size_t place,
                                const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  return {0, of.rect.col, stage.rect.rows, of.rect.cols};
}

inline StageWording wording_of_row(Stage stage) {
  return {std::string(info(stage).formula), std::string(info(stage).pytorch)};
}

}  // namespace attnscope::stage_rules
