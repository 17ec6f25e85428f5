#include <cmath>

#include "look/number_text.h"
#include "paint_file/figure_cells.h"
#include "paint_file/figure_marks.h"

namespace attnscope {
namespace {

// What a cell says that the mask hides: minus infinity among scores, the mask's 1, a weight of 0.
std::string hidden_text(Stage stage) {
  if (info(stage).range == StageRange::boolean) return "1";
  return info(stage).range == StageRange::signed_value ? "\u2212∞" : "0";
}

std::string text_of(const FigurePanel& panel, Index row, Index col, int decimals) {
  const auto at = static_cast<std::size_t>(row * panel.cols + col);
  const bool is_difference = panel.source.result && panel.source.result->difference;
  if (panel.hides(row, col)) return is_difference ? "" : hidden_text(panel.stage);
  if (!panel.drops.empty() && panel.drops[at] > 0) return {};  // its cross says it
  const float value = panel.values[at];
  if (std::isnan(value) || (std::isinf(value) && value > 0)) return {};  // so does its mark
  if (value == 0 && is_difference) return {};                            // what has not changed stays blank
  return format_fixed(value, panel.has_bar ? decimals : 0);
}

Rgb background_of(const FigurePanel& panel, Index row, Index col, bool is_dark) {
  const float value = panel.values[static_cast<std::size_t>(row * panel.cols + col)];
  if (std::isinf(value)) return grey(greys_of(is_dark).hidden);
  return cell_colour(panel, value, row, is_dark);
}

}  // namespace

void add_numbers(std::vector<PlacedText>& texts, const PlacedPanel& placed, const TextShaper& shaper, int decimals,
                 bool is_dark) {
  if (placed.number_size == 0) return;
  const FigurePanel& panel = *placed.panel;
  const TextStyle style = {placed.number_size, false};
  const double line = line_height * style.size;
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index col = 0; col < panel.cols; ++col) {
      const std::string text = text_of(panel, row, col, decimals);
      if (text.empty()) continue;
      const double width = shaper.width(text, style);
      const Box cell = placed.cell(row, col);
      const Rgb ink = ink_on(background_of(panel, row, col, is_dark));
      texts.push_back({text,
                       style,
                       ink,
                       {cell.middle_x() - width / 2, cell.middle_y() - line / 2, width, line},
                       Align::centre,
                       false,
                       panel.hides(row, col),
                       false});
    }
  }
}

}  // namespace attnscope
