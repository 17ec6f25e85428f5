#include "view/figure_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/evaluate.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

// Throws Error if a number is out of bounds, as NaN always is.
void require(const char* what, double value, double smallest, double largest, const char* unit) {
  if (value >= smallest && value <= largest) return;
  throw Error(
      fmt::format("The {} of a figure is {}, but it must be from {} to {}{}.", what, value, smallest, largest, unit));
}

}  // namespace

double page_width(const FigureWidth& width) {
  return width.unit == LengthUnit::millimetres ? width.length / 25.4 * 96 : width.length;
}

double page_height(const FigureOptions& options) { return page_width({options.height, options.width.unit}); }

const PageSize* page_size_named(std::string_view id) {
  const auto* const found = std::ranges::find(page_sizes, id, &PageSize::id);
  return found == std::end(page_sizes) ? nullptr : found;
}

void set_page_size(FigureOptions& options, const PageSize& size) {
  options.width = {size.width, LengthUnit::millimetres};
  options.height = size.height;
  options.font_size = size.font_size;
}

void limit_animation(FigureOptions& options) {
  options.scale = std::min(options.scale, std::max(1.0, widest_animation / page_width(options.width)));
}

const PageSize* page_size_of(const FigureOptions& options) {
  if (options.width.unit != LengthUnit::millimetres) return nullptr;
  for (const PageSize& size : page_sizes) {
    if (size.width == options.width.length && size.height == options.height) return &size;
  }
  return nullptr;
}

bool has_row_sums(const FigureOptions& options, const AttentionConfig& config, Stage stage) {
  if (!is_query_by_key(info(stage).axes)) return false;
  if (!options.stage) return sums_to_one(stage) && options.row_sums.value_or(true);
  const bool is_alone = options.head || !is_per_head(config, stage);
  return options.row_sums.value_or(is_alone && sums_to_one(stage));
}

void check(const FigureOptions& options) {
  const WidthBounds bounds = width_bounds(options.width.unit);
  const bool is_metric = options.width.unit == LengthUnit::millimetres;
  require("width", options.width.length, bounds.smallest, bounds.largest, is_metric ? " mm" : " pixels");
  if (options.height != 0)
    require("height", options.height, bounds.smallest, bounds.largest, is_metric ? " mm" : " pixels");
  require("scale", options.scale, 1, largest_scale, "");
  require("font size", options.font_size, smallest_font, largest_font, " points");
  if (options.decimals) require("number of decimals", *options.decimals, 0, most_decimals, "");
  if (!options.fixed_range) return;
  const FixedRange& range = *options.fixed_range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) {
    throw Error(fmt::format("The range of a figure is {}..{}, but it must go from a number to a larger one.", range.low,
                            range.high));
  }
}

}  // namespace attnscope
