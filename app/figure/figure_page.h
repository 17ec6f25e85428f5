#pragma once

#include <string_view>

#include "figure/figure_layout.h"

namespace attnscope {

// What the functions that lay out a figure work on. Private to this folder.

struct FigureInks {
  Rgb page;
  Rgb text;
  Rgb dim;
  Rgb line;     // frames and ticks
  Rgb warning;  // a row sum that is not 1
};
FigureInks figure_inks(FigureTheme theme);

struct Page {
  const FigureContent& content;
  const TextShaper& shaper;
  FigureLayout& layout;
  FigureInks inks;
  double em = 12;      // of the chosen font size
  double margin = 12;  // around everything

  double room() const { return layout.width - 2 * margin; }
  TextStyle style(double ems, bool is_bold = false) const { return {ems * em, is_bold}; }
  // A line whose box is `x` to the left, in the middle or to the right of.
  const Box& put(std::string_view text, const TextStyle& style, Rgb colour, double x, double top, Align align);
  // A vertical one whose box has its middle at `middle_x` and ends at `bottom`, or with its middle at `middle_y`.
  void put_vertical(std::string_view text, const TextStyle& style, Rgb colour, double middle_x, double bottom);
  void put_vertical_centred(std::string_view text, const TextStyle& style, Rgb colour, double middle_x,
                            double middle_y);
};

// How the labels of tokens are set: smaller than asked for where names are long or rows are low.
struct LabelFit {
  TextStyle style;
  double width = 0;  // of the longest, as it is set
  double line = 0;   // what one takes of the other direction
};
LabelFit fit_labels(const Page& page, double widest_allowed);

// The labels of a panel's columns, and how high they are.
struct ColumnFit {
  TextStyle style;
  bool is_vertical = false;
  Index step = 1;
  double height = 0;
  double longest = 0;  // room along a vertical label
};
ColumnFit fit_columns(const Page& page, const FigurePanel& panel, double cell_width, const LabelFit& labels);
void put_row_labels(Page& page, const PlacedPanel& placed, const LabelFit& labels);
void put_column_labels(Page& page, const PlacedPanel& placed, const ColumnFit& columns);

double row_sums_width(const Page& page, const FigurePanel& panel);
void put_row_sums(Page& page, const PlacedPanel& placed, const LabelFit& labels);

// Beside the panels, from top to bottom.
double vertical_bar_width(const Page& page, const FigurePanel& panel);
void put_vertical_bar(Page& page, const ColourRange& range, double x, double top, double height);
// Below a panel.
double small_bar_height(const Page& page);
void put_small_bar(Page& page, const ColourRange& range, double x, double top, double width);

std::set<CellMark> marks_of(const FigureContent& content);  // that its legend explains
void put_legend(Page& page, double& top);

// Wrapped to the width of the page; `top` moves below it.
void put_paragraph(Page& page, std::string_view text, const TextStyle& style, Rgb colour, double& top, bool is_centred);

}  // namespace attnscope
