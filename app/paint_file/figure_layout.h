#pragma once

#include <string>
#include <vector>

#include "look/box.h"
#include "paint_file/figure_content.h"
#include "paint_file/text_shaper.h"
#include "picture/picture.h"

namespace attnscope {

enum class Align { left, centre, right };

// A line of text in its box; a vertical one reads from the bottom to the top.
struct PlacedText {
  std::string text;
  TextStyle style;
  Rgb colour;
  Box box;
  Align align = Align::left;  // of the text in its box, where a viewer's font has other widths
  bool is_vertical = false;
  bool is_on_hatch = false;  // needs a plain background to be legible
  bool is_outline = false;   // no font has all of its letters: drawn as outlines with boxes, in every format
};

struct PlacedPanel {
  const FigurePanel* panel = nullptr;  // in the content
  Box heat;
  Box room;                // `heat`, or in a series the place that the largest matrix takes
  double frame = 0.75;     // width of the line around it
  double number_size = 0;  // font size of the numbers in the cells; 0: no room for numbers

  double cell_width() const { return heat.width / static_cast<double>(panel->cols); }
  double cell_height() const { return heat.height / static_cast<double>(panel->rows); }
  Box cell(Index row, Index col) const {
    return {heat.x + static_cast<double>(col) * cell_width(), heat.y + static_cast<double>(row) * cell_height(),
            cell_width(), cell_height()};
  }
};

struct PlacedChip {  // the colour of a head
  Box box;
  Rgb colour;
};

// The place of everything in a figure. The numbers in cells are not among `texts`: they follow from the panels.
struct FigureLayout {
  double width = 0;
  double height = 0;
  std::vector<PlacedText> texts;
  std::vector<PlacedPanel> panels;
  std::vector<PlacedChip> chips;
  picture::Picture picture;  // all else that is painted; its words are among `texts`
};

// The content must outlive the layout.
FigureLayout lay_out(const FigureContent& content, const TextShaper& shaper);

}  // namespace attnscope
