#pragma once

#include "look/stage_look.h"
#include "scene/board_layout.h"

namespace attnscope::scene {

// How each kind of item is set. Private to this folder.

enum class BoardFont { heading, text, small, number };

// Values of Word::anchor: x is the word's left end, its middle or its right end.
constexpr double begins = 0;
constexpr double centred = 0.5;
constexpr double ends = 1;

struct BoardPen {
  const BoardCanvas& canvas;
  BoardLayout& layout;
  double cell = 40;           // height of a matrix's row
  bool repeats_rows = false;  // the matrix beside has the same names of rows: they stand there
  double header = 0;          // above the cells of the line's matrices

  const ThemeInks& inks() const { return canvas.theme->inks; }
  Rgb tint(int number) const { return head_rgb(number, canvas.theme->is_dark); }  // of a token or a head
  double size(BoardFont font) const;
  double line(BoardFont font) const;  // its height
  double width(BoardFont font, std::string_view text) const;
  void fill(const Box& box, Rgb colour) { layout.picture.items.emplace_back(picture::Fill{box, {colour}}); }
  void frame(const Box& box, Rgb colour, double thickness = 1) {
    layout.picture.items.emplace_back(picture::Outline{box, {colour}, thickness});
  }
  void stroke(std::vector<picture::Point> points, Rgb colour, double thickness = 1) {
    layout.picture.items.emplace_back(
        picture::Stroke{.points = std::move(points), .ink = {colour}, .thickness = thickness});
  }
  // Puts a line of text below `top`, shortened if it is wider than `room` (0: never).
  void word(std::string_view text, BoardFont font, Rgb colour, double x, double top, double anchor = begins,
            double room = 0);
  // Puts a paragraph below `top`, which moves to its end.
  void paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double& top, double width);
  std::vector<std::string> wrapped(std::string_view text, BoardFont font, double width) const;
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

}  // namespace attnscope::scene
