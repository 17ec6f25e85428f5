#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Appends the shortest text that reads back as the same bits, for readers of float32 and of float64 alike. The number
// must be finite.
void append_float(std::string& text, float value);

// Returns the number that a whole text spells, with or without a sign, rounded to the nearest as Python does: infinity
// if it is too large, 0 if it is too small. "inf" and "nan" are numbers. Nothing for any other text.
std::optional<double> read_float(std::string_view text);

// Reads a block of numbers: lines with tabs, commas, semicolons or blanks between numbers, or a Python list of lists,
// with or without torch.tensor(...) or np.array(...) around it; # begins a comment. Throws Error that names the row and
// what stands there; all rows must be of one length and finite.
std::vector<std::vector<float>> parse_number_block(std::string_view text);

// Returns LaTeX that prints one UTF-8 character with pdflatex's default fonts, also when it is repeated: printable
// ASCII, letters of Western Europe, and the signs of formulas. Nothing if these fonts lack the character.
std::optional<std::string> latex_character(std::string_view character);

// Returns LaTeX for all characters of a text. Those that pdflatex lacks stay unchanged, for its successors.
std::string latex_words(std::string_view text);

}  // namespace attnscope
