#include "paint_file/figure_cells.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "look/mix.h"
#include "paint_file/figure_marks.h"

namespace attnscope {
namespace {

constexpr double gap_from = 13;       // cells at least this wide and high are told apart by a gap
constexpr double seam = 0.4;          // that vectors overlap where they would leave a hair's breadth between them
constexpr double crisp_image = 1200;  // pixels along an image in a vector format, for viewers that smooth
constexpr double most_dots = 3e6;     // of all images together: each may take 3 bytes of SVG, of 10 MB that are read

}  // namespace

Rgb faded(const FigurePanel& panel, Rgb colour, bool is_dark) {
  const Rgb page = figure_inks(is_dark ? FigureTheme::dark : FigureTheme::light).page;
  return panel.opacity < 1 ? mix(page, colour, panel.opacity) : colour;
}

Rgb cell_colour(const FigurePanel& panel, float value, Index row, bool is_dark) {
  return faded(panel, cell_colour(panel.range, value, row), is_dark);
}

namespace {

bool is_masked(float value) { return std::isinf(value) && value < 0; }

// Edges that fall on pixels where there are pixels.
Box snapped(const Box& box, const DrawTarget& target) {
  if (target.pixels == 0) return box;
  const auto snap = [&](double at) { return std::round(at * target.pixels) / target.pixels; };
  const double x = snap(box.x);
  const double y = snap(box.y);
  return {x, y, snap(box.right()) - x, snap(box.bottom()) - y};
}

// A cell without what tells it from its neighbours.
Box inner_box(const PlacedPanel& placed, Index row, Index col, const DrawTarget& target) {
  Box box = snapped(placed.cell(row, col), target);
  const bool has_gap = std::min(placed.cell_width(), placed.cell_height()) >= gap_from;
  const double more = has_gap ? -1 : target.pixels == 0 ? seam : 0;
  if (col + 1 < placed.panel->cols) box.width += more;
  if (row + 1 < placed.panel->rows) box.height += more;
  return box;
}

// The hatch under all masked cells at once, so that it runs on from cell to cell.
void draw_masked(cairo_t* cairo, const PlacedPanel& placed, bool is_dark, const DrawTarget& target) {
  const FigurePanel& panel = *placed.panel;
  bool has_masked = false;
  cairo_save(cairo);
  for (Index row = 0; row < panel.rows; ++row) {
    const float* const values = panel.values.data() + row * panel.cols;
    for (Index col = 0; col < panel.cols; ++col) {
      if (!is_masked(values[col])) continue;
      Index end = col + 1;
      while (end < panel.cols && is_masked(values[end])) ++end;
      Box box = placed.cell(row, col);
      box.width *= static_cast<double>(end - col);
      add_rectangle(cairo, snapped(box, target));
      has_masked = true;
      col = end;
    }
  }
  if (has_masked) {
    cairo_clip(cairo);
    hatch(cairo, placed.heat, is_dark);
  }
  cairo_new_path(cairo);
  cairo_restore(cairo);
}

// A rectangle for each cell.
void draw_one_by_one(cairo_t* cairo, const PlacedPanel& placed, bool is_dark, const DrawTarget& target) {
  const FigurePanel& panel = *placed.panel;
  draw_masked(cairo, placed, is_dark, target);
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index col = 0; col < panel.cols; ++col) {
      const auto at = static_cast<std::size_t>(row * panel.cols + col);
      const float value = panel.values[at];
      if (is_masked(value)) continue;
      const Box box = inner_box(placed, row, col, target);
      if (!std::isfinite(value)) {
        draw_not_finite(cairo, box, std::isinf(value), is_dark);
        continue;
      }
      const bool is_dropped = !panel.drops.empty() && panel.drops[at] > 0;
      const Rgb colour = is_dropped ? grey(greys_of(is_dark).gap) : cell_colour(panel, value, row, is_dark);
      set_colour(cairo, colour);
      add_rectangle(cairo, box);
      cairo_fill(cairo);
      if (is_dropped) draw_cross(cairo, box, ink_on(colour));
    }
  }
}

// Too small for a cross: a tint that no map has, towards the ink. Transparent where masked.
std::uint32_t pixel_of(const FigurePanel& panel, std::size_t at, bool is_dark) {
  const float value = panel.values[at];
  if (is_masked(value)) return 0;
  Rgb colour = grey(greys_of(is_dark).paper);
  if (std::isfinite(value))
    colour = faded(panel, colour_of(panel.range.map, value, panel.range.low, panel.range.high), is_dark);
  if (!panel.drops.empty() && panel.drops[at] > 0) colour = mix(colour, ink_on(colour), 0.42);
  return 0xFF000000U | static_cast<std::uint32_t>(colour.r) << 16 | static_cast<std::uint32_t>(colour.g) << 8 |
         colour.b;
}

using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

// Each texel `times` by `times` pixels.
SurfacePtr image_of(const FigurePanel& panel, Index times, bool is_dark) {
  const Index width = panel.grid.cols * times;
  SurfacePtr image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width),
                                              static_cast<int>(panel.grid.rows * times)),
                   cairo_surface_destroy);
  if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS) {
    throw Error("There is not enough memory for the image of the figure's cells: make the figure smaller.");
  }
  unsigned char* const bytes = cairo_image_surface_get_data(image.get());
  const Index stride = cairo_image_surface_get_stride(image.get());
  for (Index row = 0; row < panel.grid.rows * times; ++row) {
    auto* const pixels = reinterpret_cast<std::uint32_t*>(bytes + row * stride);
    for (Index col = 0; col < panel.grid.cols; ++col) {
      const auto at = static_cast<std::size_t>(row / times * panel.grid.cols + col);
      std::fill_n(pixels + col * times, times, pixel_of(panel, at, is_dark));
    }
  }
  cairo_surface_mark_dirty(image.get());
  return image;
}

// Pixels along a texel of an image in a vector format: more than one where it is so large that a viewer's smoothing
// would show.
Index texel_pixels(const TexelGrid& grid, const Box& box, double image_dots) {
  const double rows = static_cast<double>(grid.rows);
  const double cols = static_cast<double>(grid.cols);
  const double dots = std::max(box.height / rows, box.width / cols) * image_dots;
  return std::max<Index>(1, std::lround(std::min(dots, crisp_image / std::max(rows, cols))));
}

void draw_as_image(cairo_t* cairo, const PlacedPanel& placed, bool is_dark, const DrawTarget& target, double dots) {
  FigurePanel panel = *placed.panel;
  const Box box = snapped(placed.heat, target);
  const double pixels = target.pixels == 0 ? dots : target.pixels;
  const auto texels = [&](double length, Index cells) {
    return std::clamp<Index>(std::lround(length * pixels), 1, cells);
  };
  Execution execution;
  execution.stop = target.stop;
  panel.source.measure = panel.range.measure;
  read_panel(panel, {texels(box.height, panel.rows), texels(box.width, panel.cols)}, execution);
  const Index times = target.pixels == 0 ? texel_pixels(panel.grid, box, dots) : 1;
  const SurfacePtr image = image_of(panel, times, is_dark);
  cairo_save(cairo);
  add_rectangle(cairo, box);
  cairo_clip(cairo);
  if (panel.source.seen.hides_any(panel.rows)) hatch(cairo, box, is_dark);
  cairo_translate(cairo, box.x, box.y);
  cairo_scale(cairo, box.width / static_cast<double>(panel.grid.cols * times),
              box.height / static_cast<double>(panel.grid.rows * times));
  cairo_set_source_surface(cairo, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

// Where the matrix of another figure of a series is larger.
void draw_room(cairo_t* cairo, const PlacedPanel& panel, Rgb line) {
  if (panel.room == panel.heat) return;
  constexpr double dash[] = {1, 3};
  set_colour(cairo, line);
  cairo_set_line_width(cairo, 0.75);
  cairo_set_dash(cairo, dash, 2, 0);
  cairo_rectangle(cairo, panel.room.x, panel.room.y, panel.room.width, panel.room.height);
  cairo_stroke(cairo);
  cairo_set_dash(cairo, nullptr, 0, 0);
}

}  // namespace

double image_dots(const FigureLayout& layout) {
  constexpr double finest = 600.0 / 96;
  double area = 0;
  for (const PlacedPanel& placed : layout.panels) {
    if (!placed.panel->has_cells()) area += placed.heat.width * placed.heat.height;
  }
  return area > 0 ? std::min(finest, std::sqrt(most_dots / area)) : finest;
}

void draw_cells(cairo_t* cairo, const PlacedPanel& placed, const FigureOptions& options, const DrawTarget& target,
                double dots) {
  const bool is_dark = options.theme == FigureTheme::dark;
  draw_room(cairo, placed, figure_inks(options.theme).line);
  if (placed.panel->has_cells()) {
    draw_one_by_one(cairo, placed, is_dark, target);
  } else {
    draw_as_image(cairo, placed, is_dark, target, dots);
  }
  set_colour(cairo, figure_inks(options.theme).line);
  cairo_set_line_width(cairo, placed.frame);
  add_rectangle(cairo, snapped(placed.heat, target));
  cairo_stroke(cairo);
}

}  // namespace attnscope
