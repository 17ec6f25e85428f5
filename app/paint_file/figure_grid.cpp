#include <algorithm>
#include <cmath>

#include "look/stage_look.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

// Lengths in ems.
constexpr double panel_gap = 1.5;         // between panels side by side
constexpr double line_gap = 1.3;          // between lines of panels
constexpr double axis_title = 1.35;       // what an axis title takes
constexpr double largest_cell = 6.5;      // of the only panel
constexpr double large_cell = 4.6;        // of one of several
constexpr double feature_row = 2.3;       // height of rows where no panel has keys for columns
constexpr double tallest_features = 1.1;  // of the page's width, all lines of them together
constexpr double feature_cell = 4.6;      // widest of them
constexpr double narrowest_panel = 1;     // less is nothing to look at
constexpr double longest_bar = 24;
constexpr double name_share = 0.38;  // of the page's width that token labels take before they get smaller

// What all lines of panels have in common.
struct Grid {
  std::size_t columns = 1;
  LabelFit labels;
  double left = 0;             // from the block's edge to the first panel
  double sums = 0;             // beside each panel
  double available = 0;        // for the cells of a panel
  double row_height = 0;       // of a cell
  double bar = 0;              // beside all panels
  double block_x = 0;          // where the block begins
  std::vector<double> widths;  // of the columns of panels, row sums included
};

template <typename Visit>
void for_each_place(const FigureContent& content, const Visit& visit) {
  for (const auto& line : content.lines) {
    for (std::size_t column = 0; column < line.size(); ++column) visit(line[column], column);
  }
}

bool is_alone(const FigureContent& content) { return content.lines.size() == 1 && content.lines[0].size() == 1; }

double row_height(const Page& page, double available) {
  bool has_keys = false;
  for_each_place(page.content, [&](const FigurePanel& panel, std::size_t) { has_keys |= panel.has_key_columns; });
  const auto rows = static_cast<double>(page.content.lines[0][0].laid_rows());
  const auto lines = static_cast<double>(page.content.lines.size());
  const double largest = (is_alone(page.content) ? largest_cell : large_cell) * page.em;
  if (has_keys) return std::min(available / rows, largest);
  return std::min(feature_row * page.em, tallest_features * page.room() / rows / lines);
}

// Of the largest matrix of a series.
double heat_width(const Page& page, const Grid& grid, const FigurePanel& panel) {
  const auto cols = static_cast<double>(panel.laid_cols());
  if (panel.has_key_columns) return grid.row_height * cols;
  return cols * std::min(grid.available / cols, std::max(grid.row_height, feature_cell * page.em));
}

TextStyle heading_style(const Page& page) { return page.style(1, true); }

double heading_width(const Page& page, const FigurePanel& panel) {
  const double chip = panel.has_head_colour ? 1.1 * page.em : 0;
  return chip + page.shaper.width(panel.heading, heading_style(page));
}

[[noreturn]] void throw_no_room(const Page& page) {
  throw Error(
      fmt::format("There is no room for cells beside the labels of a figure that is {:.0f} pixels wide with a "
                  "font of {} points: make it wider or the font smaller.",
                  page.layout.width, page.content.options.font_size));
}

Grid make_grid(const Page& page) {
  Grid grid;
  const FigureContent& content = page.content;
  for (const auto& line : content.lines) grid.columns = std::max(grid.columns, line.size());
  const auto columns = static_cast<double>(grid.columns);
  grid.labels = fit_labels(page, name_share * page.room());
  grid.left = (axis_title + 0.45) * page.em + grid.labels.width;
  for_each_place(content, [&](const FigurePanel& panel, std::size_t) {
    grid.sums = std::max(grid.sums, row_sums_width(page, panel));
    if (content.shares_bar) grid.bar = std::max(grid.bar, vertical_bar_width(page, panel));
  });
  const double gaps = (columns - 1) * panel_gap * page.em;
  grid.available = (page.room() - grid.left - grid.bar - gaps) / columns - grid.sums;
  if (grid.available < narrowest_panel * page.em) throw_no_room(page);
  grid.row_height = row_height(page, grid.available);
  grid.widths.assign(grid.columns, 0);
  for_each_place(content, [&](const FigurePanel& panel, std::size_t column) {
    const double wanted = std::max(heat_width(page, grid, panel), heading_width(page, panel));
    grid.widths[column] = std::max(grid.widths[column], std::min(wanted, grid.available) + grid.sums);
  });
  double used = grid.left + grid.bar + gaps;
  for (const double width : grid.widths) used += width;
  grid.block_x = page.margin + (page.room() - used) / 2;
  return grid;
}

void put_heading(Page& page, const FigurePanel& panel, double x, double top, double width) {
  if (panel.heading.empty()) return;
  TextStyle style = heading_style(page);
  const double needed = heading_width(page, panel);
  // The heading may use the gap to the next panel, but for a little.
  const double allowed = width + (panel_gap - 0.6) * page.em;
  if (needed > allowed) style.size *= std::max(allowed / needed, 0.6);
  const double lowered = heading_style(page).size - style.size;
  double text_x = x;
  if (panel.has_head_colour) {
    const double side = 0.75 * style.size;
    page.layout.chips.push_back({{x, top + lowered + (line_height * style.size - side) / 2, side, side},
                                 head_rgb(panel.head, page.content.options.theme == FigureTheme::dark)});
    text_x += side + 0.35 * style.size;
  }
  const std::string text = page.shaper.shorten(panel.heading, style, allowed - (text_x - x));
  page.put(text, style, page.inks.text, text_x, top + lowered, Align::left);
}

}  // namespace

void put_head_strip(Page& page, const PlacedPanel& placed) {
  const FigurePanel& panel = *placed.panel;
  if (panel.head_cols == 0) return;
  const double thickness = 0.28 * page.em;
  for (Index first = 0; first < panel.cols; first += panel.head_cols) {
    const Box cell = placed.cell(0, first);
    const double width = cell.width * static_cast<double>(panel.head_cols);
    const double inset = std::min(0.06 * page.em, 0.2 * width);
    page.layout.chips.push_back(
        {{cell.x + inset, placed.heat.y - thickness - 0.2 * page.em, width - 2 * inset, thickness},
         head_rgb(first / panel.head_cols, page.content.options.theme == FigureTheme::dark)});
  }
}

double number_size(const Page& page, const PlacedPanel& placed) {
  const std::string& widest = placed.panel->widest_number;
  if (widest.empty()) return 0;
  const double width_of_one = page.shaper.width(widest, page.style(1)) / page.em;
  const double size =
      std::min({0.95 * page.em, (0.86 * placed.cell_width()) / width_of_one, 0.72 * placed.cell_height()});
  return size < 0.52 * page.em ? 0 : size;
}

namespace {

void put_axis_titles(Page& page, const Grid& grid, const PlacedPanel& placed, bool is_first, double column_labels_top) {
  const TextStyle style = page.style(0.85);
  const AxisTitles& titles = placed.panel->titles;
  if (is_first) {
    page.put_vertical_centred(std::string(titles.rows), style, page.inks.dim,
                              grid.block_x + line_height * style.size / 2, placed.room.middle_y());
  }
  if (column_labels_top < 0) return;
  const std::string_view title = titles.columns == "dim" ? "dimension" : titles.columns;
  const std::string_view fitting =
      page.shaper.width(title, style) <= placed.room.width + panel_gap * page.em ? title : titles.columns;
  page.put(fitting, style, page.inks.dim, placed.room.middle_x(), column_labels_top - line_height * style.size,
           Align::centre);
}

PlacedPanel place(const Page& page, const Grid& grid, const FigurePanel& panel, double x, double top) {
  const Box room = {x, top, heat_width(page, grid, panel), grid.row_height * static_cast<double>(panel.laid_rows())};
  Box heat = room;
  heat.width *= static_cast<double>(panel.cols) / static_cast<double>(panel.laid_cols());
  heat.height *= static_cast<double>(panel.rows) / static_cast<double>(panel.laid_rows());
  return {&panel, heat, room};
}

// One line of panels, from `top` on, which moves below it.
void put_line(Page& page, const Grid& grid, const std::vector<FigurePanel>& line, bool has_columns, double& top) {
  bool has_headings = false;
  bool has_small_bars = false;
  double columns_height = 0;
  std::vector<ColumnFit> columns;
  for (const FigurePanel& panel : line) {
    has_headings |= !panel.heading.empty();
    has_small_bars |= !page.content.shares_bar && panel.has_bar;
    const double cell = heat_width(page, grid, panel) / static_cast<double>(panel.laid_cols());
    columns.push_back(fit_columns(page, panel, cell, grid.labels));
    const double strip = panel.head_cols > 0 ? 0.4 * page.em : 0;
    columns_height = std::max(columns_height, columns.back().height + strip);
  }
  const double heading_top = top;
  if (has_headings) top += 1.35 * page.em;
  if (has_columns) top += 0.85 * line_height * page.em + columns_height + 0.45 * page.em;
  const bool has_sums = grid.sums > 0;
  if (!has_columns && has_sums) top += 0.85 * line_height * page.em + 0.45 * page.em;
  double x = grid.block_x + grid.left;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const FigurePanel& panel = line[i];
    PlacedPanel placed = place(page, grid, panel, x, top);
    placed.number_size = number_size(page, placed);
    put_heading(page, panel, x, heading_top, grid.widths[i]);
    if (i == 0) put_row_labels(page, placed, grid.labels);
    const double strip = panel.head_cols > 0 ? 0.4 * page.em : 0;
    if (has_columns) put_column_labels(page, placed, columns[i]);
    put_axis_titles(page, grid, placed, i == 0, has_columns ? top - 0.45 * page.em - strip - columns[i].height : -1);
    put_head_strip(page, placed);
    put_row_sums(page, placed, grid.labels);
    if (has_small_bars && panel.has_bar) {
      const double width = std::max(placed.room.width, std::min(grid.widths[i] - grid.sums, 4.5 * page.em));
      put_small_bar(page, panel.range, x, placed.room.bottom(), width);
    }
    page.layout.panels.push_back(placed);
    x += grid.widths[i] + panel_gap * page.em;
  }
  top += grid.row_height * static_cast<double>(line.front().laid_rows());
  if (has_small_bars) top += small_bar_height(page);
}

}  // namespace

void put_panels(Page& page, double& top) {
  const Grid grid = make_grid(page);
  const std::size_t first = page.layout.panels.size();
  for (std::size_t i = 0; i < page.content.lines.size(); ++i) {
    if (i > 0) top += line_gap * page.em;
    put_line(page, grid, page.content.lines[i], i == 0 || !page.content.repeats_columns, top);
  }
  if (grid.bar == 0) return;
  const Box& room = page.layout.panels[first].room;
  double right = grid.block_x + grid.left + panel_gap * page.em * static_cast<double>(grid.columns - 1);
  for (const double width : grid.widths) right += width;
  const double height = std::min(top - room.y, std::max(room.height, longest_bar * page.em));
  put_vertical_bar(page, page.content.lines[0][0].range, right, room.y, height);
}
}  // namespace attnscope
