#pragma once

#include <optional>
#include <span>

#include "ui/view_context.h"
#include "view/matrix.h"
#include "view/stage_look.h"

namespace attnscope {

// One matrix of one stage, as a view shows it; its range is that of coloured().
struct StageView : picture::Matrix {
  SummaryPtr summary = {};
};

// Nothing when the result has no such stage, or the head is yet to be computed. Head and batch entry are clamped to
// what the result has.
std::optional<StageView> stage_view(const ViewContext& context, Stage stage, Index head);
std::optional<StageView> stage_view(const ViewContext& context, const Evaluation& evaluation, Stage stage, Index head);

// Why there is nothing: a sentence.
std::string why_missing(const ViewContext& context, Stage stage);

std::vector<Index> shape_of(const StageView& view);  // of the whole stage

// The range of its colours, which the other document of a comparison may widen; and the matrix with it.
ColourRange range_of(const ViewContext& context, const StageView& view);
picture::Matrix coloured(const ViewContext& context, const StageView& view);

// The cell that is explained: the one under the pointer, else the pinned one; and its lines in a stage, as that is
// shown.
const std::optional<Source>& shown_cell(const ViewContext& context);
MarkedLines marked_lines(const ViewContext& context, const StageView& view);

bool has_token_columns(const StageView& view);

float cell_value(const StageView& view, Index row, Index col);
// Returns the sum of a row as shown; NaN where it is not known yet.
float row_sum(const ViewContext& context, const StageView& view, Index row);
bool is_hidden_cell(const StageView& view, Index row, Index col);
bool is_dropped_cell(const StageView& view, Index row, Index col);

// Labels of the axes: tokens where an axis is tokens (also for tokens that a stale result does not have yet), else
// numbers.
std::string row_label(const ViewContext& context, Index row);
std::string row_label(const ViewContext& context, const StageView& view, Index row);

// The names of the queries. Given queries may be others than the keys and have names of their own or none.
const std::vector<std::string>& query_labels(const ViewContext& context);
RowNames query_and_key_names(const ViewContext& context);

// Names of the tokens that the rows of a stage stand for, where they do.
std::span<const std::string> row_tokens(const ViewContext& context, Stage stage);
// Names of the rows of a picture of a stage, which may be dimensions: those have none.
std::span<const std::string> row_names(const ViewContext& context, const StageView& view);

// Says where a number stands, a line for each axis: "query 2 journey".
std::vector<std::string> position_lines(const ViewContext& context, const Source& source);
std::string column_label(const ViewContext& context, const StageView& view, Index col);

}  // namespace attnscope
