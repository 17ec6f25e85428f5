#pragma once

#include <array>
#include <string_view>

namespace attnscope {

// What a cell shows instead of a colour of its number, or on top of it.
enum class CellMark { masked, dropped, not_a_number, infinite, edited };

struct CellMarkName {
  CellMark mark;
  std::string_view text;  // in legends
};
inline constexpr std::array<CellMarkName, 5> cell_marks = {{{CellMark::masked, "masked"},
                                                            {CellMark::dropped, "dropped"},
                                                            {CellMark::not_a_number, "not a number"},
                                                            {CellMark::infinite, "infinite"},
                                                            {CellMark::edited, "changed by hand"}}};

}  // namespace attnscope
