#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "look/diagram.h"
#include "paint_file/figure_page.h"
#include "scene/diagram_picture.h"

namespace attnscope {
namespace {

constexpr double least_points = 6;   // of any text of a diagram
constexpr double least_share = 0.6;  // of the font's size: its smallest text, as a diagram's titles are larger
constexpr double least_units = 11;   // that the layout counts the smallest text as
// Heights of a page that follows its content, in its widths: the first of those at which most numbers fit.
constexpr double tried_heights[] = {0.62, 0.8, 1.05, 1.4, 1.95, 2.4};
constexpr double narrow_page = 700;  // units
constexpr Index many_tokens = 16;
constexpr double widest_tried = 2000;  // pixels
constexpr double margin_units = 3;     // beside the diagram

// Pixels of the page for one unit of the layout.
double unit_of(const Page& page) {
  const double em = page.content.options.font_size;
  const double least = std::max(std::min(least_points, em), least_share * em) / 72 * 96;
  return least / least_units;
}

scene::DiagramCanvas canvas_of(const Page& page, double width, double height) {
  const double unit = unit_of(page);
  scene::DiagramCanvas canvas;
  canvas.box.width = width / unit;
  canvas.is_page = canvas.box.width < narrow_page;
  canvas.box.height = height / unit;
  canvas.has_headings = !canvas.is_page;
  canvas.least_text = least_units;
  return canvas;
}

std::optional<scene::DiagramLayout> layout_for(const Page& page, double width, double height) {
  const scene::DiagramShape& shape = page.content.diagram->largest;
  const auto layout_at = [&](double high) {
    return scene::layout_diagram(shape, canvas_of(page, width, high), text_measure(page.shaper));
  };
  if (height > 0) return layout_at(height);
  std::optional<scene::DiagramLayout> best;
  int most = -1;
  for (const double share : tried_heights) {
    std::optional<scene::DiagramLayout> layout = layout_at(share * width);
    if (!layout) continue;
    const bool has_features = std::ranges::none_of(
        layout->matrices, [](const scene::PlacedMatrix& matrix) { return matrix.rank == 2 && matrix.text == 0; });
    const int numbers = (layout->hero()->text > 0 ? 2 : 0) + (has_features ? 1 : 0);
    if (numbers <= most) continue;
    most = numbers;
    best = std::move(layout);
    if (static_cast<Index>(shape.keys.size()) > many_tokens) break;  // no page has room for their numbers
  }
  return best;
}

[[noreturn]] void refuse(const Page& page, double height) {
  if (page.content.diagram->largest.hero.empty())
    throw Error("There is nothing to draw: no stage has the same shape in A and B. Choose a weight matrix instead.");
  for (double width = page.room(); width < widest_tried; width *= 1.05) {
    if (!layout_for(page, width, height)) continue;
    const double least = width + 2 * page.margin;
    throw Error(
        fmt::format("The diagram of this document does not fit a page {:.0f} pixels ({:.0f} mm) wide with a font "
                    "of {} points: make it at least {:.0f} pixels ({:.0f} mm) wide, or leave stages out.",
                    page.layout.width, page.layout.width / 96 * 25.4, page.content.options.font_size, std::ceil(least),
                    std::ceil(least / 96 * 25.4)));
  }
  throw Error("The diagram of this document does not fit this page: make it larger, or leave stages out.");
}

const FigurePanel* panel_of(const Page& page, Stage stage, Index head) {
  const FigureDiagram& diagram = *page.content.diagram;
  const std::vector<FigurePanel>& panels = page.content.lines.front();
  const Index batch = page.content.options.batch;
  const Index matrix = matrix_of(diagram.result->config, stage, batch, head);
  const auto found = std::ranges::find_if(
      panels, [&](const FigurePanel& panel) { return panel.stage == stage && panel.source.matrix == matrix; });
  return found == panels.end() ? nullptr : &*found;
}

// The stages that other figures of the series have and this one lacks.
void add_missing(StageSet& awaited, const std::vector<scene::DiagramBlock>& own,
                 const std::vector<scene::DiagramBlock>& all) {
  for (const scene::DiagramBlock& block : all) {
    if (std::ranges::find(own, block.stage, &scene::DiagramBlock::stage) == own.end()) awaited.add(block.stage);
  }
}

scene::DiagramData diagram_data(const Page& page) {
  const FigureDiagram& diagram = *page.content.diagram;
  const FigureOptions& options = page.content.options;
  scene::DiagramData data;
  data.result = diagram.result;
  data.matrix = [&page](Stage stage, Index head, bool) -> std::optional<scene::DrawnMatrix> {
    const FigurePanel* const panel = panel_of(page, stage, head);
    if (!panel) return {};
    return scene::DrawnMatrix{page.content.diagram->result, panel->source.matrix, panel->range};
  };
  data.row_sum = [&page](Stage stage, Index row, bool) {
    const FigurePanel* const panel = panel_of(page, stage, page.content.diagram->shape.head);
    const bool is_there = panel && row < std::ssize(panel->row_sums);
    return is_there ? row_sum(*panel, row) : std::numeric_limits<float>::quiet_NaN();
  };
  data.theme = &colours_of(options.theme == FigureTheme::dark ? ThemeId::dark : ThemeId::light);
  data.decimals = options.decimals;
  data.marked = options.marked;
  data.awaited = diagram.awaited;
  add_missing(data.awaited, diagram.shape.project, diagram.largest.project);
  add_missing(data.awaited, diagram.shape.compare, diagram.largest.compare);
  add_missing(data.awaited, diagram.shape.mix, diagram.largest.mix);
  data.ground = options.theme == FigureTheme::transparent ? std::nullopt : std::optional(page.inks.page);
  data.has_arrows = options.has_arrows;
  data.measure = text_measure(page.shaper);
  return data;
}

double end_of(const scene::DiagramLayout& layout) {
  double end = 0;
  for (const scene::PlacedMatrix& matrix : layout.matrices) end = std::max(end, matrix.box.bottom());
  for (const scene::PlacedText& text : layout.texts) end = std::max(end, text.box.bottom());
  for (const scene::PlacedFrame& frame : layout.frames) end = std::max(end, frame.box.bottom());
  for (const scene::PlacedPill& pill : layout.pills) end = std::max(end, pill.box.bottom());
  return end;
}

}  // namespace

void put_diagram(Page& page, double& top, double height) {
  const double unit = unit_of(page);
  const double left = std::min(page.margin, margin_units * unit);  // the layout has a margin of its own
  const std::optional<scene::DiagramLayout> layout = layout_for(page, page.layout.width - 2 * left, height);
  if (!layout) refuse(page, height);
  add_picture(page, picture::placed(scene::diagram_picture(*layout, diagram_data(page)), unit, left, top));
  top += height > 0 ? height : unit * end_of(*layout);
}

}  // namespace attnscope
