#include "features/stages/panel/stage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/results.h"
#include "core/source.h"
#include "core/visibility.h"
#include "features/compare/panel/comparison.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

// Returns what is known of the stage, and asks for the matrices that its colours and row sums still need.
SummaryPtr summary_of(const ViewContext& context, const Evaluation& evaluation, const StageView& view) {
  const SummaryPtr known = evaluation.summaries->of(view.stage);
  if (known->is_exact || !context.picture_cache) return known;
  const bool is_signed = info(view.stage).range == StageRange::signed_value || view.result->difference;
  const RangeMode range = effective_range(view.result->config, view.stage, context.now.view.range);
  const bool needs_all = range == RangeMode::shared || (is_signed && range == RangeMode::fixed);
  context.picture_cache->summarize(view.result, view.stage, view.matrix, needs_all);
  return known;
}

// A head that is finished before the others takes its place among those of the last result.
void show_newer(const std::shared_ptr<const Result>& newer, StageView& view) {
  const Stage stage = view.stage;
  const bool is_of_head = is_per_head(view.result->config, stage) && !is_parameter(info(view.stage).axes);
  if (!newer || !is_of_head || !has(*newer, stage, view.matrix)) return;
  view.result = newer;
}

}  // namespace

std::optional<StageView> stage_view(const ViewContext& context, const Evaluation& evaluation, Stage stage, Index head) {
  const Result* const result = evaluation.result.get();
  if (!result || !has(*result, stage) || !evaluation.summaries) return {};
  const Index heads = head_count(result->config);
  const Index batch = std::clamp<Index>(context.now.view.batch, 0, result->config.batch_size - 1);
  StageView view{picture::matrix_of(evaluation.result, stage, batch, std::clamp<Index>(head, 0, heads - 1))};
  if (!has(*result, stage, view.matrix)) return {};
  view.summary = summary_of(context, evaluation, view);
  show_newer(evaluation.newer, view);
  return view;
}

std::optional<StageView> stage_view(const ViewContext& context, Stage stage, Index head) {
  const Result* const result = context.now.result();
  if (!result) return {};
  const Computed* const pictured = context.pictured;
  if (!pictured) return stage_view(context, context.now.evaluation, stage, head);
  return stage_view(context, {.result = pictured->result, .summaries = pictured->summaries}, stage, head);
}

std::string why_missing(const ViewContext& context, Stage stage) {
  if (context.pictured) return why_not_compared(context, stage);
  const Result* const result = context.now.result();
  const bool is_coming = result && !result->finished.are_all() && has_stage(result->config, stage);
  return is_coming ? "This is still being computed." : "This mechanism has no such stage: choose another one above.";
}

std::vector<Index> shape_of(const StageView& view) { return shape_in_class(view.result->config, view.stage); }

ColourRange range_of(const ViewContext& context, const StageView& view) {
  const auto range_in = [&](const Result& result, const StageView& of) {
    return colour_range(result, of.stage, *of.summary, of.matrix, context.now.view.range, context.theme.is_dark);
  };
  ColourRange range = range_in(view.result->difference ? *view.result : *context.now.result(), view);
  if (!context.beside) return range;
  const auto other = stage_view(context, *context.beside, view.stage, view.head);
  if (!other) return range;
  const ColourRange of_other = range_in(*other->result, *other);
  range.low = std::min(range.low, of_other.low);
  range.high = std::max(range.high, of_other.high);
  return range;
}

picture::Matrix coloured(const ViewContext& context, const StageView& view) {
  picture::Matrix matrix = view;
  matrix.range = range_of(context, view);
  return matrix;
}

const std::optional<Source>& shown_cell(const ViewContext& context) {
  return context.now.hovered && !context.now.view.transient.keys_lead ? context.now.hovered : context.now.view.pinned;
}

MarkedLines marked_lines(const ViewContext& context, const StageView& view) {
  const std::optional<Source>& cell = shown_cell(context);
  return cell ? marked_lines(view, *cell) : MarkedLines();
}

bool has_token_columns(const StageView& view) {
  if (is_parameter(info(view.stage).axes)) return false;
  return is_query_by_key(info(view.stage).axes) || view.is_transposed;
}

float cell_value(const StageView& view, Index row, Index col) {
  return read_shown(view, view.stage, {row, col, 1, 1}).front();
}

float row_sum(const ViewContext& context, const StageView& view, Index row) {
  const bool is_infinite = holds_minus_infinity(context.now.result()->config, view.stage, row);
  return is_infinite ? -std::numeric_limits<float>::infinity()
                     : view.summary->row_sums[static_cast<std::size_t>(view.matrix * view.rows + row)];
}

bool is_hidden_cell(const StageView& view, Index row, Index col) {
  return visibility(*view.result, view.stage).hides(row, col);
}

bool is_dropped_cell(const StageView& view, Index row, Index col) {
  if (!shows_dropped(*view.result, view.stage)) return false;
  return read_shown(view, Stage::dropout_factors, {row, col, 1, 1}).front() == 0;
}

std::string row_label(const ViewContext& context, Index row) {
  if (row < static_cast<Index>(context.now.labels.size())) return context.now.labels[static_cast<std::size_t>(row)];
  return std::to_string(row + 1);
}

const std::vector<std::string>& query_labels(const ViewContext& context) { return query_labels(context.now); }

RowNames query_and_key_names(const ViewContext& context) { return {query_labels(context), context.now.labels}; }

std::span<const std::string> row_tokens(const ViewContext& context, Stage stage) {
  if (is_parameter(info(stage).axes)) return no_labels;
  return has_key_rows(stage) ? context.now.labels : query_labels(context);
}

std::span<const std::string> row_names(const ViewContext& context, const StageView& view) {
  const bool has_dimensions = view.is_transposed && !is_query_by_key(info(view.stage).axes);
  return has_dimensions ? no_labels : row_tokens(context, view.stage);
}

std::string row_label(const ViewContext& context, const StageView& view, Index row) {
  const std::span<const std::string> names = row_names(context, view);
  if (row < std::ssize(names)) return names[static_cast<std::size_t>(row)];
  const AttentionConfig& config = view.result->config;
  const std::string name =
      view.is_transposed ? column_dimension(config, view.stage, row) : row_dimension(config, view.stage, row);
  return name.empty() ? std::to_string(row + 1) : name;
}

std::vector<std::string> position_lines(const ViewContext& context, const Source& source) {
  const StageAxes axes = info(source.stage).axes;
  const bool is_cell = source.kind == SourceKind::cell;
  const AttentionConfig& config = context.now.result()->config;
  const auto numbered = [](Index index, const std::string& name) {
    return name.empty() ? std::to_string(index + 1) : fmt::format("{} “{}”", index + 1, name);
  };
  const std::string col = numbered(source.col, column_dimension(config, source.stage, source.col));
  std::vector<std::string> lines;
  if (is_query_by_key(axes)) {
    lines = {format_position("query", source.row, query_labels(context)),
             format_position("key", source.col, context.now.labels)};
  } else if (is_parameter(axes)) {
    const AxisTitles titles = axis_titles(config, source.stage);
    const std::string row = numbered(source.row, row_dimension(config, source.stage, source.row));
    if (!titles.rows.empty()) lines = {fmt::format("{}put dimension {}", titles.rows, row)};
    const std::string_view side = is_gain(source.stage) ? "" : titles.columns == "in" ? "input " : "output ";
    lines.push_back(fmt::format("{}dimension {}", side, col));
  } else {
    lines = {format_position("token", source.row, row_tokens(context, source.stage)), "dimension " + col};
  }
  if (!is_cell) lines.pop_back();
  return lines;
}

std::string column_label(const ViewContext& context, const StageView& view, Index col) {
  if (has_token_columns(view)) return row_label(context, col);
  const AttentionConfig& config = view.result->config;
  const std::string name =
      view.is_transposed ? row_dimension(config, view.stage, col) : column_dimension(config, view.stage, col);
  return name.empty() ? std::to_string(col + 1) : name;
}

}  // namespace attnscope
