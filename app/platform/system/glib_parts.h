#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Unicode's tables and SHA-256: GLib has them, and for a page the browser.
namespace attnscope {

// The classes and forms of characters by Unicode's tables, for the tokenizers of trained models.
bool is_space(char32_t character);        // separators, and the blanks among the control characters of ASCII
bool is_word_part(char32_t character);    // letters, marks, digits, numbers that are letters, connecting punctuation
bool is_accent(char32_t character);       // a mark that takes no space
bool is_combining(char32_t character);    // normal forms order it among the marks of its letter
bool is_unwritten(char32_t character);    // control and format characters, those of private use, those that are none
char32_t small_letter(char32_t capital);  // the same character if it has no small form of one character

enum class UnicodeForm : std::uint8_t { nfd, nfc, nfkd, nfkc };
std::string normal_form(std::string_view text, UnicodeForm form);  // `text` is valid UTF-8

// The SHA-256 of bytes that come in pieces.
class Sha256 {
public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  std::string text();  // 64 hexadecimal digits; nothing can be added any more

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope
