#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/stages/panel/stage_view.h"
#include "view/cells.h"
#include "view/matrix_sheet.h"

namespace attnscope {

// Matrices of stages with what stands around them, as Heads and Focus show them.

enum class SheetUse {
  heads,    // a matrix of each head, with one set of names and one colour bar
  large,    // one matrix
  operand,  // a matrix that the large one follows from: its title above, its colour bar below
};

// The room of a sheet, on the screen and in units.
struct SheetRoom {
  ImVec2 min_screen;
  double width = 0;
  double height = 0;
};
SheetRoom sheet_room(const ViewContext& context, ImVec2 min_screen, ImVec2 size);

// Writes into a picture whose lengths are units of the interface, with text of `em`. `measure` must outlive it.
scene::SheetPen screen_pen(const ViewContext& context, picture::Picture& picture, const picture::TextMeasure& measure,
                           double em, double least_text = 0);

class StageSheet {
public:
  // Without a view a matrix is still to be computed; there is one at least. `em` is the size of the text, in units.
  StageSheet(const ViewContext& context, std::vector<std::optional<StageView>> views, SheetUse use,
             const SheetRoom& room, double em);

  void leave_sums_out();  // draws no row sums, if there is no room beside the matrices
  void leave_bar_out();
  // The size of a cell in columns and lines that fill the room from `top` on, in units.
  scene::CellSize fit(Index columns, Index lines, double top) const;
  // Lays it out in so many columns.
  void place(Index columns, double top, std::optional<scene::CellSize> cell);
  const scene::PlacedSheetMatrix& placed(std::size_t matrix) const { return sheet_.matrices[matrix]; }
  const scene::Sheet& sheet() const { return sheet_; }

  // Paints it, and has the pointer and the keys work on its cells.
  void draw(CallQueue& queue);
  void paint_alone();  // paints it without pointer and keys

  ImVec2 at(double x, double y) const;
  CellGrid grid_of(std::size_t matrix) const;

private:
  scene::SheetPen pen(picture::Picture& picture) const;
  scene::SheetTexts texts() const;
  const StageView& like() const;
  std::string name_of(const StageView& view) const;

  const ViewContext& context_;
  std::vector<std::optional<StageView>> views_;
  std::vector<scene::SheetMatrix> matrices_;
  SheetRoom room_;
  double scale_;
  double em_;
  picture::TextMeasure measure_;
  scene::SheetStyle style_;
  scene::Sheet sheet_;
  picture::Picture picture_;
};

double text_size_in(const SheetRoom& room);  // larger where there is more room

// Draws the title of a stage, its formula and its shape, and below them the line of PyTorch that it equals. Returns the
// height that it takes, in units.
double draw_sheet_header(const ViewContext& context, CallQueue& queue, const StageView& view, const SheetRoom& room,
                         double em, bool has_code, std::string_view note);

// Notes the marks of the cells that a heatmap shows, for the legend of this frame. If the cells are too many to be read
// in each frame, notes the marks that mask and dropout make.
void note_marks(const ViewContext& context, const StageView& view, const CellGrid& grid);

// Draws the marks that were noted, each beside a sample, in small text on the line that begins at `pos_screen`. Draws
// nothing if there are none.
void draw_mark_legend(const ViewContext& context, ImVec2 pos_screen);
float mark_legend_width(const ViewContext& context);

}  // namespace attnscope
