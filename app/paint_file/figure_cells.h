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
// All that is painted below the texts.
void draw_picture(cairo_t* cairo, const Figure& figure, const DrawTarget& target, double dots);

}  // namespace attnscope
