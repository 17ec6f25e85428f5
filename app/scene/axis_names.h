#pragma once

#include "scene/matrix_sheet.h"

namespace attnscope::scene {

// The names along the edges of a matrix, thinned out where there are too many. Private to this folder.

struct SheetWriter {
  const SheetPen& pen;
  const SheetStyle& style;
  const SheetTexts& texts;
};

// How names of rows are set: smaller where they are long.
struct NameFit {
  double size = 0;
  double width = 0;  // of the longest
  double line = 0;   // height of one
};
NameFit fit_names(const SheetWriter& writer);

// How the names above a matrix are set.
struct ColumnFit {
  double size = 0;
  bool is_turned = false;
  Index step = 1;
  double height = 0;
};
ColumnFit fit_columns(const SheetWriter& writer, const SheetMatrix& matrix, double cell_width, const NameFit& names);

double strip_height(const SheetPen& pen, const SheetMatrix& matrix);  // of the heads' colours above its columns
double row_sums_width(const SheetWriter& writer, const SheetMatrix& matrix);

void put_row_names(const SheetWriter& writer, const PlacedSheetMatrix& placed, const NameFit& names);
void put_column_names(const SheetWriter& writer, const PlacedSheetMatrix& placed, const ColumnFit& columns);
void put_head_strip(const SheetWriter& writer, const PlacedSheetMatrix& placed);
void put_row_sums(const SheetWriter& writer, const PlacedSheetMatrix& placed, const NameFit& names, std::size_t number);

}  // namespace attnscope::scene
