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
  // Vertical text around `middle_x`: ending at `bottom`, or centred on `middle_y`.
  void put_vertical(std::string_view text, const TextStyle& style, Rgb colour, double middle_x, double bottom);
  void put_vertical_centred(std::string_view text, const TextStyle& style, Rgb colour, double middle_x,
                            double middle_y);
};

// How wide words of a picture are on the page, which has to outlive it.
picture::TextMeasure text_measure(const Page& page);
// Puts a picture whose lengths are the page's; its words are among the page's texts.
void put_picture(Page& page, picture::Picture picture);

// How token labels are set: in a smaller font where names are long or rows are low.
struct LabelFit {
  TextStyle style;
  double width = 0;  // of the longest label in this font
  double line = 0;   // height of one label
};
LabelFit fit_labels(const Page& page, double widest_allowed);

// How the labels of a panel's columns are set.
struct ColumnFit {
  TextStyle style;
  bool is_vertical = false;
  Index step = 1;
  double height = 0;
  double longest = 0;  // length available to a vertical label
};
double number_size(const Page& page, const PlacedPanel& placed);  // 0 where numbers do not fit

// The heads that lie side by side in the columns of a panel, each under a strip of its colour.
void put_head_strip(Page& page, const PlacedPanel& placed);

ColumnFit fit_columns(const Page& page, const FigurePanel& panel, double cell_width, const LabelFit& labels);
void put_row_labels(Page& page, const PlacedPanel& placed, const LabelFit& labels);
void put_column_labels(Page& page, const PlacedPanel& placed, const ColumnFit& columns);

double row_sums_width(const Page& page, const FigurePanel& panel);
void put_row_sums(Page& page, const PlacedPanel& placed, const LabelFit& labels);

// A vertical colour bar beside the panels.
double vertical_bar_width(const Page& page, const FigurePanel& panel);
void put_vertical_bar(Page& page, const ColourRange& range, double x, double top, double height);
// A small colour bar below a panel.
double small_bar_height(const Page& page);
void put_small_bar(Page& page, const ColourRange& range, double x, double top, double width);

std::set<CellMark> marks_of(const FigureContent& content);  // the marks that the legend explains
void put_legend(Page& page, double& top);

// Matrices in lines below each other, with their labels and colour bars.
void put_panels(Page& page, double& top);

// The diagram of the whole pipeline, as large as there is room for it in `height`, which is 0 where it follows.
void put_diagram(Page& page, double& top, double height);
// A colour bar that ends at `right`, with the numbers of its ends, where it is no wider than `room`.
void put_header_bar(Page& page, const ColourRange& range, double right, double top, double room);

void put_marks(Page& page);  // on all panels that are placed

// A paragraph as wide as the page; `top` moves below it.
void put_paragraph(Page& page, std::string_view text, const TextStyle& style, Rgb colour, double& top, bool is_centred);

}  // namespace attnscope
