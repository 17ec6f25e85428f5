#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "paint_file/figure_page.h"
#include "scene/cell_marks.h"
#include "scene/cell_numbers.h"
#include "scene/matrix_sheet.h"

// Puts the matrices of a figure and its legend on the page.

namespace attnscope {
namespace {

constexpr double share_in_diagram = 0.5;  // of the page's text, as the letters of a diagram
constexpr double name_share = 0.38;       // of the page's width that names take before they get smaller
constexpr double longest_names = 0.6;     // of the page's width, however small they are
constexpr double tight = 1.08;            // of a name's size: what its line takes at least
// Lengths in ems.
constexpr double largest_cell = 6.5;  // of the only matrix
constexpr double large_cell = 4.6;    // of one of several
constexpr double least_number = 0.52;
constexpr double most_number = 0.95;

std::string_view range_name(const FigureContent& content, const ColourRange& range) {
  const FigureOptions& options = content.options;
  const bool follows_numbers = options.range == RangeMode::own || options.range == RangeMode::shared;
  if (options.fixed_range) return "fixed range";
  if (range.measure.kind != MeasureKind::value) return measure_name(range);
  if (content.is_of_series && follows_numbers) return "range of all frames";
  if (options.range == RangeMode::own) return "own range";
  return options.range == RangeMode::shared ? "range of all heads" : "";
}

scene::SheetStyle style_of(const FigurePage& page, const FigureContent& content) {
  const FigurePanel& first = content.lines.front().front();
  scene::SheetStyle style;
  style.left = page.margin;
  style.width = page.room();
  style.top = page.top;
  style.most_names = name_share * page.room();
  style.longest_names = std::max(style.most_names, longest_names * page.room());
  style.name_line = tight * page.em;
  for (const std::string& label : content.labels) {
    const TextSize size = page.shaper.measure(label, {page.em});
    style.name_line = std::max(style.name_line, 1.04 * (size.above + size.below));
  }
  style.largest_cell = largest_cell * page.em;
  style.large_cell = large_cell * page.em;
  style.repeats_columns = content.repeats_columns;
  style.shares_bar = content.shares_bar;
  style.sum_decimals = first.has_bar ? content.options.decimals.value_or(2) : 0;
  style.range_name = range_name(content, first.range);
  style.numbers.least = least_number * page.em;
  style.numbers.most = most_number * page.em;
  return style;
}

std::string longest_of(const FigurePage& page, const std::vector<std::string>& labels) {
  const auto widest = std::ranges::max_element(
      labels, {}, [&](const std::string& label) { return page.measure(label, page.em, picture::Face::text); });
  return widest == labels.end() ? std::string() : *widest;
}

[[noreturn]] void throw_no_room(const FigurePage& page) {
  throw Error(
      fmt::format("There is no room for cells beside the labels of a figure that is {:.0f} pixels wide with a "
                  "font of {} points: make it wider or the font smaller.",
                  page.width, page.options.font_size));
}

// The cells of a matrix, and the numbers in them where there is room.
void put_cells(FigurePage& page, const FigurePanel& panel, const scene::PlacedSheetMatrix& placed) {
  page.picture.items.emplace_back(picture::Heatmap{.result = panel.result,
                                                   .stage = panel.stage,
                                                   .head = panel.head,
                                                   .matrix = panel.matrix,
                                                   .rows = panel.rows,
                                                   .columns = panel.cols,
                                                   .all_columns = panel.cols,
                                                   .range = panel.range,
                                                   .box = placed.plot.box});
  const scene::SheetPen pen = page.pen();
  pen.frame(placed.plot.box, page.line, pen.thin);
  if (!panel.result || placed.number_size == 0 || !page.options.decimals) return;
  scene::CellNumbers numbers;
  numbers.result = panel.result.get();
  numbers.stage = panel.stage;
  numbers.matrix = panel.matrix;
  numbers.plot = placed.plot;
  numbers.range = panel.range;
  numbers.size = placed.number_size;
  numbers.decimals = *page.options.decimals;
  numbers.ground = page.paper;
  scene::put_numbers(page.picture, numbers, page.theme, page.measure);
}

}  // namespace

void put_panels(FigurePage& page, const FigureContent& content) {
  std::vector<const FigurePanel*> panels;
  scene::SheetLines lines;
  for (const auto& line : content.lines) {
    lines.emplace_back();
    for (const FigurePanel& panel : line) {
      panels.push_back(&panel);
      lines.back().push_back(&panel);
    }
  }
  const scene::SheetPen pen = page.pen();
  const scene::SheetTexts texts{.row_names = content.labels,
                                .column_names = content.labels,
                                .widest_name = longest_of(page, content.labels),
                                .row_sum = [&](std::size_t panel, Index row) { return row_sum(*panels[panel], row); }};
  const std::optional<scene::Sheet> sheet = scene::put_sheet(pen, style_of(page, content), texts, lines);
  if (!sheet) throw_no_room(page);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const scene::PlacedSheetMatrix& placed = sheet->matrices[i];
    // Where the matrix of another figure of a series is larger.
    if (placed.room != placed.plot.box)
      page.picture.items.emplace_back(picture::Outline{placed.room, {page.line, 0.4}, pen.thin});
    put_cells(page, *panels[i], placed);
    const double thin = std::min(std::max(0.1 * placed.plot.cell_height(), 0.4), 0.1 * page.em);
    scene::put_marked_lines(pen, placed, thin, 2 * thin);
  }
  page.top = sheet->box.bottom();
}

void put_legend(FigurePage& page, const FigureContent& content) {
  const std::set<CellMark> marks = marks_of(content);
  if (marks.empty()) return;
  const double em = (content.diagram ? share_in_diagram : 1) * page.em;
  page.top = 0.4 * em + scene::put_legend(page.pen(em), marks, page.theme.inks.text, page.margin,
                                          page.width - page.margin, page.top);
}

}  // namespace attnscope
