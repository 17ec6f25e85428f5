#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// One character of UTF-8 in text, so that pdflatex and its first fonts print just that, also when it is repeated:
// printable ASCII, letters of Western Europe, and the signs of formulas. Nothing where they have none for it.
std::optional<std::string> latex_character(std::string_view character);

// All characters of a text; those that pdflatex has none for stay as they are, for its successors.
std::string latex_words(std::string_view text);

}  // namespace attnscope
