#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "ui/view_context.h"
#include "view/cells.h"
#include "view/picture.h"
#include "view/stage_look.h"

namespace attnscope {

// One matrix of one stage, as a view shows it; its range is that of coloured().
struct StageView : picture::Matrix {
  SummaryPtr summary = {};
};

// Returns nothing if the result has no such stage, or the head is yet to be computed. Head and batch entry are clamped
// to what the result has.
std::optional<StageView> stage_view(const ViewContext& context, Stage stage, Index head);
std::optional<StageView> stage_view(const ViewContext& context, const Evaluation& evaluation, Stage stage, Index head);

// Returns a sentence that says why there is nothing.
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

// Returns the names of the queries. Given queries may be others than the keys and have names of their own or none.
const std::vector<std::string>& query_labels(const ViewContext& context);
RowNames query_and_key_names(const ViewContext& context);

// Returns the names of the tokens that the rows of a stage stand for, if they do.
std::span<const std::string> row_tokens(const ViewContext& context, Stage stage);
// Returns the names of the rows of a stage's picture; rows that are dimensions have none.
std::span<const std::string> row_names(const ViewContext& context, const StageView& view);

// Says where a number stands, a line for each axis: "query 2 journey".
std::vector<std::string> position_lines(const ViewContext& context, const Source& source);
std::string column_label(const ViewContext& context, const StageView& view, Index col);

// The place of a heatmap's cells on the screen.
struct CellGrid : scene::CellPlot {
  ImVec2 min_screen() const { return {static_cast<float>(box.x), static_cast<float>(box.y)}; }
  ImVec2 max_screen() const { return {static_cast<float>(box.right()), static_cast<float>(box.bottom())}; }
  ImVec2 size_screen() const { return {static_cast<float>(box.width), static_cast<float>(box.height)}; }
  float cell_side() const { return static_cast<float>(std::min(cell_width(), cell_height())); }  // the smaller one
  bool is_zoomed() const { return !is_whole(window, rows, cols); }

  // Returns the upper left corner of a cell, which may lie outside of the plot.
  ImVec2 corner(Index row, Index col) const {
    return {static_cast<float>(across().at(col)), static_cast<float>(down().at(row))};
  }
  double col_at(float x_screen) const { return across().index_at(static_cast<double>(x_screen)); }
  double row_at(float y_screen) const { return down().index_at(static_cast<double>(y_screen)); }

  // Return the rows and columns that are visible at least in part.
  Index first_row() const { return down().begin_index(); }
  Index first_col() const { return across().begin_index(); }
  Index end_row() const { return down().end_index(); }
  Index end_col() const { return across().end_index(); }
};

Box box_between(ImVec2 min_screen, ImVec2 max_screen);

MapPlace map_place(const StageView& view);

CellGrid cell_grid(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen);

// How many cells share a point of the picture; 1 and 1 where each has its own.
struct PooledCells {
  double rows = 1;
  double cols = 1;
  bool is_pooled() const { return rows > 1 || cols > 1; }
};
PooledCells pooled_cells(const CellGrid& grid);
// "largest of 4 × 4 cells", "largest of about 5 × 4 cells", or "largest of 4 of 137 rows" where the others are not
// read; empty where each has its own.
std::string pooling_text(const CellGrid& grid);

// Heatmaps: defined in heatmap.cpp.

// Lets the pointer work on a heatmap whose picture, numbers and marks are drawn. `name` registers it
// ("stages/weights").
void use_heatmap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                 const CellGrid& grid);

// Lets the pointer explain and pin the sums in a column of this width beside the heatmap, as it does cells. `name` is
// the heatmap's.
void handle_row_sums(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                     const CellGrid& grid, float width);

// Puts the question about the sums of a stage.
void draw_question_of_sums(const ViewContext& context, CallQueue& queue, Stage stage, std::string_view name,
                           ImVec2 pos_screen);

// Draws the whole matrix in a corner of a large heatmap that is zoomed, with a frame around the shown part; the pointer
// in it moves the view. Call before the heatmap's button. Returns whether the pointer is at work in it.
bool draw_minimap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                  const CellGrid& grid);

// Draws the field for a number that is typed in its cell. Call before the heatmap's button.
void draw_cell_field(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid);

// Changes the embedding or the weight that is dragged; with Alt, paints cells of a mask or of dropout, too. Returns
// whether it did. Call right after the heatmap's button, with the cell that the pointer is at or nearest to. `begins`:
// a drag without Alt begins at that cell; `types`: it could, and the pointer says so.
bool drag_cells(const ViewContext& context, CallQueue& queue, const Source& pointed, bool begins, bool types);

// Draws marks in the corners of the shown cells that the user changed; edited_cells() returns their places.
void draw_edit_marks(const ViewContext& context, const StageView& view, const CellGrid& grid);
std::vector<picture::CellPlace> edited_cells(const StageView& view, const CellGrid& grid);
void draw_edit_mark(const Theme& theme, ImVec2 corner, float side);

// Shows this part of the matrix, and the matching part of the others.
void show_window(CallQueue& queue, const StageView& view, const CellWindow& window);

// Registers a matrix for those who cannot see it. Call after its widget was registered, which has the same name.
void register_matrix(const ViewContext& context, const StageView& view, std::string_view name, const CellGrid& grid);

void draw_heatmap(const ViewContext& context, const StageView& view, const CellGrid& grid);

}  // namespace attnscope
