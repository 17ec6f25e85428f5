#pragma once

#include <cairo.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "figure/figure_layout.h"
#include "look/figure_image.h"

namespace attnscope {

// A figure, ready to be drawn: what it shows and where everything stands.
struct Figure {
  std::shared_ptr<const FigureContent> content;  // that the layout speaks of
  FigureLayout layout;
};

// Throws Error as describe_figure() does, and when there is no room for the cells.
Figure make_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                   const FigureOptions& options, const Execution& execution = {});

using DrawWatch = std::function<void(std::size_t drawn, std::size_t count)>;  // told before each matrix, and at the end

using EncodeWatch = std::function<void(float)>;  // told how much of the file is made, from 0 to 1

// The bytes of a file, to be written as they are. Throws Error when the picture would be too large, and Cancelled when
// a stop was requested.
std::string render_png(const Figure& figure, const std::stop_token& stop = {}, const DrawWatch& watch = {},
                       const EncodeWatch& encoding = {});  // layout times options.scale, in pixels
std::string render_svg(const Figure& figure, const std::stop_token& stop = {},
                       const DrawWatch& watch = {});  // text is text
std::string render_pdf(const Figure& figure, const std::stop_token& stop = {}, const DrawWatch& watch = {});

// The same picture as render_png() encodes.
FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop = {});

Rgb page_colour(FigureTheme theme);  // of what is not transparent

// What a Cairo context stands for.
struct DrawTarget {
  double pixels = 0;        // for each of the figure's, where the target has pixels; 0: it is vectors
  bool has_letters = true;  // else texts are left to the caller, but for those with letters that no font has
  std::stop_token stop = {};
  DrawWatch watch = {};
};
// Draws from the context's origin, in the figure's pixels. Throws Cancelled when a stop was requested.
void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target);

// Every text of a figure: those of its layout and the numbers in its cells.
std::vector<PlacedText> texts_of(const Figure& figure);

}  // namespace attnscope
