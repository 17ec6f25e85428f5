#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace attnscope {

// A cell shows a mark instead of the colour of its number, or on top of it. A new mark has its name and its rule here,
// its shape in scene/cells.cpp, and in the window its pixels in the shader of heatmaps.
enum class CellMark { masked, dropped, not_a_number, infinite, edited };

struct CellMarkInfo {
  CellMark mark;
  std::string_view text;         // in legends
  bool replaces_number = false;  // no number stands beside it
};
inline constexpr std::array<CellMarkInfo, 5> cell_marks = {{{CellMark::masked, "masked"},
                                                            {CellMark::dropped, "dropped", true},
                                                            {CellMark::not_a_number, "not a number", true},
                                                            {CellMark::infinite, "infinite", true},
                                                            {CellMark::edited, "changed by hand"}}};
constexpr bool replaces_number(CellMark mark) {
  for (const CellMarkInfo& row : cell_marks)
    if (row.mark == mark) return row.replaces_number;
  return false;
}

// The mark that a cell has by its number, which is minus infinity where it is hidden, and by whether it was dropped.
inline std::optional<CellMark> mark_of(float value, bool is_dropped) {
  if (std::isnan(value)) return CellMark::not_a_number;
  if (std::isinf(value)) return value > 0 ? CellMark::infinite : CellMark::masked;
  if (is_dropped) return CellMark::dropped;
  return {};
}

}  // namespace attnscope
