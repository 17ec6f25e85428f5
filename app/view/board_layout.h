#pragma once

#include <string>
#include <vector>

#include "view/board.h"
#include "view/cells.h"

namespace attnscope::scene {

// Cells that the pointer finds.
struct BoardCells : CellPlot {
  const BoardMatrix* matrix = nullptr;  // in the board
};
struct BoardSpot {  // a place that stands for a number
  Box box;
  Source source;
  std::string text;
};

// A teaching view as a picture. The board must outlive it.
struct BoardLayout {
  double width = 0;
  double height = 0;
  picture::Picture picture;
  std::vector<BoardCells> cells;
  std::vector<BoardSpot> spots;
};

constexpr double endless_height = 1e6;  // of a page that is as high as what stands on it

// The room and the style that a board is laid out in; lengths are in units of the interface.
struct BoardCanvas {
  double width = 0;
  double height = 0;
  double text = 0;  // size of its text
  const ThemeColours* theme = nullptr;
  Rgb paper;  // behind everything
  Rgb line;   // of frames and axes
  picture::TextMeasure measure;
};

// Lays a board out with cells as large as the canvas allows, in its middle. Where room is short, the board's last lines
// are left out, so that the first one stays large. Cells stay large enough for their numbers; if there is no room for
// that in the first line, the picture is larger than the canvas.
BoardLayout layout_board(const Board& board, const BoardCanvas& canvas);

}  // namespace attnscope::scene
