#pragma once

#include <string>
#include <vector>

#include "view/board.h"
#include "view/cells.h"

namespace attnscope::scene {

// The cells of one matrix, for the pointer.
struct BoardCells : CellPlot {
  const BoardMatrix* matrix = nullptr;  // points into the board
};
struct BoardSpot {  // the box of a token, which stands for a number
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

constexpr double endless_height = 1e6;  // the page gets as high as its content

// The room and the style that a board is laid out in; lengths are in units of the interface.
struct BoardCanvas {
  double width = 0;
  double height = 0;
  double text = 0;  // size of the text
  const ThemeColours* theme = nullptr;
  Rgb paper;  // the colour behind everything
  Rgb line;   // the colour of frames and axes
  picture::TextMeasure measure;
  bool scrolls = false;  // no line is left out: the last ones may stand below the canvas
};

// Lays a board out with cells as large as the canvas allows, in its middle. Where room is short, the board's last lines
// are left out, so that the first one stays large. Cells stay large enough for their numbers; if there is no room for
// that in the first line, the picture is larger than the canvas.
BoardLayout layout_board(const Board& board, const BoardCanvas& canvas);

}  // namespace attnscope::scene
