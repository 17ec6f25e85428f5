#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "look/board.h"
#include "look/box.h"

namespace attnscope {

// Where everything on a board stands, as fills, lines and words: whoever can draw these three can draw every view.

enum class BoardFont { heading, text, small, number };
constexpr std::size_t board_font_count = 4;

struct BoardMeasure {
  std::function<double(BoardFont, std::string_view)> width_of;
  std::array<double, board_font_count> line = {};  // height of one
  double unit = 1;                                 // of the interface's scale

  double line_of(BoardFont font) const { return line[static_cast<std::size_t>(font)]; }
};

struct BoardInks {
  Rgb text;
  Rgb dim;
  Rgb line;
  Rgb accent;
  Rgb mark;     // what is to be looked at
  Rgb warning;  // a row sum that is not 1
  Rgb hidden;   // behind the hatch
  Rgb hatch;
  Rgb paper;  // behind everything
  bool is_dark = false;
};

struct BoardPoint {
  double x = 0;
  double y = 0;
};
struct BoardFill {
  Box box;
  Rgb colour;
};
struct BoardStroke {
  std::vector<BoardPoint> points;
  Rgb colour;
  double thickness = 1;
};
enum class BoardAlign { left, centre, right };
struct BoardWord {
  std::string text;
  BoardFont font = BoardFont::text;
  Rgb colour;
  double x = 0;  // of the left end
  double y = 0;  // of the line's top
  double width = 0;
  BoardAlign align = BoardAlign::left;
};
// Cells that the pointer finds.
struct BoardCells {
  const BoardMatrix* matrix = nullptr;  // in the board
  Box box;

  double cell_width() const { return box.width / static_cast<double>(matrix->cols); }
  double cell_height() const { return box.height / static_cast<double>(matrix->rows); }
};
struct BoardSpot {  // a place that stands for a number
  Box box;
  Source source;
  std::string text;
};

struct BoardPicture {
  double width = 0;
  double height = 0;
  std::vector<BoardFill> fills;
  std::vector<BoardStroke> strokes;
  std::vector<BoardWord> words;
  std::vector<BoardCells> cells;
  std::vector<BoardSpot> spots;
};

// The lines of a board in `width`, as large as fits `height` where that can be; no smaller than can be read, and then
// the picture is larger. The board must outlive it.
BoardPicture lay_out(const Board& board, const BoardMeasure& measure, const BoardInks& inks, double width,
                     double height);

// The text in lines no wider than `width`.
std::vector<std::string> wrap_words(const BoardMeasure& measure, BoardFont font, std::string_view text, double width);

// A colour for each token and each head, also where there are more of them than colours.
Rgb tint_rgb(int tint, bool is_dark);

}  // namespace attnscope
