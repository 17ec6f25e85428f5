#pragma once

#include "features/stages/panel/cell_grid.h"

namespace attnscope {

// A heatmap whose picture, numbers and marks are drawn: what the pointer does to it. `name` registers it
// ("stages/weights").
void use_heatmap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                 const CellGrid& grid);

// Hovering explains, a click pins, the wheel zooms, dragging pans, a double click shows everything. Call right after
// the heatmap's button, with whether that was clicked.
void handle_heatmap_pointer(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid,
                            bool is_clicked);

// The sums that stand in a column of this width beside it: the pointer explains and pins them as it does cells. `name`
// is the heatmap's.
void handle_row_sums(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                     const CellGrid& grid, float width);

// Puts the question about the sums of a stage.
void draw_question_of_sums(const ViewContext& context, CallQueue& queue, Stage stage, std::string_view name,
                           ImVec2 pos_screen);

// The whole matrix in a corner of a large heatmap that is zoomed, with a frame around what is shown; the pointer in it
// moves the view. Call before the heatmap's button. Whether the pointer is at work in it.
bool draw_minimap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                  const CellGrid& grid);

// A number of a matrix that is typed in its place. Call before the heatmap's button.
void draw_cell_field(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid);

// Changes the embedding or the weight that is dragged; with Alt, paints cells of a mask or of dropout, too. Returns
// whether it did. Call right after the heatmap's button, with the cell that the pointer is at or nearest to. `begins`:
// a drag without Alt begins at that cell; `types`: it could, and the pointer says so.
bool drag_cells(const ViewContext& context, CallQueue& queue, const Source& pointed, bool begins, bool types);

// Corners of the cells that a person changed, of those that are shown; and where they are.
void draw_edit_marks(const ViewContext& context, const StageView& view, const CellGrid& grid);
std::vector<picture::CellPlace> edited_cells(const StageView& view, const CellGrid& grid);
void draw_edit_mark(const Theme& theme, ImVec2 corner, float side);

// Shows this part of the matrix, and of the others what goes with it.
void show_window(CallQueue& queue, const StageView& view, const CellWindow& window);

// Registers a matrix for those who cannot see it. Call after its widget was registered, which has the same name.
void register_matrix(const ViewContext& context, const StageView& view, std::string_view name, const CellGrid& grid);

void draw_heatmap(const ViewContext& context, const StageView& view, const CellGrid& grid);

}  // namespace attnscope
