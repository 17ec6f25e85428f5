#pragma once

#include <string_view>

#include "look/colour_range.h"
#include "scene/sheet_pen.h"

namespace attnscope::scene {

// The colours of a range with the numbers that they stand for. Where those are to be predicted, `has_numbers` is false.
struct ColourBar {
  ColourRange range;
  std::string_view name = {};  // of the range: "× visible keys"; empty: none
  bool has_numbers = true;
};

// A vertical one beside matrices: the width that it takes from `x` on, and the bar itself.
double vertical_bar_width(const SheetPen& pen, const ColourBar& bar);
void put_vertical_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double height);

// A horizontal one with the numbers of its ends below it.
double small_bar_height(const SheetPen& pen);
void put_small_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double width);

// A short one within a line of text, between the numbers of its ends; it ends at `right`. Returns its width.
double put_inline_bar(const SheetPen& pen, const ColourBar& bar, double right, double top);

}  // namespace attnscope::scene
