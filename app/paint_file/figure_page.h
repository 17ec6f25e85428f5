#pragma once

#include <string_view>

#include "paint_file/figure_layout.h"

namespace attnscope {

// Shared by the functions that lay out a figure. Private to this folder.

struct FigureInks {
  Rgb page;
  Rgb text;
  Rgb dim;
  Rgb line;     // frames and ticks
  Rgb warning;  // a row sum that is not 1
  Rgb accent;   //
  Rgb mark;     // around the marked cell, its row and its column
};
FigureInks figure_inks(FigureTheme theme);

struct Page {
  const FigureContent& content;
  const TextShaper& shaper;
  FigureLayout& layout;
  FigureInks inks;
  double em = 12;      // the font size, in the figure's pixels
  double margin = 12;  // around everything

  double room() const { return layout.width - 2 * margin; }
  TextStyle style(double ems, bool is_bold = false) const { return {ems * em, is_bold}; }
  // Puts a line of text; `x` is the left edge, the middle or the right edge of its box, by `align`.
  const Box& put(std::string_view text, const TextStyle& style, Rgb colour, double x, double top, Align align);
};

std::set<CellMark> marks_of(const FigureContent& content);  // the marks that the legend explains
void put_legend(Page& page, double& top);
// The numbers in a panel's cells, where there is room.
void add_numbers(std::vector<PlacedText>& texts, const PlacedPanel& placed, const FigureOptions& options,
                 const TextShaper& shaper);

// Matrices in lines below each other, with their labels and colour bars.
void put_panels(Page& page, double& top);

// The diagram of the whole pipeline, as large as there is room for it in `height`, which is 0 where it follows.
void put_diagram(Page& page, double& top, double height);

picture::TextMeasure text_measure(const TextShaper& shaper);
// Adds a picture to the page; its words become texts of the layout.
void add_picture(Page& page, picture::Picture picture);
void add_words(std::vector<PlacedText>& texts, const picture::Picture& picture, const TextShaper& shaper, Rgb ground);

// A paragraph as wide as the page; `top` moves below it.
void put_paragraph(Page& page, std::string_view text, const TextStyle& style, Rgb colour, double& top, bool is_centred);

}  // namespace attnscope
