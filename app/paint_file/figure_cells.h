#pragma once

#include <cairo.h>

#include "paint_file/figure.h"
#include "paint_file/figure_page.h"

namespace attnscope {

// The cells of panels and the marks in them. Private to this folder.

Rgb faded(const FigurePanel& panel, Rgb colour, bool is_dark);  // towards the page, where its panel is faint
Rgb cell_colour(const FigurePanel& panel, float value, Index row, bool is_dark);
// Resolution of images within a vector format, in dots for each of the figure's pixels: 600 an inch, fewer where so
// many matrices stand side by side that most programs could not read the file.
double image_dots(const FigureLayout& layout);

void draw_cells(cairo_t* cairo, const PlacedPanel& placed, const FigureOptions& options, const DrawTarget& target,
                double dots);
// From stage to stage; beneath the texts of the layout's grounds.
// What a diagram draws below its words.
void draw_picture(cairo_t* cairo, const Figure& figure, const DrawTarget& target, double dots);
void draw_frames(cairo_t* cairo, const std::vector<PlacedFrame>& frames);

// The numbers in a panel's cells, where there is room.
void add_numbers(std::vector<PlacedText>& texts, const PlacedPanel& placed, const TextShaper& shaper, int decimals,
                 bool is_dark);

}  // namespace attnscope
