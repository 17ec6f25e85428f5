#pragma once

#include <string>
#include <string_view>

// Words and numbers as LaTeX with amsmath, for pdflatex and its first fonts.
namespace attnscope {

// A token in math mode: its name as text, cut where it is long, or x_3 where pdflatex has no letters for it.
std::string latex_label(std::string_view name, std::size_t index);

// Four decimals, with room for a minus sign where other numbers of the column have one.
std::string latex_number(float value, bool leaves_room_for_sign);

}  // namespace attnscope
