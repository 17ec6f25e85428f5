#pragma once

#include "features/stages/panel/stage_view.h"

namespace attnscope {

// Lets the pointer work on a heatmap whose picture, numbers and marks are drawn. `name` registers it
// ("stages/weights").
void use_heatmap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                 const CellGrid& grid);

// Hovering explains, a click pins, the wheel zooms, dragging pans, a double click shows everything. Call right after
// the heatmap's button, with whether that was clicked.
void handle_heatmap_pointer(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid,
                            bool is_clicked);

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
