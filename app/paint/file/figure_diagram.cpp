#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "paint/file/figure_page.h"
#include "view/diagram.h"
#include "view/stage_look.h"

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
double unit_of(const FigurePage& page) {
  const double em = page.options.font_size;
  const double least = std::max(std::min(least_points, em), least_share * em) / 72 * 96;
  return least / least_units;
}

scene::DiagramCanvas canvas_of(const FigurePage& page, double width, double height) {
  const double unit = unit_of(page);
  scene::DiagramCanvas canvas;
  canvas.box.width = width / unit;
  canvas.is_page = canvas.box.width < narrow_page;
  canvas.box.height = height / unit;
  canvas.least_text = least_units;
  return canvas;
}

std::optional<scene::DiagramLayout> layout_for(const FigurePage& page, const scene::DiagramShape& shape, double width,
                                               double height) {
  const auto layout_at = [&](double high) {
    return scene::layout_diagram(shape, canvas_of(page, width, high), page.measure);
  };
  if (height > 0) return layout_at(height);
  std::optional<scene::DiagramLayout> best;
  int most = -1;
  for (const double share : tried_heights) {
    std::optional<scene::DiagramLayout> layout = layout_at(share * width);
    if (!layout) continue;
    const bool has_features = std::ranges::none_of(
        layout->matrices, [](const scene::PlacedMatrix& matrix) { return matrix.rank == 2 && matrix.text == 0; });
    const int numbers = (layout->main_matrix()->text > 0 ? 2 : 0) + (has_features ? 1 : 0);
    if (numbers <= most) continue;
    most = numbers;
    best = std::move(layout);
    if (static_cast<Index>(shape.keys.size()) > many_tokens) break;  // no page has room for their numbers
  }
  return best;
}

[[noreturn]] void refuse(const FigurePage& page, const scene::DiagramShape& shape, double height) {
  if (shape.main_matrix.empty())
    throw Error("There is nothing to draw: no stage has the same shape in A and B. Choose a weight matrix instead.");
  for (double width = page.room(); width < widest_tried; width *= 1.05) {
    if (!layout_for(page, shape, width, height)) continue;
    const double least = width + 2 * page.margin;
    throw Error(fmt::format(
        "The diagram of this document does not fit a page {:.0f} pixels ({:.0f} mm) wide with a font "
        "of {} points: make it at least {:.0f} pixels ({:.0f} mm) wide, or leave stages out.",
        page.width, page.width / 96 * 25.4, page.options.font_size, std::ceil(least), std::ceil(least / 96 * 25.4)));
  }
  throw Error("The diagram of this document does not fit this page: make it larger, or leave stages out.");
}

const FigurePanel* panel_of(const FigureContent& content, Stage stage, Index head) {
  const Index matrix = matrix_of(content.diagram->result->config, stage, content.options.batch, head);
  const auto found = std::ranges::find_if(
      content.panels, [&](const FigurePanel& panel) { return panel.stage == stage && panel.matrix == matrix; });
  return found == content.panels.end() ? nullptr : &*found;
}

scene::DiagramData diagram_data(const FigurePage& page, const FigureContent& content) {
  const FigureDiagram& diagram = *content.diagram;
  scene::DiagramData data;
  data.result = diagram.result;
  data.matrix = [&content](Stage stage, Index head, bool) -> std::optional<picture::Matrix> {
    const FigurePanel* const panel = panel_of(content, stage, head);
    if (!panel) return {};
    picture::Matrix matrix = *panel;
    matrix.result = content.diagram->result;  // which an outline does without
    return matrix;
  };
  data.row_sum = [&content](Stage stage, Index row, bool) {
    const FigurePanel* const panel = panel_of(content, stage, content.diagram->shape.head);
    const bool is_there = panel && row < std::ssize(panel->row_sums);
    return is_there ? row_sum(*panel, row) : std::numeric_limits<float>::quiet_NaN();
  };
  data.theme = &page.theme;
  data.decimals = page.options.decimals;
  data.marked = page.options.marked;
  data.awaited = diagram.awaited;
  // Keeps the places of the stages that other figures of the series have and this one lacks.
  using scene::DiagramShape;
  for (const auto band : {&DiagramShape::project, &DiagramShape::compare, &DiagramShape::mix}) {
    for (const scene::DiagramBlock& block : diagram.largest.*band)
      if (std::ranges::find(diagram.shape.*band, block.stage, &scene::DiagramBlock::stage) ==
          (diagram.shape.*band).end())
        data.awaited.add(block.stage);
  }
  data.ground = page.options.theme == FigureTheme::transparent ? std::nullopt : std::optional(page.paper);
  data.has_arrows = page.options.has_arrows;
  data.measure = page.measure;
  return data;
}

double end_of(const scene::DiagramLayout& layout) {
  double end = 0;
  for (const scene::PlacedMatrix& matrix : layout.matrices) end = std::max(end, matrix.box.bottom());
  for (const scene::PlacedText& text : layout.texts) end = std::max(end, text.box.bottom());
  for (const scene::PlacedFrame& frame : layout.frames) end = std::max(end, frame.box.bottom());
  for (const scene::PlacedText& pill : layout.pills) end = std::max(end, pill.box.bottom());
  return end;
}

}  // namespace

void put_diagram(FigurePage& page, const FigureContent& content, double height) {
  const double unit = unit_of(page);
  const double left = std::min(page.margin, margin_units * unit);  // the layout has a margin of its own
  const scene::DiagramShape& shape = content.diagram->largest;
  const std::optional<scene::DiagramLayout> layout = layout_for(page, shape, page.width - 2 * left, height);
  if (!layout) refuse(page, shape, height);
  page.add(scene::diagram_picture(*layout, diagram_data(page, content)), unit, left);
  page.top += height > 0 ? height : unit * end_of(*layout);
}

}  // namespace attnscope
