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
  std::size_t length = 0;  // 0 if the bytes are not UTF-8
};

// Returns the character that begins at `position`, which must be within the text.
Utf8Character utf8_character(std::string_view text, std::size_t position);

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

}  // namespace attnscope
