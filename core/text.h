#pragma once

// Text as it may stand in sentences, on the screen and on a terminal: texts from outside, numbers, and names that
// somebody may have misspelled.

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// One character of a text and the bytes that it takes.
struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  // 0 if the bytes are not UTF-8
};

// Returns the character that begins at `position`, which must be within the text.
Utf8Character utf8_character(std::string_view text, std::size_t position);

void append_utf8(std::string& text, char32_t character);

// Returns the position of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates); nothing for
// good text.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Text from outside (of files, their names and contents, of the command line) as it may stand in a message, in the
// window and on a terminal: UTF-8, on one line, at most `most` characters. A longer one is cut in the middle, where
// its length is said: "aaaa… (60000 characters) …aaaa". Control characters, those that turn the direction of writing
// and bytes that are not UTF-8 are written as \n, \x9b, \u202e. Text that went through this stays as it is.
constexpr std::size_t most_characters_shown = 200;
constexpr std::size_t most_of_a_message = 1000;  // longer, because a message may quote several texts
std::string shown_text(std::string_view text, std::size_t most = most_characters_shown);
std::string shown_path(const std::filesystem::path& path);

// Returns the text in quotation marks, shorter; those within it get a backslash.
std::string in_quotes(std::string_view text);

// Text of many lines for a terminal: whole, but for control characters other than \n and \t, those that turn the
// direction of writing and bytes that are not UTF-8, which are written as \u009b, as JSON and Python have it.
std::string terminal_text(std::string_view text);

// Returns a number as it stands in a cell: fixed decimals, fewer for large numbers, no exponent, "−∞", "NaN", no
// "−0.00".
std::string format_fixed(double value, int decimals);

// Returns the shortest digits that read back as the same float32; powers of ten are written out: "1.5 × 10⁻⁷".
std::string format_full(float value);

std::string format_integer(double value);  // thousands apart: "1,048,576"

// Returns a dropout rate, or a number that follows from it, with two decimals, or with as many digits as tell it from 0
// and from 1.
std::string format_dropout_rate(double value);

// Returns which terms of a sum are shown where there is no room for all: the `most` largest in magnitude, in the order
// of the sum.
std::vector<std::size_t> largest_terms(std::span<const double> terms, std::size_t most);

// "key 1 Your": how people count, with the token's label.
std::string format_position(std::string_view axis, std::ptrdiff_t index, std::span<const std::string> labels);

using std::from_chars;
#if !defined(__cpp_lib_to_chars)
// What the standard library of Clang lacks.
std::from_chars_result from_chars(const char* first, const char* last, double& number);
std::from_chars_result from_chars(const char* first, const char* last, float& number);
#endif

// Returns the number that the whole text spells; nothing if there is none, or if it does not fit.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Counts the characters of UTF-8 text.
std::ptrdiff_t character_count(std::string_view text);

// Returns the text without the blanks at its ends.
std::string_view trimmed(std::string_view text);

// Returns the parts of a text between separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

// Returns the text with ASCII letters in lower case, everything else unchanged.
std::string lower_case(std::string_view text);
std::string lower_ending(const std::filesystem::path& path);  // ".png" for "a.PNG"; empty without an ending

// Returns `, did you mean "d_out"?` if one of the known names is close to a misspelled word, else nothing. Capitals, -
// and _ do not count, and a word that is most of a single name is close to it.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

// Returns the end of a sentence that refuses a word: the name that is close to it, or `list` and the known names, as in
// "; it may be a, b, c." Of very many names it lists those most like the word.
std::string known_names(std::string_view word, std::span<const std::string_view> known, std::string_view list);

// Returns a sentence with the path before it, unless the sentence names the path already.
std::string with_path(const std::filesystem::path& path, const std::string& sentence);

}  // namespace attnscope
