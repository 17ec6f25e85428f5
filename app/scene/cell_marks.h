#pragma once

#include <set>

#include "look/cell_mark.h"
#include "scene/sheet_pen.h"

namespace attnscope::scene {

// Draws a cell that has a mark, instead of the colour of its number or on top of that colour, which is `ground`.
void put_mark(picture::Picture& picture, CellMark mark, const Box& cell, Rgb ground, const ThemeColours& theme);

// The legend of the marks that cells have: a sample beside each name.

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks);  // on one line

// Writes the legend in the middle of the lines between `left` and `right`, as many as it takes. Returns where it ends.
double put_legend(const SheetPen& pen, const std::set<CellMark>& marks, Rgb ink, double left, double right, double top);

}  // namespace attnscope::scene
