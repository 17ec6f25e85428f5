#include "views/axis_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/explain.h"
#include "paint_window/text.h"
#include "views/covering.h"
#include "views/format.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float max_label_width = 5.6f;  // in lines; longer names are cut, with an ellipsis
constexpr float label_gap = 6;
constexpr float tight = 0.78f;       // part of a line's height that labels may be apart: their glyphs still clear
constexpr double spread = 2;         // thinned labels stand further apart: the ends are moved inwards
constexpr float head_strip = 3;      // coloured bar over the columns of a head
constexpr Index measured_sums = 64;  // of the rows: more could not be read anyway

bool has_head_strip(const ViewContext& context, const StageView& view) {
  return view.info->stage == Stage::context && head_count(context.result()->config) > 1;
}

bool is_vertical(const ViewContext& context, const StageView& view, float cell_width) {
  if (!has_token_columns(view)) return false;
  return context.label_width + 2 * unit(context) > cell_width;
}

int sum_decimals(const ViewContext& context, const StageView& view) {
  return view.info->range == StageRange::boolean ? 0 : context.view.decimals;
}

ImU32 label_colour(const ViewContext& context, bool marked) {
  return to_u32(marked ? context.theme.cross_hair : context.theme.dim_text);
}

void draw_head_strip(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const Index heads = head_count(context.result()->config);
  const Index head_cols = view.cols / heads;
  const float thickness = head_strip * unit(context);
  const float top = grid.min_screen.y - thickness - 2;
  for (Index head = 0; head < heads; ++head) {
    const float left = std::max(grid.x_of(head * head_cols), grid.min_screen.x);
    const float right = std::min(grid.x_of((head + 1) * head_cols), grid.max_screen.x);
    if (right - left <= 2) continue;
    const ImU32 colour = to_u32(head_colour(static_cast<long>(head), context.theme.dark));
    ImGui::GetWindowDrawList()->AddRectFilled({left + 1, top}, {right - 1, top + thickness}, colour);
  }
}

// Rows lower than a line get smaller letters, down to what can still be read.
float row_text_height(const ViewContext& context, float cell) {
  return std::clamp(cell * 0.95f, font_height(context.fonts.narrow_number), font_height(context.fonts.small_text));
}

// Where a label of `length` along an axis begins: in the middle of what shows of its row or column, but inside the
// plot.
float label_start(const VisiblePart& part, float length, float low, float high) {
  return std::floor(std::clamp(part.middle() - length / 2, low - 1, std::max(low - 1, high - length + 1)));
}

// The plot's edge leaves too little of a row or column for its label; of thinned ones the middle must show.
bool has_room(const VisiblePart& part, Index step, float cell, float line) {
  if (!part.is_cut) return part.length() > 0;
  return part.length() >= (step > 1 ? 0.5f * cell : std::min(tight * line, 0.6f * cell));
}

Index first_labelled(Index first, Index step) { return (first + step - 1) / step * step; }

// How the labels above a heatmap stand.
struct ColumnLabels {
  bool is_vertical = false;
  Index step = 1;
  float bottom = 0;
};

ColumnLabels column_labels(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const float cell = grid.cell_width();
  const float line = font_height(context.fonts.small_text);
  const bool is_pair = has_token_columns(view);
  const float widest_number = text_size(context.fonts.small_text, std::to_string(view.cols)).x + 4 * unit(context);
  const float strip = has_head_strip(context, view) ? head_strip * unit(context) + 2 : 0;
  ColumnLabels labels;
  labels.is_vertical = is_vertical(context, view, cell);
  labels.step = thinned_step(cell, labels.is_vertical ? tight * line : (is_pair ? 0 : widest_number), spread);
  labels.bottom = grid.min_screen.y - 3 * unit(context) - strip;
  return labels;
}

}  // namespace

float longest_upright_label(const ViewContext& context) { return 4.25f * font_height(context.fonts.small_text); }

float row_label_width(const ViewContext& context) {
  const float titles = text_size(context.fonts.small_text, "query ↓").x;
  return std::min(std::max(context.label_width, titles), max_label_width * font_height(context.fonts.small_text)) +
         label_gap * unit(context);
}

float row_sum(const ViewContext& context, const StageView& view, Index row) {
  const bool is_infinite = holds_minus_infinity(context.result()->config, view.info->stage, row);
  return is_infinite ? -std::numeric_limits<float>::infinity()
                     : view.summary->row_sums[static_cast<std::size_t>(view.matrix * view.rows + row)];
}

float row_sum_width(const ViewContext& context, const StageView& view) {
  if (!is_query_by_key(view.info->axes)) return 0;
  float widest = text_size(context.fonts.small_text, "Σ").x;
  const Index step = std::max<Index>(1, view.rows / measured_sums);
  for (Index row = 0; row < view.rows; row += step) {
    const float sum = row_sum(context, view, row);
    // A sum that is not known yet has the room that it will probably need.
    const float shown = !std::isnan(sum) ? sum : sums_to_one(view.info->stage) ? 1 : -88.88F;
    widest = std::max(widest, text_size(context.fonts.small_text, format_fixed(shown, sum_decimals(context, view))).x);
  }
  return widest + label_gap * unit(context);
}

float column_label_height(const ViewContext& context, const StageView& view, float cell_width) {
  const float line = font_height(context.fonts.small_text);
  const float gap = 3 * unit(context);
  if (!is_vertical(context, view, cell_width)) {
    if (is_query_by_key(view.info->axes)) return 2 * line + gap;  // both titles have room in the corner
    return line + gap + (has_head_strip(context, view) ? head_strip * unit(context) + 2 : 0);
  }
  return std::max(2 * line, std::min(context.label_width, longest_upright_label(context))) + gap;
}

void draw_row_labels(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const MarkedLines marked = is_parameter(view.info->axes) ? MarkedLines() : marked_lines(context, view);
  const float cell = grid.cell_height();
  const Index step = thinned_step(cell, tight * font_height(context.fonts.small_text), spread);
  const float line = row_text_height(context, cell * static_cast<float>(step));
  const float gap = label_gap * unit(context);
  const float widest = row_label_width(context) - gap;
  const ImFont* font = context.fonts.small_text;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (Index row = first_labelled(grid.first_row(), step); row < grid.end_row(); row += step) {
    const VisiblePart part = visible_row(grid, row);
    if (!has_room(part, step, cell, line)) continue;
    const std::string label = fit_text(font, row_label(context, view, row), widest);
    const ImVec2 pos{grid.min_screen.x - gap - text_size(font, line, label).x,
                     label_start(part, line, grid.min_screen.y, grid.max_screen.y)};
    draw_text(list, font, line, pos, label_colour(context, marked.has_row(row)), label);
  }
}

void draw_row_sums(const ViewContext& context, const StageView& view, const CellGrid& grid, float width) {
  if (width == 0) return;
  const ImFont* font = context.fonts.small_text;
  const float cell = grid.cell_height();
  const Index step = thinned_step(cell, tight * font_height(font), spread);
  const float line = row_text_height(context, cell * static_cast<float>(step));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float right = grid.max_screen.x + width;
  const ImVec2 sigma = text_size(font, "Σ");
  draw_text(list, font, {right - sigma.x, grid.min_screen.y - sigma.y - 2 * unit(context)},
            to_u32(context.theme.dim_text), "Σ");
  for (Index row = first_labelled(grid.first_row(), step); row < grid.end_row(); row += step) {
    const VisiblePart part = visible_row(grid, row);
    if (!has_room(part, step, cell, line)) continue;
    const float sum = row_sum(context, view, row);
    if (std::isnan(sum) || is_covered(context, view, row, 0)) continue;  // not known yet, or not to be
    const bool is_off = sums_to_one(view.info->stage) && !view.result->difference && is_off_one(sum);
    const std::string text = format_fixed(sum, sum_decimals(context, view));
    const bool is_wide = text_size(font, line, text).x + 3 * unit(context) > width;
    const ImFont* const digits = is_wide ? context.fonts.narrow_number : font;
    const float size = is_wide ? font_height(digits) : line;
    const ImVec2 pos{right - text_size(digits, size, text).x,
                     label_start(part, size, grid.min_screen.y, grid.max_screen.y)};
    draw_text(list, digits, size, pos, to_u32(is_off ? context.theme.warning : context.theme.dim_text), text);
  }
}

void draw_column_labels(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const ColumnLabels labels = column_labels(context, view, grid);
  const Index marked = has_token_columns(view) ? marked_lines(context, view).col : -1;
  const ImFont* font = context.fonts.small_text;
  const float line = font_height(font);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (Index col = first_labelled(grid.first_col(), labels.step); col < grid.end_col(); col += labels.step) {
    const VisiblePart part = visible_col(grid, col);
    const std::string label = column_label(context, view, col);
    const float width = labels.is_vertical ? line : text_size(font, label).x;
    if (!has_room(part, labels.step, grid.cell_width(), labels.is_vertical ? line : 1.3f * width)) continue;
    const ImU32 colour = label_colour(context, col == marked);
    const float left = label_start(part, width, grid.min_screen.x, grid.max_screen.x);
    if (labels.is_vertical) {
      draw_vertical_text(list, font, {left, labels.bottom}, colour,
                         fit_text(font, label, longest_upright_label(context)));
    } else {
      draw_text(list, font, {left, labels.bottom - line}, colour, label);
    }
  }
  if (has_head_strip(context, view)) draw_head_strip(context, view, grid);
}

void draw_axis_titles(const ViewContext& context, const StageView& view, ImVec2 corner_min, ImVec2 corner_max) {
  const AxisTitles titles = axis_titles(view.result->config, view.info->stage);
  const float line = font_height(context.fonts.small_text);
  const ImU32 colour = to_u32(context.theme.dim_text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float right = corner_max.x - label_gap * unit(context);
  const auto draw_right_aligned = [&](std::string_view text, float y) {
    draw_text(list, context.fonts.small_text, {right - text_size(context.fonts.small_text, text).x, y}, colour, text);
  };
  const float bottom = corner_max.y - 3 * unit(context);
  if (corner_max.y - corner_min.y >= 2 * line) {
    draw_right_aligned(std::string(titles.columns) + " →", bottom - 2 * line);
    if (!titles.rows.empty()) draw_right_aligned(std::string(titles.rows) + " ↓", bottom - line);
  } else {
    draw_right_aligned(std::string(titles.rows) + " ↓", bottom - line);
  }
}

}  // namespace attnscope
