#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The classes and forms of characters by Unicode's tables, for the tokenizers of trained models.
namespace attnscope {

bool is_space(char32_t character);        // separators, and the blanks among the control characters of ASCII
bool is_word_part(char32_t character);    // letters, marks, digits, numbers that are letters, connecting punctuation
bool is_accent(char32_t character);       // a mark that takes no space
bool is_combining(char32_t character);    // normal forms order it among the marks of its letter
bool is_unwritten(char32_t character);    // control and format characters, those of private use, those that are none
char32_t small_letter(char32_t capital);  // the same character if it has no small form of one character

enum class UnicodeForm : std::uint8_t { nfd, nfc, nfkd, nfkc };
std::string normal_form(std::string_view text, UnicodeForm form);  // `text` is valid UTF-8

}  // namespace attnscope
