#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "view/figure_options.h"
#include "view/picture.h"

namespace attnscope {

// A figure ready to be drawn: a page, and everything on it.
struct Figure {
  FigureOptions options;
  std::string name;  // of the file's document
  double width = 0;  // in pixels of 1/96 inch
  double height = 0;
  picture::Picture picture;
};

// Errors: those of describe_figure(), and no room for the cells.
Figure make_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                   const FigureOptions& options, const Execution& execution = {});

// How a drawing is asked to stop, and whom it tells how far it is.
struct DrawWatch {
  std::stop_token stop = {};
  std::function<void(std::size_t drawn, std::size_t count)> drawn = {};  // before each matrix and at the end
  std::function<void(float share)> encoded = {};                         // of a PNG: how much is written, 0 to 1
};

// The bytes of a file. Throws Error when the picture would be too large, and Cancelled when a stop was requested.
std::string render_png(const Figure& figure, const DrawWatch& watch = {});  // size: the figure's times options.scale
std::string render_svg(const Figure& figure, const DrawWatch& watch = {});  // text stays text
std::string render_pdf(const Figure& figure, const DrawWatch& watch = {});
std::string render_pdf(std::span<const Figure> pages, const std::string& title,
                       const DrawWatch& watch = {});  // of one size

// The pixels that render_png() encodes.
FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop = {});

}  // namespace attnscope
