#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "look/stage_look.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

constexpr double smallest_label = 0.62;  // of the font size, for long names
constexpr double lowest_label = 0.78;    // for low rows
constexpr double tight = 1.08;           // of a label's size: what its line takes at least
constexpr double label_gap = 0.45;       // ems between labels and cells
constexpr double tick_length = 0.3;      // ems

// Labels of so many cells along an axis are set smaller before they are thinned.
TextStyle fit_to_cells(const LabelFit& labels, double cell) {
  const double shrink = std::clamp(cell / labels.line, lowest_label, 1.0);
  return {labels.style.size * shrink, labels.style.is_bold};
}

double line_of(const LabelFit& labels, const TextStyle& style) { return labels.line * style.size / labels.style.size; }

Index row_step(const LabelFit& labels, double cell) {
  return thinned_step(cell, line_of(labels, fit_to_cells(labels, cell)));
}

int sum_decimals(const Page& page, const FigurePanel& panel) {
  return panel.has_bar ? page.content.options.decimals.value_or(2) : 0;
}

}  // namespace

LabelFit fit_labels(const Page& page, double widest_allowed) {
  const TextStyle full = page.style(1);
  double longest = 0;
  double line = tight * full.size;
  for (const std::string& label : page.content.labels) {
    const TextSize size = page.shaper.measure(label, full);
    longest = std::max(longest, size.width);
    line = std::max(line, 1.04 * (size.above + size.below));
  }
  double shrink = longest > widest_allowed ? std::max(widest_allowed / longest, smallest_label) : 1.0;
  const double most = std::max(widest_allowed, 0.6 * page.room());
  return {{full.size * shrink, false}, std::min(longest * shrink, most), line * shrink};
}

ColumnFit fit_columns(const Page& page, const FigurePanel& panel, double cell_width, const LabelFit& labels) {
  ColumnFit fit;
  if (!panel.has_key_columns) {
    fit.style = page.style(0.85);
    const double widest = page.shaper.width(std::to_string(panel.laid_cols()), fit.style) + 0.5 * page.em;
    fit.step = thinned_step(cell_width, widest);
    fit.height = line_height * fit.style.size;
    return fit;
  }
  fit.style = labels.style;
  fit.is_vertical = labels.width + 0.5 * page.em > cell_width;
  fit.height = line_height * fit.style.size;
  fit.longest = labels.width;
  if (!fit.is_vertical) return fit;
  fit.style = fit_to_cells(labels, cell_width);
  fit.step = row_step(labels, cell_width);
  fit.height = labels.width * fit.style.size / labels.style.size;
  return fit;
}

void put_row_labels(Page& page, const PlacedPanel& placed, const LabelFit& labels) {
  const double cell = placed.cell_height();
  const TextStyle style = fit_to_cells(labels, cell);
  const Index step = row_step(labels, cell);
  const double right = placed.heat.x - label_gap * page.em;
  for (Index row = 0; row < placed.panel->rows; row += step) {
    const double middle = placed.cell(row, 0).middle_y();
    const std::string label =
        page.shaper.shorten(page.content.labels[static_cast<std::size_t>(row)], style, labels.width + 0.01);
    page.put(label, style, page.inks.text, right, middle - line_height * style.size / 2, Align::right);
    if (step > 1) page.layout.ticks.push_back({placed.heat.x - tick_length * page.em, middle, placed.heat.x, middle});
  }
}

void put_column_labels(Page& page, const PlacedPanel& placed, const ColumnFit& columns) {
  const FigurePanel& panel = *placed.panel;
  const double strip = panel.head_cols > 0 ? 0.4 * page.em : 0;
  const double bottom = placed.heat.y - label_gap * page.em - strip;
  for (Index col = 0; col < panel.cols; col += columns.step) {
    const double middle = placed.cell(0, col).middle_x();
    if (columns.step > 1 && strip == 0)
      page.layout.ticks.push_back({middle, placed.heat.y - tick_length * page.em, middle, placed.heat.y});
    if (!panel.has_key_columns) {
      page.put(std::to_string(col + 1), columns.style, page.inks.dim, middle, bottom - columns.height, Align::centre);
      continue;
    }
    const std::string& label = page.content.labels[static_cast<std::size_t>(col)];
    if (columns.is_vertical) {
      page.put_vertical(page.shaper.shorten(label, columns.style, columns.height + 0.01), columns.style, page.inks.text,
                        middle, bottom);
    } else {
      page.put(label, columns.style, page.inks.text, middle, bottom - columns.height, Align::centre);
    }
  }
}

double row_sums_width(const Page& page, const FigurePanel& panel) {
  if (panel.row_sums.empty()) return 0;
  double widest = page.shaper.width("sum", page.style(0.85));
  const int decimals = sum_decimals(page, panel);
  const auto [low, high] = row_sum_bounds(panel);
  std::vector<float> sums = panel.room_sums;
  sums.insert(sums.end(), {low, high});
  for (const float sum : sums) {
    widest = std::max(widest, page.shaper.width(format_fixed(sum, decimals), page.style(0.9)));
  }
  return widest + 0.6 * page.em;
}

void put_row_sums(Page& page, const PlacedPanel& placed, const LabelFit& labels) {
  const FigurePanel& panel = *placed.panel;
  if (panel.row_sums.empty()) return;
  const double right = placed.room.right() + row_sums_width(page, panel);
  const TextStyle heading = page.style(0.85);
  page.put("sum", heading, page.inks.dim, right, placed.heat.y - label_gap * page.em - line_height * heading.size,
           Align::right);
  const TextStyle number = {std::min(0.9 * page.em, fit_to_cells(labels, placed.cell_height()).size), false};
  const Index step = row_step(labels, placed.cell_height());
  for (Index row = 0; row < panel.rows; row += step) {
    const float sum = row_sum(panel, row);
    const bool is_off = panel.sums_to_one && is_off_one(sum);
    page.put(format_fixed(sum, sum_decimals(page, panel)), number, is_off ? page.inks.warning : page.inks.dim, right,
             placed.cell(row, 0).middle_y() - line_height * number.size / 2, Align::right);
  }
}

}  // namespace attnscope
