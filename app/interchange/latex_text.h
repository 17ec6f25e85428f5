#pragma once

#include <string>
#include <string_view>

#include "core/config.h"
#include "core/stage.h"

// Words, numbers and formulas as LaTeX with amsmath, for pdflatex and its first fonts.
namespace attnscope {

// A character of ASCII as itself, also beside its like: no command, no quotation mark of another kind.
std::string latex_character(char c);

// A token in math mode: its name as text, cut where it is long, or x_3 where pdflatex has no letters for it.
std::string latex_label(std::string_view name, std::size_t index);

// Four decimals, with a gap for the sign where others of its column have one.
std::string latex_number(float value, bool leaves_room_for_sign);

// "S^{(h)}"; without the superscript where there is one head, or where the stage has no heads.
std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript);

// How a stage follows from those before it: "A = \operatorname{softmax}(\tilde{S})", and words behind it.
std::string latex_formula(const AttentionConfig& config, Stage stage);

}  // namespace attnscope
