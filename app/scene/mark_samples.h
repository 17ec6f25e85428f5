#pragma once

#include <set>

#include "look/cell_mark.h"
#include "scene/sheet_pen.h"

namespace attnscope::scene {

// The legend of the marks that cells have: a sample beside each name.

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks);  // on one line

// Writes the legend in the middle of the lines between `left` and `right`, as many as it takes. Returns where it ends.
double put_legend(const SheetPen& pen, const std::set<CellMark>& marks, Rgb ink, double left, double right, double top);

}  // namespace attnscope::scene
