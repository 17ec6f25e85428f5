#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/difference.h"
#include "core/error.h"
#include "core/external_attention.h"
#include "look/cell_mark.h"
#include "paint_file/figure_painter.h"
#include "scene/cell_marks.h"
#include "scene/cell_plot.h"

// Paints heatmaps: small ones cell by cell, large ones as an image.

namespace attnscope {
namespace {

constexpr double gap_from = 13;       // cells at least this wide and high are told apart by a gap
constexpr double seam = 0.4;          // that vectors overlap where they would leave a hair's breadth between them
constexpr double crisp_image = 1200;  // pixels along an image in a vector format, for viewers that smooth

std::vector<float> transposed(const std::vector<float>& cells, const TexelGrid& grid) {
  std::vector<float> turned(cells.size());
  for (Index row = 0; row < grid.rows; ++row) {
    for (Index col = 0; col < grid.cols; ++col)
      turned[static_cast<std::size_t>(col * grid.rows + row)] = cells[static_cast<std::size_t>(row * grid.cols + col)];
  }
  return turned;
}

class CellPainter {
public:
  CellPainter(const Brush& brush, const picture::Heatmap& heatmap)
      : brush_(brush),
        heatmap_(heatmap),
        size_{heatmap.rows, heatmap.cols},
        plot_(scene::plot_of(heatmap)),
        first_(plot_.across().begin_index()),
        last_(plot_.across().end_index()) {
    // The whole matrix, at the width of the columns that are shown.
    plot_.box.x = plot_.across().at(0);
    plot_.box.width = plot_.cell_width() * static_cast<double>(size_.cols);
    plot_.window = whole_window(size_.rows, size_.cols);
    execution_.stop = brush.target.stop;
  }

  void paint_one_by_one() {
    cells_ = read_heatmap(heatmap_, size_, brush_.matrices, {}, execution_);
    paint_masked();
    picture::Picture picture;
    for (Index row = 0; row < size_.rows; ++row) {
      for (Index col = first_; col < last_; ++col) put_cell(picture, row, col);
    }
    brush_.paint(picture);
  }

  void paint_image() {
    const Box box = brush_.snapped(plot_.box);
    const bool is_vector = brush_.target.pixels == 0;
    const double pixels = is_vector ? brush_.dots : brush_.target.pixels;
    const auto texels = [&](double length, Index cells) {
      return std::clamp<Index>(std::lround(length * pixels), 1, cells);
    };
    cells_ = read_heatmap(heatmap_, {texels(box.height, size_.rows), texels(box.width, size_.cols)}, brush_.matrices,
                          heatmap_.range.measure, execution_);
    const Index times = is_vector ? texel_pixels(box) : 1;
    const SurfacePtr image = image_of(times);
    cairo_t* const cairo = brush_.cairo;
    cairo_save(cairo);
    brush_.add_rectangle(brush_.snapped(heatmap_.box));
    cairo_clip(cairo);
    if (visibility(*heatmap_.result, heatmap_.stage).hides_any(size_.rows)) brush_.hatch(box);
    cairo_translate(cairo, box.x, box.y);
    cairo_scale(cairo, box.width / static_cast<double>(cells_.grid.cols * times),
                box.height / static_cast<double>(cells_.grid.rows * times));
    cairo_set_source_surface(cairo, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    cairo_restore(cairo);
  }

private:
  using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

  std::size_t at(Index row, Index col) const { return static_cast<std::size_t>(row * size_.cols + col); }
  std::optional<CellMark> mark(Index row, Index col) const {
    return mark_of(cells_.values[at(row, col)], cells_.is_dropped(at(row, col)));
  }
  Rgb faded(Rgb colour) const { return heatmap_.opacity < 1 ? mix(brush_.paper, colour, heatmap_.opacity) : colour; }

  // The hatch under all masked cells at once, so that it runs on from cell to cell.
  void paint_masked() const {
    bool has_masked = false;
    cairo_save(brush_.cairo);
    for (Index row = 0; row < size_.rows; ++row) {
      for (Index col = first_; col < last_; ++col) {
        Index end = col;
        while (end < last_ && mark(row, end) == CellMark::masked) ++end;
        if (end == col) continue;
        Box run = plot_.cell(row, col);
        run.width *= static_cast<double>(end - col);
        brush_.add_rectangle(brush_.snapped(run));
        has_masked = true;
        col = end;
      }
    }
    if (has_masked) {
      cairo_clip(brush_.cairo);
      brush_.hatch(heatmap_.box);
    }
    cairo_new_path(brush_.cairo);
    cairo_restore(brush_.cairo);
  }

  void put_cell(picture::Picture& picture, Index row, Index col) const {
    const std::optional<CellMark> found = mark(row, col);
    if (found == CellMark::masked) return;
    Box box = brush_.snapped(plot_.cell(row, col));
    const bool has_gap = std::min(plot_.cell_width(), plot_.cell_height()) >= gap_from;
    const double more = has_gap ? -1 : brush_.target.pixels == 0 ? seam : 0;
    if (col + 1 < last_) box.width += more;
    if (row + 1 < size_.rows) box.height += more;
    const Rgb colour = faded(cell_colour(heatmap_.range, cells_.values[at(row, col)], row));
    if (found) {
      scene::put_mark(picture, *found, box, colour, brush_.theme);
    } else {
      picture.items.emplace_back(picture::Fill{box, {colour}});
    }
  }

  // Pixels along a texel of an image in a vector format: more than one where it is so large that a viewer's smoothing
  // would show.
  Index texel_pixels(const Box& box) const {
    const double rows = static_cast<double>(cells_.grid.rows);
    const double cols = static_cast<double>(cells_.grid.cols);
    const double dots = std::max(box.height / rows, box.width / cols) * brush_.dots;
    return std::max<Index>(1, std::lround(std::min(dots, crisp_image / std::max(rows, cols))));
  }

  // Too small for a cross: a tint that no map has, towards the ink. Transparent where masked.
  std::uint32_t pixel_of(std::size_t texel) const {
    const float value = cells_.values[texel];
    if (mark_of(value, false) == CellMark::masked) return 0;
    const ColourRange& range = heatmap_.range;
    Rgb colour = grey(brush_.theme.greys.paper);
    if (std::isfinite(value)) colour = faded(colour_of(range.map, value, range.low, range.high));
    if (cells_.is_dropped(texel)) colour = mix(colour, ink_on(colour), 0.42);
    return 0xFF000000U | static_cast<std::uint32_t>(colour.r) << 16 | static_cast<std::uint32_t>(colour.g) << 8 |
           colour.b;
  }

  // Each texel `times` by `times` pixels.
  SurfacePtr image_of(Index times) const {
    const TexelGrid& grid = cells_.grid;
    SurfacePtr image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(grid.cols * times),
                                                static_cast<int>(grid.rows * times)),
                     cairo_surface_destroy);
    if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS)
      throw Error("There is not enough memory for the image of the figure's cells: make the figure smaller.");
    unsigned char* const bytes = cairo_image_surface_get_data(image.get());
    const Index stride = cairo_image_surface_get_stride(image.get());
    for (Index row = 0; row < grid.rows * times; ++row) {
      auto* const pixels = reinterpret_cast<std::uint32_t*>(bytes + row * stride);
      for (Index col = 0; col < grid.cols; ++col)
        std::fill_n(pixels + col * times, times, pixel_of(static_cast<std::size_t>(row / times * grid.cols + col)));
    }
    cairo_surface_mark_dirty(image.get());
    return image;
  }

  const Brush& brush_;
  const picture::Heatmap& heatmap_;
  Execution execution_;
  TexelGrid size_;  // of the whole matrix, a texel for each cell
  scene::CellPlot plot_;
  Index first_, last_;  // columns that are shown
  HeatmapCells cells_;
};

}  // namespace

void Brush::paint_cells(const picture::Heatmap& heatmap) const {
  if (heatmap.box.width <= 0) return;
  picture::Heatmap drawn = heatmap;
  drawn.box.width = std::max(drawn.box.width, 1.0);  // a bias beside hundreds of rows is seen, too
  drawn.box.height = std::max(drawn.box.height, 1.0);
  CellPainter painter(*this, drawn);
  if (is_drawn_one_by_one(heatmap)) {
    painter.paint_one_by_one();
  } else {
    painter.paint_image();
  }
}

HeatmapCells read_heatmap(const picture::Heatmap& heatmap, const TexelGrid& wanted, Index matrices,
                          const Measure& measure, const Execution& execution) {
  MatrixSource source = source_of(heatmap.result, heatmap.stage, heatmap.matrix);
  source.measure = measure;
  TexelGrid grid = wanted;
  if (heatmap.is_transposed) std::swap(grid.rows, grid.cols);
  const auto shown = static_cast<double>(matrices);
  if (heatmap.result->external) {  // no more rows of pixels than rows are read
    const double share = share_read(*heatmap.result->external, shown);
    grid.rows = std::min(grid.rows, rows_read(source.rows(), share));
  }
  grid = within_bounds(grid, source, shown);
  TilePixels pixels = compute_tile(source, grid, {0, 0, grid.rows, grid.cols}, execution);
  HeatmapCells cells{grid, std::move(pixels.values), std::move(pixels.drops)};
  if (!heatmap.is_transposed) return cells;
  cells.values = transposed(cells.values, grid);
  std::swap(cells.grid.rows, cells.grid.cols);
  return cells;
}

}  // namespace attnscope
