#pragma once

#include <cairo.h>

#include "look/themes.h"
#include "paint_file/figure.h"
#include "paint_file/figure_page.h"

namespace attnscope {

// What stands in a cell for a number that is hidden, dropped or not finite. Private to this folder.

void set_colour(cairo_t* cairo, Rgb colour);
void add_rectangle(cairo_t* cairo, const Box& box);

const CellGreys& greys_of(bool is_dark);

// Diagonal lines over a box, in phase over the whole page; the caller clips.
void hatch(cairo_t* cairo, const Box& box, bool is_dark);
void draw_cross(cairo_t* cairo, const Box& box, Rgb ink);
// Not a number: a hollow diamond. Infinity: a filled triangle.
void draw_not_finite(cairo_t* cairo, const Box& box, bool is_number, bool is_dark);

}  // namespace attnscope
