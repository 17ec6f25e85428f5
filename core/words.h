#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Returns the number that the whole text spells; nothing if there is none, or if it does not fit.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
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
