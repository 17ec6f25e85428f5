#pragma once

#include <string>
#include <string_view>

#include "core/config.h"
#include "core/stage.h"

// Words, numbers and formulas as LaTeX with amsmath, for pdflatex and its first fonts.
namespace attnscope {

// A token in math mode: its name as text, cut where it is long, or x_3 where pdflatex has no letters for it.
std::string latex_label(std::string_view name, std::size_t index);

// Four decimals, with room for a minus sign where other numbers of the column have one.
std::string latex_number(float value, bool leaves_room_for_sign);

// "S^{(h)}"; without the superscript where there is one head, or where the stage has no heads.
std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript);

// The formula of a stage and the words behind it: "A = \operatorname{softmax}(\tilde{S})".
std::string latex_formula(const AttentionConfig& config, Stage stage);

}  // namespace attnscope
