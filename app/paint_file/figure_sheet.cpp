#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "paint_file/figure_page.h"
#include "scene/cell_numbers.h"
#include "scene/mark_samples.h"
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

const ThemeColours& colours_for(FigureTheme theme) {
  return colours_of(theme == FigureTheme::dark ? ThemeId::dark : ThemeId::light);
}

scene::SheetPen pen_of(const Page& page, picture::Picture& picture, const picture::TextMeasure& measure, double em) {
  return {.picture = picture,
          .measure = measure,
          .theme = colours_for(page.content.options.theme),
          .line = page.inks.line,
          .em = em,
          .shorten = [&page](std::string_view text, double size, double room) {
            return page.shaper.shorten(text, {size, false}, room);
          }};
}

std::string_view range_name(const FigureContent& content, const ColourRange& range) {
  const FigureOptions& options = content.options;
  const bool follows_numbers = options.range == RangeMode::own || options.range == RangeMode::shared;
  if (options.fixed_range) return "fixed range";
  if (range.measure.kind != MeasureKind::value) return measure_name(range);
  if (content.is_of_series && follows_numbers) return "range of all frames";
  if (options.range == RangeMode::own) return "own range";
  return options.range == RangeMode::shared ? "range of all heads" : "";
}

scene::SheetStyle style_of(const Page& page, double top) {
  const FigureContent& content = page.content;
  const FigurePanel& first = content.lines.front().front();
  scene::SheetStyle style;
  style.left = page.margin;
  style.width = page.room();
  style.top = top;
  style.most_names = name_share * page.room();
  style.longest_names = std::max(style.most_names, longest_names * page.room());
  style.name_line = tight * page.em;
  for (const std::string& label : content.labels) {
    const TextSize size = page.shaper.measure(label, page.style(1));
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

std::string longest_of(const Page& page) {
  const std::string* longest = nullptr;
  double most = -1;
  for (const std::string& label : page.content.labels) {
    const double width = page.shaper.width(label, page.style(1));
    if (width > most) longest = &label;
    most = std::max(most, width);
  }
  return longest ? *longest : std::string();
}

[[noreturn]] void throw_no_room(const Page& page) {
  throw Error(
      fmt::format("There is no room for cells beside the labels of a figure that is {:.0f} pixels wide with a "
                  "font of {} points: make it wider or the font smaller.",
                  page.layout.width, page.content.options.font_size));
}

bool shows(const FigurePanel& panel, CellMark mark) {
  const auto any = [](const std::vector<float>& cells, auto is_such) { return std::ranges::any_of(cells, is_such); };
  switch (mark) {
    case CellMark::masked:
      return panel.source.seen.hides_any(panel.rows);
    case CellMark::dropped:
      return panel.has_cells() ? any(panel.drops, [](float drop) { return drop > 0; }) : panel.source.has_factors();
    case CellMark::not_a_number:
      return any(panel.values, [](float value) { return std::isnan(value); });
    case CellMark::infinite:
      return any(panel.values, [](float value) { return std::isinf(value) && value > 0; });
    case CellMark::edited:
      return false;  // figures show what is, not how it came to be
  }
  return false;
}

}  // namespace

void put_panels(Page& page, double& top) {
  std::vector<const FigurePanel*> panels;
  scene::SheetLines lines;
  for (const auto& line : page.content.lines) {
    lines.emplace_back();
    for (const FigurePanel& panel : line) {
      panels.push_back(&panel);
      lines.back().push_back(&panel);
    }
  }
  const picture::TextMeasure measure = text_measure(page.shaper);
  picture::Picture picture;
  const scene::SheetPen pen = pen_of(page, picture, measure, page.em);
  const scene::SheetTexts texts{.row_names = page.content.labels,
                                .column_names = page.content.labels,
                                .widest_name = longest_of(page),
                                .row_sum = [&](std::size_t panel, Index row) { return row_sum(*panels[panel], row); }};
  const std::optional<scene::Sheet> sheet = scene::put_sheet(pen, style_of(page, top), texts, lines);
  if (!sheet) throw_no_room(page);
  for (const scene::PlacedSheetMatrix& placed : sheet->matrices) {
    const FigurePanel& panel = *panels[page.layout.panels.size()];
    picture.items.emplace_back(picture::Heatmap{.result = panel.source.result,
                                                .stage = panel.stage,
                                                .head = panel.head,
                                                .matrix = panel.source.matrix,
                                                .rows = panel.rows,
                                                .columns = panel.cols,
                                                .all_columns = panel.cols,
                                                .range = panel.range,
                                                .box = placed.plot.box,
                                                .number = static_cast<int>(page.layout.panels.size())});
    page.layout.panels.push_back({&panel, placed.plot.box, placed.room, 0.75, placed.number_size});
  }
  for (const scene::PlacedSheetMatrix& placed : sheet->matrices) {
    const double thin = std::min(std::max(0.1 * placed.plot.cell_height(), 0.4), 0.1 * page.em);
    if (placed.matrix->opacity == 1) scene::put_marked_lines(pen, placed, thin, 2 * thin);
  }
  add_picture(page, std::move(picture));
  top = sheet->box.bottom();
}

void add_numbers(std::vector<PlacedText>& texts, const PlacedPanel& placed, const FigureOptions& options,
                 const TextShaper& shaper) {
  const FigurePanel& panel = *placed.panel;
  if (placed.number_size == 0 || !options.decimals) return;
  scene::CellNumbers numbers;
  numbers.result = panel.source.result.get();
  numbers.stage = panel.stage;
  numbers.matrix = panel.source.matrix;
  numbers.is_transposed = panel.is_transposed;
  numbers.plot = scene::whole_plot(placed.heat, panel.rows, panel.cols);
  numbers.range = panel.range;
  numbers.size = placed.number_size;
  numbers.decimals = *options.decimals;
  numbers.ground = figure_inks(options.theme).page;
  numbers.cell_alpha = panel.opacity;
  picture::Picture picture;
  scene::put_numbers(picture, numbers, colours_for(options.theme), text_measure(shaper));
  add_words(texts, picture, shaper, numbers.ground);
}

std::set<CellMark> marks_of(const FigureContent& content) {
  std::set<CellMark> marks = content.series_marks;
  for (const CellMarkName& entry : cell_marks) {
    for (const auto& line : content.lines) {
      if (std::ranges::any_of(line, [&](const FigurePanel& panel) { return shows(panel, entry.mark); }))
        marks.insert(entry.mark);
    }
  }
  return marks;
}

void put_legend(Page& page, double& top) {
  const std::set<CellMark> marks = marks_of(page.content);
  if (marks.empty()) return;
  const double em = (page.content.diagram ? share_in_diagram : 1) * page.em;
  const picture::TextMeasure measure = text_measure(page.shaper);
  picture::Picture picture;
  top = 0.4 * em + scene::put_legend(pen_of(page, picture, measure, em), marks, page.inks.text, page.margin,
                                     page.layout.width - page.margin, top);
  add_picture(page, std::move(picture));
}

}  // namespace attnscope
