#include "views/heatmap.h"

#include <cmath>
#include <utility>

#include "core/cells.h"
#include "look/mix.h"
#include "paint_window/text.h"
#include "views/covering.h"
#include "views/format.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr Index max_numbered_cells = 4096;  // more never fit on a screen

// The cells that are shown, read all at once: one by one they would take their time where they are computed.
class ShownCells {
public:
  ShownCells(const StageView& view, const CellGrid& grid)
      : rect_{grid.first_row(), grid.first_col(), grid.end_row() - grid.first_row(),
              grid.end_col() - grid.first_col()} {
    if (view.is_transposed) rect_ = {rect_.col, rect_.row, rect_.cols, rect_.rows};
    is_transposed_ = view.is_transposed;
    const Result& result = *view.result;
    values_.resize(static_cast<std::size_t>(rect_.rows * rect_.cols));
    read_cells(values_, result, view.info->stage, view.matrix, rect_);
    if (!shows_dropped(result, view.info->stage)) return;
    factors_.resize(values_.size());
    read_cells(factors_, result, Stage::dropout_factors, view.matrix, rect_);
  }

  float value(Index row, Index col) const { return values_[at(row, col)]; }
  bool is_dropped(Index row, Index col) const { return !factors_.empty() && factors_[at(row, col)] == 0; }

private:
  std::size_t at(Index row, Index col) const {
    if (is_transposed_) std::swap(row, col);
    return static_cast<std::size_t>((row - rect_.row) * rect_.cols + col - rect_.col);
  }

  CellRect rect_;  // as stored
  bool is_transposed_ = false;
  std::vector<float> values_;
  std::vector<float> factors_;
};

std::string cell_text(const ViewContext& context, const StageView& view, const ShownCells& cells, Index row,
                      Index col) {
  if (is_covered(context, view, row, col)) return {};
  const bool is_hidden = is_hidden_cell(view, row, col);
  if (!is_hidden && cells.is_dropped(row, col)) return {};  // its cross says it
  const float value = cells.value(row, col);
  if (std::isnan(value)) return {};
  if (value == 0 && view.result->difference) return {};  // what has not changed stays blank
  const bool is_whole = view.info->range == StageRange::boolean || (value == 0 && is_hidden);
  return format_fixed(value, is_whole ? 0 : context.view.decimals);
}

// The text that takes the most room: that of one of the extremes, of all heads, which so have numbers of one size. All
// fonts agree well enough on which.
std::string widest_text(const ViewContext& context, const StageView& view) {
  const bool is_whole = view.info->range == StageRange::boolean;
  const StageSummary::Extremes& extremes = view.summary->overall;
  std::string low = format_fixed(extremes.low, is_whole ? 0 : context.view.decimals);
  std::string high = format_fixed(extremes.high, is_whole ? 0 : context.view.decimals);
  const ImFont* const font = context.fonts.small_text;
  return text_size(font, low).x > text_size(font, high).x ? low : high;
}

const ImFont* largest_fitting(const ViewContext& context, std::string_view text, ImVec2 cell) {
  const Fonts& fonts = context.fonts;
  const float scale = unit(context);
  for (const ImFont* const font : {fonts.very_large_numbers[1], fonts.very_large_numbers[0], fonts.large_number}) {
    const ImVec2 size = text_size(font, text);
    if (size.x + 16 * scale <= cell.x && size.y + 8 * scale <= cell.y) return font;
  }
  for (const ImFont* const font : {fonts.number, fonts.small_number}) {
    if (text_size(font, text).x + 4 * scale <= cell.x && digit_height(font) <= cell.y) return font;
  }
  const ImFont* const narrow = fonts.narrow_number;
  return text_size(narrow, text).x + scale <= cell.x && digit_height(narrow) <= cell.y ? narrow : nullptr;
}

Rgb background_of(const ViewContext& context, const StageView& view, const ColourRange& range, const ShownCells& cells,
                  Index row, Index col) {
  const bool is_masked = std::isinf(cells.value(row, col)) && cells.value(row, col) < 0;  // by whoever made the file
  const bool is_hatched = is_masked || is_hidden_cell(view, row, col);
  const Rgb colour = is_hatched ? grey(context.theme.greys.hidden)
                                : cell_colour(range, cells.value(row, col), view.is_transposed ? col : row);
  return mix(colours_of(context.theme.id).inks.card, colour, static_cast<double>(view.opacity));
}

// A number that the plot's edge would cut is left out: half a number is another number.
bool is_inside(const CellGrid& grid, ImVec2 pos, ImVec2 size, float digits) {
  const float blank = (size.y - digits) / 2 + 1;  // above and below digits
  return pos.x >= grid.min_screen.x && pos.y + blank >= grid.min_screen.y && pos.x + size.x <= grid.max_screen.x &&
         pos.y + size.y - blank <= grid.max_screen.y;
}

}  // namespace

void draw_cell_numbers(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const ImVec2 cell{grid.cell_width(), grid.cell_height()};
  const Index shown = (grid.end_row() - grid.first_row()) * (grid.end_col() - grid.first_col());
  if (shown > max_numbered_cells || cell.y < digit_height(context.fonts.narrow_number)) return;
  const ImFont* const font = largest_fitting(context, widest_text(context, view), cell);
  if (!font) return;
  const ColourRange range = range_of(context, view);
  const ShownCells cells(view, grid);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (Index row = grid.first_row(); row < grid.end_row(); ++row) {
    for (Index col = grid.first_col(); col < grid.end_col(); ++col) {
      const std::string text = cell_text(context, view, cells, row, col);
      if (text.empty()) continue;
      const ImVec2 size = text_size(font, text);
      const ImVec2 pos{std::round(grid.x_of(col) + (cell.x - size.x) / 2),
                       std::round(grid.y_of(row) + (cell.y - size.y) / 2)};
      if (!is_inside(grid, pos, size, digit_height(font))) continue;
      const Rgb ink = ink_on(background_of(context, view, range, cells, row, col));
      draw_text(list, font, pos, IM_COL32(ink.r, ink.g, ink.b, 255), text);
    }
  }
}

}  // namespace attnscope
