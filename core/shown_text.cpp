#include "core/shown_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

std::string in_hexadecimal(unsigned number, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i > 0; --i, number /= 16) text[i - 1] = "0123456789abcdef"[number % 16];
  return text;
}

// Characters that change where or how the text around them is seen: marks and overrides of direction, separators of
// lines, and what has no width.
bool is_unseen(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 6> ranges = {
      {{0x61C, 0x61C}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}}};
  // Joiners and marks of direction in words are good text: Persian and emoji need U+200C and U+200D.
  if (code == 0x200C || code == 0x200D) return false;
  return std::ranges::any_of(ranges, [&](const auto& range) { return range.first <= code && code <= range.second; });
}

// One character of a text, and how it is shown.
struct TextPiece {
  std::string shown;
  std::size_t characters = 1;  // characters that `shown` has
  std::size_t bytes = 1;       // bytes that it takes in the text
};

TextPiece piece_at(std::string_view text, std::size_t position) {
  const Utf8Character character = utf8_character(text, position);
  const auto escaped = [&](const std::string& shown) {
    return TextPiece{shown, shown.size(), std::max<std::size_t>(1, character.length)};
  };
  if (character.length == 0) return escaped("\\x" + in_hexadecimal(static_cast<unsigned char>(text[position]), 2));
  const char32_t code = character.code;
  if (code == '\n') return escaped("\\n");
  if (code == '\t') return escaped("\\t");
  if (code == '\r') return escaped("\\r");
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return escaped("\\x" + in_hexadecimal(code, 2));
  if (is_unseen(code)) return escaped("\\u" + in_hexadecimal(code, 4));
  return {std::string(text.substr(position, character.length)), 1, character.length};
}

// Returns as many characters from the first on as fit.
std::string beginning(std::string_view text, std::size_t room) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const TextPiece piece = piece_at(text, at);
    if (piece.characters > room) break;
    room -= piece.characters;
    shown += piece.shown;
    at += piece.bytes;
  }
  return shown;
}

std::string ending(std::string_view text, std::size_t room) {
  constexpr std::size_t longest = 4;  // bytes in a character
  std::size_t at = text.size() - std::min(text.size(), room * longest);
  for (std::size_t i = 0; i < longest && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; ++i)
    ++at;
  std::vector<TextPiece> pieces;
  while (at < text.size()) {
    pieces.push_back(piece_at(text, at));
    at += pieces.back().bytes;
  }
  std::string shown;
  for (std::size_t i = pieces.size(); i > 0 && pieces[i - 1].characters <= room; --i) {
    room -= pieces[i - 1].characters;
    shown.insert(0, pieces[i - 1].shown);
  }
  return shown;
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

// The length that a first byte announces, and the smallest character that needs it.
struct Form {
  unsigned char mask;
  unsigned char lead;
  std::size_t length;
  char32_t smallest;
};

constexpr std::array<Form, 4> forms = {{
    {0x80, 0x00, 1, 0x0},
    {0xE0, 0xC0, 2, 0x80},
    {0xF0, 0xE0, 3, 0x800},
    {0xF8, 0xF0, 4, 0x10000},
}};

bool is_character(char32_t code) { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

}  // namespace

std::string shown_text(std::string_view text, std::size_t most) {
  std::size_t count = 0;        // characters in the text
  std::size_t shown_count = 0;  // characters after control characters are spelled out
  for (std::size_t at = 0; at < text.size(); ++count) {
    const TextPiece piece = is_plain(text[at]) ? TextPiece() : piece_at(text, at);
    at += piece.bytes;
    shown_count += piece.characters;
  }
  if (shown_count <= most) return beginning(text, most);
  const std::string middle = "… (" + std::to_string(count) + " characters) …";
  const std::size_t room = most - std::min(most, middle.size() - 2 * (std::string_view("…").size() - 1));
  return beginning(text, room - room / 3) + middle + ending(text, room / 3);
}

std::string shown_path(const std::filesystem::path& path) { return shown_text(path.string()); }

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool is_layout = text[at] == '\n' || text[at] == '\t';
    const TextPiece piece = is_layout || is_plain(text[at]) ? TextPiece{std::string(1, text[at])} : piece_at(text, at);
    at += piece.bytes;
    const bool is_escaped_byte = piece.shown.starts_with("\\x");
    shown += is_escaped_byte ? "\\u00" + piece.shown.substr(2) : piece.shown;
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string quoted = "\"";
  for (const char c : shown_text(text, most)) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Utf8Character utf8_character(std::string_view text, std::size_t position) {
  const auto first = static_cast<unsigned char>(text[position]);
  for (const Form& form : forms) {
    if ((first & form.mask) != form.lead) continue;
    if (position + form.length > text.size()) return {};
    char32_t code = first & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      const auto next = static_cast<unsigned char>(text[position + i]);
      if ((next & 0xC0) != 0x80) return {};
      code = (code << 6) | (next & 0x3F);
    }
    if (code < form.smallest || !is_character(code)) return {};
    return {code, form.length};
  }
  return {};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = utf8_character(text, position).length;
    if (length == 0) return position;
    position += length;
  }
  return std::nullopt;
}

}  // namespace attnscope
