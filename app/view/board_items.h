#pragma once

#include <algorithm>
#include <span>

#include "view/board_layout.h"
#include "view/stage_look.h"

namespace attnscope::scene {

// How each kind of item is set. Private to this folder.

enum class BoardFont { heading, text, small, number };

// Values of Word::anchor: x is the word's left end, its middle or its right end.
constexpr double begins = 0;
constexpr double centred = 0.5;
constexpr double ends = 1;

struct BoardPen : SheetPen {
  const BoardCanvas& canvas;
  BoardLayout& layout;
  double cell = 40;           // height of a matrix's row
  double cell_shape = 1;      // from it to the width of a column, where its numbers are no wider
  bool is_measuring = false;  // only sizes are wanted: what is drawn is thrown away
  bool is_alone = false;      // nothing stands beside the item
  bool repeats_rows = false;  // the matrix beside has the same names of rows: they stand there
  double header = 0;          // above the cells of the line's matrices

  Rgb tint(int number) const { return head_rgb(number, theme.is_dark); }  // of a token or a head
  double cell_width() const { return cell_shape * cell; }
  double least_cell() const;  // in which a number can be read
  double growth() const;      // of letters in large cells, so that a view on a large screen is read from afar
  double size(BoardFont font) const;
  double line_of(BoardFont font) const { return picture::line_height * size(font); }
  double width(BoardFont font, std::string_view text) const;
  double widest(BoardFont font, const std::vector<std::string>& texts) const;
  // Puts a line of text below `top`, shortened if it is wider than `room` (0: never).
  void word(std::string_view text, BoardFont font, Rgb colour, double x, double top, double anchor = begins,
            double room = 0) const;
  // Puts a paragraph below `top`; returns where it ends.
  double paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double top, double width) const;
  // Puts the title and the caption of an item; returns where what follows begins.
  double title(std::string_view title, std::string_view caption, double x, double top, double width) const;
};

struct BoardSize {
  double width = 0;  // at the least
  double height = 0;
  double header = 0;      // of the height: above the cells
  double most_width = 0;  // of what takes the room that is left; 0: it does not
};

// Each sets an item in its box and returns its size. To be measured, an item is set in a box as wide as the page.
BoardSize set_item(const BoardMatrix& matrix, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardBars& bars, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardPlot& plot, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardTable& table, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardText& text, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardSign& sign, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardArcs& arcs, BoardPen& pen, const Box& box);
BoardSize set_item(const BoardMoving& moving, BoardPen& pen, const Box& box);

// Explains a colour: a square of it, a line or a dashed line, and the name of what has it.
struct BoardKey {
  enum class Kind { square, line, dashes };
  std::string name;
  Rgb colour;
  Kind kind = Kind::square;
};
constexpr double key_gap = 18;  // between two keys
double widest_key(const BoardPen& pen, std::span<const BoardKey> keys);
// Puts keys side by side as far as there is room, then below each other; returns where they end.
double put_keys(const BoardPen& pen, std::span<const BoardKey> keys, double x, double top, double width);

}  // namespace attnscope::scene
