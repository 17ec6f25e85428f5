#pragma once

#include <algorithm>

#include "look/stage_look.h"
#include "scene/board_layout.h"
#include "scene/sheet_pen.h"

namespace attnscope::scene {

// How each kind of item is set. Private to this folder.

enum class BoardFont { heading, text, small, number };

// Values of Word::anchor: x is the word's left end, its middle or its right end.
constexpr double begins = 0;
constexpr double centred = 0.5;
constexpr double ends = 1;

constexpr double usual_cell = 44;
constexpr double most_growth = 1.5;

struct BoardPen : SheetPen {
  const BoardCanvas& canvas;
  BoardLayout& layout;
  double cell = 40;           // height of a matrix's row
  double cell_shape = 1;      // from it to the width of a column, where its numbers are no wider
  bool is_alone = false;      // nothing stands beside the item
  bool repeats_rows = false;  // the matrix beside has the same names of rows: they stand there
  double header = 0;          // above the cells of the line's matrices

  Rgb tint(int number) const { return head_rgb(number, theme.is_dark); }  // of a token or a head
  double cell_width() const { return cell_shape * cell; }
  double least_cell() const;  // in which a number can be read
  // Letters grow with large cells, so that a view on a large screen is read from afar.
  double growth() const { return std::clamp(cell / usual_cell, 1.0, most_growth); }
  double size(BoardFont font) const;
  double line_of(BoardFont font) const { return picture::line_height * size(font); }
  double width(BoardFont font, std::string_view text) const;
  double widest(BoardFont font, const std::vector<std::string>& texts) const;
  // Puts a line of text below `top`, shortened if it is wider than `room` (0: never).
  void word(std::string_view text, BoardFont font, Rgb colour, double x, double top, double anchor = begins,
            double room = 0) const;
  // Puts a paragraph below `top`, which moves to its end.
  void paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double& top, double width) const;
  std::vector<std::string> wrapped(std::string_view text, BoardFont font, double width) const;
};

struct BoardSize {
  double width = 0;  // at the least
  double height = 0;
  double header = 0;      // of the height: above the cells
  double most_width = 0;  // of what takes the room that is left; 0: it does not
};

BoardSize size_of_item(const BoardItem& item, const BoardPen& pen, double width);
void put_item(const BoardItem& item, BoardPen& pen, const Box& box);

BoardSize size_of(const BoardMatrix& matrix, const BoardPen& pen, double width);
void put(const BoardMatrix& matrix, BoardPen& pen, const Box& box);
BoardSize size_of(const BoardBars& bars, const BoardPen& pen, double width);
void put(const BoardBars& bars, BoardPen& pen, const Box& box);
BoardSize size_of(const BoardPlot& plot, const BoardPen& pen, double width);
void put(const BoardPlot& plot, BoardPen& pen, const Box& box);
BoardSize size_of(const BoardArcs& arcs, const BoardPen& pen, double width);
void put(const BoardArcs& arcs, BoardPen& pen, const Box& box);
BoardSize size_of(const BoardMoving& moving, const BoardPen& pen, double width);
void put(const BoardMoving& moving, BoardPen& pen, const Box& box);

// Title and caption of an item; `top` moves below them.
void put_title(BoardPen& pen, std::string_view title, std::string_view caption, double x, double& top, double width);
double title_height(const BoardPen& pen, std::string_view title, std::string_view caption, double width);

}  // namespace attnscope::scene
