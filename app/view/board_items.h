#pragma once

#include <algorithm>
#include <span>

#include "view/board.h"
#include "view/stage_look.h"

namespace attnscope::scene {

// Sets each kind of item. Private to this folder.

enum class BoardFont { heading, text, small, number };

// Values of Word::anchor: x is the word's left end, its middle or its right end.
constexpr double begins = 0;
constexpr double centred = 0.5;
constexpr double ends = 1;

struct BoardPen : SheetPen {
  const BoardCanvas& canvas;
  BoardLayout& layout;
  double cell = 40;           // height of a matrix's row
  double cell_shape = 1;      // width of a column for each unit of height, unless numbers need more
  bool is_measuring = false;  // only sizes are wanted: the drawing is thrown away
  bool is_alone = false;      // nothing stands beside the item
  bool repeats_rows = false;  // the matrix beside names the same rows already
  double header = 0;          // height above the cells of the line's matrices

  Rgb tint(int number) const { return series_rgb(number, theme.is_dark); }  // the colour of a token or a curve
  // Returns a shade of one hue, which says neither a sign nor a head. Neighbours are far apart.
  Rgb shade(int number) const {
    constexpr double shares[] = {0.2, 0.75, 0.4, 0.95, 0.1, 0.6, 0.3, 0.85};
    return mix(canvas.paper, theme.inks.accent, number < 0 ? 0 : shares[static_cast<std::size_t>(number) % 8]);
  }
  Rgb grey(int number) const {  // for what has no colour of its own; neighbours are far apart
    constexpr double shares[] = {0.8, 0.5, 0.95, 0.65};
    return mix(canvas.paper, theme.inks.text, shares[static_cast<std::size_t>(number) % 4]);
  }
  Rgb head(int number) const { return head_rgb(number, theme.is_dark); }  // the grey of a head
  double cell_width() const { return cell_shape * cell; }
  double least_cell() const;  // the least height in which a number can be read
  double growth() const;      // enlarges letters in large cells, to be read from afar
  double size(BoardFont font) const;
  double line_of(BoardFont font) const { return picture::line_height * size(font); }
  double width(BoardFont font, std::string_view text) const;
  double widest(BoardFont font, const std::vector<std::string>& texts) const;
  // Puts a line of text below `top`, shortened if it is wider than `room` (0: never).
  void word(std::string_view text, BoardFont font, Rgb colour, double x, double top, double anchor = begins,
            double room = 0) const;
  // Returns the room for a name above or below a column: its width, and what the names beside it leave free.
  double name_room(const std::vector<std::string>& names, std::size_t at, double column) const;
  double overhang(const std::vector<std::string>& names, double column) const;  // of the last name, at its right
  // Puts a paragraph below `top`; returns where it ends.
  double paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double top, double width) const;
  // Puts the title and the caption of an item; returns where what follows begins.
  double title(std::string_view title, std::string_view caption, double x, double top, double width,
               std::optional<Rgb> ink = {}) const;
};

struct BoardSize {
  double width = 0;  // the least width
  double height = 0;
  double header = 0;      // part of the height that is above the cells
  double most_width = 0;  // limit of an item that takes the room that is left; 0: it takes none
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

// Explains a colour: a sample (a square, a line, a dashed line), and the name of what has this colour.
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
