#include "core/utf8.h"

#include <array>

namespace attnscope {
namespace {

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
