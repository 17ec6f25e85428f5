#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// Returns LaTeX that prints one UTF-8 character with pdflatex's default fonts, also when it is repeated: printable
// ASCII, letters of Western Europe, and the signs of formulas. Nothing if these fonts lack the character.
std::optional<std::string> latex_character(std::string_view character);

// Returns LaTeX for all characters of a text. Those that pdflatex lacks stay unchanged, for its successors.
std::string latex_words(std::string_view text);

}  // namespace attnscope
