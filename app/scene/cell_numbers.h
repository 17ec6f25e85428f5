#pragma once

#include <functional>

#include "look/themes.h"
#include "picture/picture.h"
#include "scene/cell_plot.h"

namespace attnscope::scene {

struct NumberStyle {
  double least = 0;  // size of a number with more digits than was expected; smaller ones are left out
  int decimals = 2;
  Rgb ground = {};           // behind cells that are not opaque
  double alpha = 1;          // of the numbers
  bool names_hidden = true;  // a weight that the mask hides says 0; else its hatch says it, and −∞ is dim
};

// The numbers in the cells of a matrix, each dark or light by the colour of its cell.
struct CellNumbers : NumberStyle {
  const picture::Heatmap& cells;
  double size = 0;
  std::function<bool(Index row, Index col)> is_covered = {};  // to be predicted: as shown
};

constexpr Index most_numbers = 4096;  // of a matrix; more never fit

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure);

}  // namespace attnscope::scene
