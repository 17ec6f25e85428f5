#pragma once

#include "look/board_layout.h"

namespace attnscope {

// How each kind of item is set. Private to this folder.

struct BoardPen {
  const BoardMeasure& measure;
  const BoardInks& inks;
  BoardPicture& picture;
  double cell = 40;           // height of a matrix's row
  bool repeats_rows = false;  // the matrix beside has the same names of rows: they stand there
  double header = 0;          // above the cells of the line's matrices

  double unit() const { return measure.unit; }
  double line(BoardFont font) const { return measure.line_of(font); }
  double width(BoardFont font, std::string_view text) const { return measure.width_of(font, text); }
  void fill(const Box& box, Rgb colour) { picture.fills.push_back({box, colour}); }
  void stroke(std::vector<BoardPoint> points, Rgb colour, double thickness) {
    picture.strokes.push_back({std::move(points), colour, thickness});
  }
  void frame(const Box& box, Rgb colour, double thickness);
  // With its left end, its middle or its right end at x; shortened where it is wider than `room` (0: never).
  void word(std::string_view text, BoardFont font, Rgb colour, double x, double y, BoardAlign align = BoardAlign::left,
            double room = 0);
  // Lines of a paragraph, from `top` on, which moves below it.
  void paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double& top, double width);
};

struct BoardSize {
  double width = 0;  // at the least
  double height = 0;
  double header = 0;         // of the height: above the cells
  bool is_flexible = false;  // takes what room is left
  double most_width = 0;
};

BoardSize size_of(const BoardItem& item, const BoardPen& pen, double width);
void put_item(const BoardItem& item, BoardPen& pen, const Box& box);

BoardSize size_of_matrix(const BoardMatrix& matrix, const BoardPen& pen);
void put_matrix(const BoardMatrix& matrix, BoardPen& pen, const Box& box);
BoardSize size_of_bars(const BoardBars& bars, const BoardPen& pen);
void put_bars(const BoardBars& bars, BoardPen& pen, const Box& box);
BoardSize size_of_plot(const BoardPlot& plot, const BoardPen& pen);
void put_plot(const BoardPlot& plot, BoardPen& pen, const Box& box);
BoardSize size_of_arcs(const BoardArcs& arcs, const BoardPen& pen, double width);
void put_arcs(const BoardArcs& arcs, BoardPen& pen, const Box& box);

BoardSize size_of_moving(const BoardMoving& moving, const BoardPen& pen);
void put_moving(const BoardMoving& moving, BoardPen& pen, const Box& box);

// Title and caption of an item; `top` moves below them.
void put_title(BoardPen& pen, std::string_view title, std::string_view caption, double x, double& top, double width);
double title_height(const BoardPen& pen, std::string_view title, std::string_view caption, double width);

}  // namespace attnscope
