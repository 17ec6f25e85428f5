#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// One character of a text and the bytes that it takes.
struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  // 0 where the bytes are not UTF-8
};

// The character that begins at `position`, which must be within the text.
Utf8Character utf8_character(std::string_view text, std::size_t position);

// Position of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates); nothing for good text.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// How many characters there are in UTF-8 text.
std::ptrdiff_t character_count(std::string_view text);

// Without the blanks at its ends.
std::string_view trimmed(std::string_view text);

// The number that the whole text spells; nothing where there is none, or where it does not fit.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// ASCII letters in lower case, everything else unchanged.
std::string lower_case(std::string_view text);
std::string lower_ending(const std::filesystem::path& path);  // ".png" of "a.PNG"; empty where there is none

// The user's text in a message: in quotation marks, on one line, shortened when it is long.
std::string in_quotes(std::string_view text);

}  // namespace attnscope
