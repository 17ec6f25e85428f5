#include "paint/file/figure_page.h"

#include <cairo.h>
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/results.h"
#include "files/image.h"
#include "view/cells.h"

namespace attnscope {
namespace {

using picture::Point;
using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

constexpr double gap_from = 13;       // a gap separates cells at least this wide and high
constexpr double seam = 0.4;          // vectors overlap by this, so that no hairline shows between them
constexpr double crisp_image = 1200;  // pixels along an image in a vector format, for viewers that smooth

std::vector<float> transposed(const std::vector<float>& cells, Index rows, Index cols) {
  using RowMajor = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<float> turned(cells.size());
  Eigen::ArrayXXf::Map(turned.data(), rows, cols) = RowMajor::Map(cells.data(), rows, cols);
  return turned;
}

// Paints the items of one picture.
struct Painter {
  cairo_t* cairo = nullptr;
  const ThemeColours& theme;
  Rgb paper;  // colour of the page
  const DrawTarget& target;
  double dots = 0;  // dots of images in a vector format, for each pixel of the figure
  TextShaper shaper = {};

  void operator()(const picture::Fill& fill) const {
    set(fill.ink);
    add_rounded(fill.box, fill.radius);
    cairo_fill(cairo);
  }

  void operator()(const picture::Outline& outline) const {
    set(outline.ink);
    cairo_set_line_width(cairo, outline.thickness);
    add_rounded(outline.radius > 0 ? outline.box : snapped(outline.box), outline.radius);
    cairo_stroke(cairo);
  }

  void operator()(const picture::Stroke& stroke) const {
    if (stroke.points.size() < 2) return;
    if (stroke.halo > 0) {
      set(stroke.halo_ink);
      cairo_set_line_width(cairo, stroke.halo);
      for (const Point& point : stroke.points) cairo_line_to(cairo, point.x, point.y);
      cairo_stroke(cairo);
    }
    const picture::StrokePath path = path_of(stroke);
    set(stroke.ink);
    cairo_set_line_width(cairo, stroke.thickness);
    cairo_move_to(cairo, stroke.points[0].x, stroke.points[0].y);
    for (const auto& [begin, turn, end] : path.corners) {
      cairo_line_to(cairo, begin.x, begin.y);
      if (begin == end) continue;
      cairo_curve_to(cairo, (begin.x + 2 * turn.x) / 3, (begin.y + 2 * turn.y) / 3, (end.x + 2 * turn.x) / 3,
                     (end.y + 2 * turn.y) / 3, end.x, end.y);
    }
    cairo_line_to(cairo, path.end.x, path.end.y);
    cairo_stroke(cairo);
    if (!path.head.empty()) (*this)(picture::Polygon{path.head, stroke.ink});
  }

  void operator()(const picture::Word& word) const {
    if (word.text.empty()) return;
    const double width = shaper.width(word.text, style_of(word));
    cairo_save(cairo);
    cairo_translate(cairo, word.x, word.y);
    if (word.is_turned) cairo_rotate(cairo, -std::numbers::pi / 2);
    const cairo_matrix_t leaning{1, 0, -picture::slant, 1, 0, 0};
    if (word.is_slanted) cairo_transform(cairo, &leaning);
    const double left = word.is_turned ? 0 : -word.anchor * width;
    if (word.is_on_hatch) {  // the hatch pauses behind the word
      const double around = 0.15 * word.size;
      const double top = around - picture::baseline * word.size;
      set({grey(theme.greys.hidden)});
      add_rectangle({left - around, top, width + 2 * around, picture::line_height * word.size - 2 * around});
      cairo_fill(cairo);
    }
    if (target.has_letters || !shaper.has_every_letter(word.text)) {
      set(word.ink);
      shaper.draw(cairo, word.text, style_of(word), left, 0);
    }
    cairo_restore(cairo);
  }

  void operator()(const picture::Heatmap& heatmap) const;

  void operator()(const picture::Gradient& gradient) const {
    const Box& box = gradient.box;
    const double length = gradient.is_vertical ? box.height : box.width;
    const double step = length / colormap_entries;
    for (int entry = 0; entry < colormap_entries; ++entry) {
      set({entry_of(gradient.map, gradient.ends, entry)});
      const double begin = step * entry;
      const double end = std::min(length, begin + 1.8 * step);  // the overlap hides seams
      if (gradient.is_vertical) {
        add_rectangle({box.x, box.bottom() - end, box.width, end - begin});
      } else {
        add_rectangle({box.x + begin, box.y, end - begin, box.height});
      }
      cairo_fill(cairo);
    }
  }

  void operator()(const picture::Hatch& area) const {
    cairo_save(cairo);
    add_rectangle(area.box);
    cairo_clip(cairo);
    hatch(area.box);
    cairo_restore(cairo);
  }

  void operator()(const picture::Polygon& polygon) const {
    set(polygon.ink);
    for (const Point& point : polygon.points) cairo_line_to(cairo, point.x, point.y);
    cairo_close_path(cairo);
    cairo_fill(cairo);
  }

  void set(const picture::Ink& ink) const {
    cairo_set_source_rgba(cairo, ink.colour.r / 255.0, ink.colour.g / 255.0, ink.colour.b / 255.0, ink.alpha);
  }
  void add_rectangle(const Box& box) const { cairo_rectangle(cairo, box.x, box.y, box.width, box.height); }
  // Moves the edges of a box onto pixels if the target has pixels.
  Box snapped(const Box& box) const {
    if (target.pixels == 0) return box;
    const auto snap = [&](double at) { return std::round(at * target.pixels) / target.pixels; };
    const double x = snap(box.x);
    const double y = snap(box.y);
    return {x, y, snap(box.right()) - x, snap(box.bottom()) - y};
  }
  // Draws diagonal lines, in phase over the whole page; the caller clips.
  void hatch(const Box& box) const {
    constexpr double period = 6;
    set({grey(theme.greys.hidden)});
    cairo_paint(cairo);
    set({grey(theme.greys.hatch)});
    cairo_set_line_width(cairo, 0.9);
    for (double sum = std::floor((box.x + box.y) / period) * period; sum <= box.right() + box.bottom(); sum += period) {
      cairo_move_to(cairo, sum - box.y, box.y);
      cairo_line_to(cairo, sum - box.bottom(), box.bottom());
    }
    cairo_stroke(cairo);
  }
  void add_rounded(const Box& box, double radius) const {
    if (radius <= 0) return add_rectangle(box);
    constexpr double quarter = std::numbers::pi / 2;
    const double r = std::min({radius, box.width / 2, box.height / 2});
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, box.right() - r, box.y + r, r, -quarter, 0);
    cairo_arc(cairo, box.right() - r, box.bottom() - r, r, 0, quarter);
    cairo_arc(cairo, box.x + r, box.bottom() - r, r, quarter, 2 * quarter);
    cairo_arc(cairo, box.x + r, box.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
  }
};

// Paints a heatmap: a small one cell by cell, a large one as an image.
class CellPainter {
public:
  CellPainter(const Painter& painter, const picture::Heatmap& heatmap)
      : painter_(painter),
        heatmap_(heatmap),
        size_{heatmap.rows, heatmap.cols},
        plot_(scene::plot_of(heatmap)),
        first_(plot_.across().begin_index()),
        last_(plot_.across().end_index()) {
    // Plots the whole matrix, at the width of the shown columns.
    plot_.box.x = plot_.across().at(0);
    plot_.box.width = plot_.cell_width() * static_cast<double>(size_.cols);
    plot_.window = whole_window(size_.rows, size_.cols);
    execution_.stop = painter.target.watch.stop;
  }

  void paint_one_by_one() {
    cells_ = read_heatmap(heatmap_, size_.rows, size_.cols, {}, execution_);
    paint_masked();
    picture::Picture picture;
    for (Index row = 0; row < size_.rows; ++row) {
      for (Index col = first_; col < last_; ++col) put_cell(picture, row, col);
    }
    for (const picture::Item& item : picture.items) std::visit(painter_, item);
  }

  void paint_image() {
    const Box box = painter_.snapped(plot_.box);
    const bool is_vector = painter_.target.pixels == 0;
    const double pixels = is_vector ? painter_.dots : painter_.target.pixels;
    const auto dots = [&](double length, Index cells) {
      return std::clamp<Index>(std::lround(length * pixels), 1, cells);
    };
    cells_ = read_heatmap(heatmap_, dots(box.height, size_.rows), dots(box.width, size_.cols), heatmap_.range.measure,
                          execution_);
    const Index times = is_vector ? texel_pixels(box) : 1;
    const SurfacePtr image = image_of(times);
    cairo_t* const cairo = painter_.cairo;
    cairo_save(cairo);
    painter_.add_rectangle(painter_.snapped(heatmap_.box));
    cairo_clip(cairo);
    if (visibility(*heatmap_.result, heatmap_.stage).hides_any(size_.rows)) painter_.hatch(box);
    cairo_translate(cairo, box.x, box.y);
    cairo_scale(cairo, box.width / static_cast<double>(cells_.cols * times),
                box.height / static_cast<double>(cells_.rows * times));
    cairo_set_source_surface(cairo, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    cairo_restore(cairo);
  }

private:
  std::size_t at(Index row, Index col) const { return static_cast<std::size_t>(row * size_.cols + col); }
  std::optional<CellMark> mark(Index row, Index col) const { return cells_.mark(at(row, col)); }
  Rgb faded(Rgb colour) const { return heatmap_.opacity < 1 ? mix(painter_.paper, colour, heatmap_.opacity) : colour; }

  // Draws the hatch under all masked cells at once, so that it runs on from cell to cell.
  void paint_masked() const {
    bool has_masked = false;
    cairo_save(painter_.cairo);
    for (Index row = 0; row < size_.rows; ++row) {
      for (Index col = first_; col < last_; ++col) {
        Index end = col;
        while (end < last_ && mark(row, end) == CellMark::masked) ++end;
        if (end == col) continue;
        Box run = plot_.cell(row, col);
        run.width *= static_cast<double>(end - col);
        painter_.add_rectangle(painter_.snapped(run));
        has_masked = true;
        col = end;
      }
    }
    if (has_masked) {
      cairo_clip(painter_.cairo);
      painter_.hatch(heatmap_.box);
    }
    cairo_new_path(painter_.cairo);
    cairo_restore(painter_.cairo);
  }

  void put_cell(picture::Picture& picture, Index row, Index col) const {
    const std::optional<CellMark> found = mark(row, col);
    if (found == CellMark::masked) return;
    Box box = painter_.snapped(plot_.cell(row, col));
    const bool has_gap = std::min(plot_.cell_width(), plot_.cell_height()) >= gap_from;
    const double more = has_gap ? -1 : painter_.target.pixels == 0 ? seam : 0;
    if (col + 1 < last_) box.width += more;
    if (row + 1 < size_.rows) box.height += more;
    const Rgb colour = faded(cell_colour(heatmap_.range, cells_.values[at(row, col)], row));
    if (found) {
      scene::put_mark(picture, *found, box, colour, painter_.theme);
    } else {
      picture.items.emplace_back(picture::Fill{box, {colour}});
    }
  }

  // Returns the pixels along a texel of an image in a vector format: several if a viewer's smoothing would show.
  Index texel_pixels(const Box& box) const {
    const double rows = static_cast<double>(cells_.rows);
    const double cols = static_cast<double>(cells_.cols);
    const double dots = std::max(box.height / rows, box.width / cols) * painter_.dots;
    return std::max<Index>(1, std::lround(std::min(dots, crisp_image / std::max(rows, cols))));
  }

  // Returns the colour of a texel. A dropped one is too small for a cross, and gets a tint towards the ink that no map
  // has; a masked one is transparent.
  std::uint32_t pixel_of(std::size_t texel) const {
    const float value = cells_.values[texel];
    if (mark_of(value, false) == CellMark::masked) return 0;
    const ColourRange& range = heatmap_.range;
    Rgb colour = grey(painter_.theme.greys.paper);
    if (std::isfinite(value)) colour = faded(measured_colour(range, value));
    if (cells_.is_dropped(texel)) colour = mix(colour, ink_on(colour), 0.42);
    return 0xFF000000U | static_cast<std::uint32_t>(colour.r) << 16 | static_cast<std::uint32_t>(colour.g) << 8 |
           colour.b;
  }

  // Makes each texel `times` by `times` pixels.
  SurfacePtr image_of(Index times) const {
    SurfacePtr image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(cells_.cols * times),
                                                static_cast<int>(cells_.rows * times)),
                     cairo_surface_destroy);
    if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS)
      throw Error("There is not enough memory for the image of the figure's cells: make the figure smaller.");
    unsigned char* const bytes = cairo_image_surface_get_data(image.get());
    const Index stride = cairo_image_surface_get_stride(image.get());
    for (Index row = 0; row < cells_.rows * times; ++row) {
      auto* const pixels = reinterpret_cast<std::uint32_t*>(bytes + row * stride);
      for (Index col = 0; col < cells_.cols; ++col)
        std::fill_n(pixels + col * times, times, pixel_of(static_cast<std::size_t>(row / times * cells_.cols + col)));
    }
    cairo_surface_mark_dirty(image.get());
    return image;
  }

  const Painter& painter_;
  const picture::Heatmap& heatmap_;
  Execution execution_;
  struct Size {
    Index rows = 0;
    Index cols = 0;
  };
  Size size_;  // size of the whole matrix
  scene::CellPlot plot_;
  Index first_, last_;  // the shown columns
  HeatmapCells cells_;
};

void Painter::operator()(const picture::Heatmap& heatmap) const {
  if (heatmap.box.width <= 0) return;
  picture::Heatmap drawn = heatmap;
  drawn.box.width = std::max(drawn.box.width, 1.0);  // keeps a bias visible beside hundreds of rows
  drawn.box.height = std::max(drawn.box.height, 1.0);
  CellPainter painter(*this, drawn);
  if (is_drawn_one_by_one(heatmap)) {
    painter.paint_one_by_one();
  } else {
    painter.paint_image();
  }
}

// Returns the resolution of images within a vector format: 600 dots an inch, or fewer if most programs could not read a
// file with so many matrices.
double image_dots(const std::vector<const picture::Heatmap*>& heatmaps) {
  constexpr double finest = 600.0 / 96;
  constexpr double most_dots = 3e6;  // dots of all images: each takes up to 3 bytes of SVG; viewers read 10 MB
  double area = 0;
  for (const picture::Heatmap* const heatmap : heatmaps)
    if (!is_drawn_one_by_one(*heatmap)) area += heatmap->box.width * heatmap->box.height;
  return area > 0 ? std::min(finest, std::sqrt(most_dots / area)) : finest;
}

}  // namespace

void require_drawn(int status, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled{};
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(fmt::format("The figure cannot be drawn: {}. Make it smaller.",
                          cairo_status_to_string(static_cast<cairo_status_t>(status))));
}

void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target) {
  const std::vector<const picture::Heatmap*> heatmaps = figure.picture.all<picture::Heatmap>();
  const Painter painter{.cairo = cairo,
                        .theme = theme_of(figure.options.theme),
                        .paper = paper_colour(figure.options.theme),
                        .target = target,
                        .dots = image_dots(heatmaps)};
  if (has_background(figure.options.theme)) {
    painter.set({painter.paper});
    cairo_paint(cairo);
  }
  std::size_t drawn = 0;
  for (const picture::Item& item : figure.picture.items) {
    if (target.watch.stop.stop_requested()) throw Cancelled{};
    if (target.watch.drawn && std::holds_alternative<picture::Heatmap>(item))
      target.watch.drawn(drawn++, heatmaps.size());
    std::visit(painter, item);
  }
  if (target.watch.drawn) target.watch.drawn(heatmaps.size(), heatmaps.size());
}

HeatmapCells read_heatmap(const picture::Matrix& matrix, Index rows, Index cols, const Measure& measure,
                          const Execution& execution) {
  ShownMatrix source = shown_matrix(matrix.result, matrix.stage, matrix.matrix);
  source.measure = measure;
  const bool is_turned = matrix.is_transposed;
  const PixelGrid grid = whole_grid(source, is_turned ? cols : rows, is_turned ? rows : cols);
  Pixels pixels = pixels_of(source, grid, execution);
  HeatmapCells cells{rows, cols, std::move(pixels.values), std::move(pixels.drops)};
  if (is_turned) cells.values = transposed(cells.values, grid.rows, grid.cols);
  return cells;
}

namespace {

constexpr double most_pixels = 150e6;   // a PNG of so many takes 600 MB while it is drawn
constexpr double longest_side = 32767;  // Cairo's own limit

SurfacePtr draw_image(const Figure& figure, double scale, const DrawWatch& watch) {
  const double width = std::round(figure.width * scale);
  const double height = std::round(figure.height * scale);
  if (width > longest_side || height > longest_side || width * height > most_pixels) {
    throw Error(
        fmt::format("The figure would be {:.0f} by {:.0f} pixels, but a PNG may have {:.0f} on a side and {:.0f} "
                    "million in all: choose a smaller width or scale.",
                    width, height, longest_side, most_pixels / 1e6));
  }
  SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)),
                     cairo_surface_destroy);
  require_drawn(cairo_surface_status(surface.get()));
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()), cairo_destroy);
  cairo_scale(cairo.get(), scale, scale);
  draw_figure(cairo.get(), figure, {.watch = watch, .pixels = scale});
  require_drawn(cairo_status(cairo.get()));
  cairo_surface_flush(surface.get());
  return surface;
}

// Writes one row of a surface as straight RGBA, 4 bytes for each pixel.
void straight_row(std::uint8_t* rgba, cairo_surface_t* surface, int row) {
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  const auto* const pixels =
      reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface) + row * stride);
  for (int col = 0; col < cairo_image_surface_get_width(surface); ++col) {
    const std::uint32_t alpha = pixels[col] >> 24;
    for (const int shift : {16, 8, 0}) {
      const std::uint32_t channel = pixels[col] >> shift & 255U;
      *rgba++ = static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (channel * 255 + alpha / 2) / alpha));
    }
    *rgba++ = static_cast<std::uint8_t>(alpha);
  }
}

}  // namespace

FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop) {
  const SurfacePtr surface = draw_image(figure, scale, {stop});
  FigureImage image{cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()), {}};
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * 4;
  image.pixels.resize(row_bytes * static_cast<std::size_t>(image.height));
  for (int row = 0; row < image.height; ++row)
    straight_row(image.pixels.data() + static_cast<std::size_t>(row) * row_bytes, surface.get(), row);
  return image;
}

std::string render_png(const Figure& figure, const DrawWatch& watch) {
  const SurfacePtr surface = draw_image(figure, figure.options.scale, watch);
  const int width = cairo_image_surface_get_width(surface.get());
  const int height = cairo_image_surface_get_height(surface.get());
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(width) * 4);
  std::string bytes = encode_png(width, height, [&](int row) {
    if (watch.stop.stop_requested()) throw Cancelled{};
    if (watch.encoded) watch.encoded(static_cast<float>(row) / static_cast<float>(height));
    straight_row(rgba.data(), surface.get(), row);
    return rgba.data();
  });
  if (watch.encoded) watch.encoded(1);
  return bytes;
}

}  // namespace attnscope
