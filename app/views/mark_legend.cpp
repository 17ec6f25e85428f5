#include "views/mark_legend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cells.h"
#include "core/difference.h"
#include "paint_window/text.h"
#include "views/heatmap.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr Index most_looked_at = 1024;
constexpr float sample_gap = 5;
constexpr float entry_gap = 14;

CellRect shown_cells(const StageView& view, const CellGrid& grid) {
  const CellRect shown = {grid.first_row(), grid.first_col(), grid.end_row() - grid.first_row(),
                          grid.end_col() - grid.first_col()};
  return view.is_transposed ? CellRect{shown.col, shown.row, shown.cols, shown.rows} : shown;
}

bool shows_hidden(const StageView& view, const CellRect& rect) {
  const Visibility seen = visibility(*view.result, view.info->stage);
  bool is_any_hidden = false;
  for (Index row = rect.row; row < rect.row + rect.rows && !is_any_hidden; ++row)
    for_each_hidden(seen, row, rect.col, rect.col + rect.cols, [&](const KeyRange&) { is_any_hidden = true; });
  return is_any_hidden;
}

std::vector<float> read(const StageView& view, Stage stage, const CellRect& rect) {
  std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
  read_cells(cells, *view.result, stage, view.matrix, rect);
  return cells;
}

ImU32 opaque(std::uint8_t light) { return IM_COL32(light, light, light, 255); }

void draw_sample(ImDrawList& list, const Theme& theme, CellMark mark, ImVec2 low, float side) {
  const ImVec2 high{low.x + side, low.y + side};
  const ImVec2 middle{low.x + side / 2, low.y + side / 2};
  const float reach = 0.28F * side;
  const float thin = std::max(1.0F, theme.unit);
  list.PushClipRect(low, high, true);
  if (mark == CellMark::masked) {
    list.AddRectFilled(low, high, opaque(theme.greys.hidden));
    const ImU32 line = opaque(theme.greys.hatch);
    for (float at = 0; at <= 2 * side; at += 4 * theme.unit)
      list.AddLine({low.x + at, low.y}, {low.x + at - side, high.y}, line, thin);
  } else if (mark == CellMark::dropped) {
    const Rgb ground = grey(theme.greys.gap);
    const Rgb ink = ink_on(ground);
    const ImU32 cross = IM_COL32(ink.r, ink.g, ink.b, 255);
    list.AddRectFilled(low, high, opaque(theme.greys.gap));
    list.AddLine({middle.x - reach, middle.y - reach}, {middle.x + reach, middle.y + reach}, cross, 1.3F * thin);
    list.AddLine({middle.x - reach, middle.y + reach}, {middle.x + reach, middle.y - reach}, cross, 1.3F * thin);
  } else if (mark == CellMark::edited) {
    list.AddRectFilled(low, high, to_u32(theme.card));
    draw_edit_mark(list, theme, {high.x, low.y}, 0.6F * side);
  } else {
    const ImU32 paper = opaque(theme.greys.paper);
    const ImU32 ink = opaque(ink_on_paper(theme.greys));
    list.AddRectFilled(low, high, paper);
    const ImVec2 top{middle.x, middle.y - reach};
    if (mark == CellMark::infinite) {
      list.AddTriangleFilled(top, {middle.x + reach, middle.y + reach}, {middle.x - reach, middle.y + reach}, ink);
    } else {
      list.AddQuad(top, {middle.x + reach, middle.y}, {middle.x, middle.y + reach}, {middle.x - reach, middle.y}, ink,
                   thin);
    }
  }
  list.AddRect(low, high, to_u32(theme.border));
  list.PopClipRect();
}

float sample_side(const ViewContext& context) { return std::floor(0.85F * font_height(context.fonts.small_text)); }

}  // namespace

void note_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  if (!context.marks) return;
  std::set<CellMark>& marks = *context.marks;
  const CellRect rect = shown_cells(view, grid);
  if (shows_hidden(view, rect)) marks.insert(CellMark::masked);
  const Visibility seen = visibility(*view.result, view.info->stage);
  const bool is_read = rect.rows * rect.cols <= most_looked_at;
  if (shows_dropped(*view.result, view.info->stage)) {
    const std::vector<float> factors = is_read ? read(view, Stage::dropout_factors, rect) : std::vector<float>{0};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const bool is_hidden = is_read && seen.hides(rect.row + at / rect.cols, rect.col + at % rect.cols);
      if (factors[i] == 0 && !is_hidden) marks.insert(CellMark::dropped);
    }
  }
  if (!is_read) return;
  for (const float value : read(view, view.info->stage, rect)) {
    if (std::isnan(value)) marks.insert(CellMark::not_a_number);
    if (std::isinf(value)) marks.insert(value > 0 ? CellMark::infinite : CellMark::masked);
  }
}

float mark_legend_width(const ViewContext& context) {
  if (!context.marks) return 0;
  float width = 0;
  for (const CellMarkName& row : cell_marks) {
    if (!context.marks->contains(row.mark)) continue;
    if (width > 0) width += entry_gap * unit(context);
    width += sample_side(context) + sample_gap * unit(context) + text_size(context.fonts.small_text, row.text).x;
  }
  return width;
}

void draw_mark_legend(const ViewContext& context, ImVec2 pos_screen) {
  if (!context.marks) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImFont* const font = context.fonts.small_text;
  const float side = sample_side(context);
  ImVec2 pos{std::floor(pos_screen.x), std::floor(pos_screen.y)};
  for (const CellMarkName& row : cell_marks) {
    if (!context.marks->contains(row.mark)) continue;
    draw_sample(list, context.theme, row.mark, {pos.x, std::floor(pos.y + (font_height(font) - side) / 2)}, side);
    pos.x += side + sample_gap * unit(context);
    draw_text(list, font, pos, to_u32(context.theme.dim_text), row.text);
    pos.x += text_size(font, row.text).x + entry_gap * unit(context);
  }
}

}  // namespace attnscope
