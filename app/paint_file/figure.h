#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "look/figure_image.h"
#include "paint_file/figure_layout.h"

namespace attnscope {

// A figure ready to be drawn: its content and the place of everything in it.
struct Figure {
  std::shared_ptr<const FigureContent> content;  // the layout points into it
  FigureLayout layout;
};

// Errors: those of describe_figure(), and no room for the cells.
Figure make_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                   const FigureOptions& options, const Execution& execution = {});

// Called before each matrix and at the end.
using DrawWatch = std::function<void(std::size_t drawn, std::size_t count)>;

using EncodeWatch = std::function<void(float)>;  // called with the share of the file that is written, 0 to 1

// The bytes of a file. Throws Error when the picture would be too large, and Cancelled when a stop was requested.
std::string render_png(const Figure& figure, const std::stop_token& stop = {}, const DrawWatch& watch = {},
                       const EncodeWatch& encoding = {});  // size: the layout's times options.scale
std::string render_svg(const Figure& figure, const std::stop_token& stop = {},
                       const DrawWatch& watch = {});  // text stays text
std::string render_pdf(const Figure& figure, const std::stop_token& stop = {}, const DrawWatch& watch = {});

// The pixels that render_png() encodes.
FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop = {});

Rgb page_colour(FigureTheme theme);  // background

// What a Cairo context draws on.
struct DrawTarget {
  double pixels = 0;        // of the target for one of the figure's; 0: a vector format
  bool has_letters = true;  // false: the caller writes the texts, except those with letters that no font has
  std::stop_token stop = {};
  DrawWatch watch = {};
};
// Draws from the context's origin, in the figure's pixels. Throws Cancelled when a stop was requested.
void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target);

// Every text of a figure: the layout's and the numbers in the cells.
std::vector<PlacedText> texts_of(const Figure& figure);

}  // namespace attnscope
