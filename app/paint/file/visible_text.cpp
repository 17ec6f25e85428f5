#include <algorithm>

#include "core/text.h"
#include "paint/file/figure.h"
#include "platform/system/glib_parts.h"

namespace attnscope {
namespace {

// Returns a stand-in for a character that is invisible or no text; nothing for all others.
std::string picture_of(char32_t character) {
  const auto encoded = [](char32_t point) {
    std::string text;
    append_utf8(text, point);
    return text;
  };
  constexpr char32_t control_pictures = 0x2400;
  if (character < 0x20) return encoded(control_pictures + character);
  if (character == 0x7F) return encoded(0x2421);
  const bool is_no_character = (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
  const bool is_none = is_no_character || (character >= 0x80 && character < 0xA0);
  if (is_none || character == 0x2028 || character == 0x2029) return "\uFFFD";
  return {};
}

}  // namespace

std::string_view font_families() { return "Inter,Noto Sans,DejaVu Sans,sans-serif"; }

std::string visible_text(std::string_view text) {
  std::string visible;
  std::string spaces;
  bool is_blank = true;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = utf8_character(text, i);
    const std::string picture = picture_of(character.code);
    is_blank = is_blank && picture.empty() && is_space(character.code);
    visible += picture.empty() ? text.substr(i, character.length) : picture;
    spaces += "␣";
    i += character.length;
  }
  return is_blank ? spaces : visible;
}

std::string visible_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool is_blank = line.find_first_not_of(' ') == std::string_view::npos;
    lines += is_blank ? std::string(line) : visible_text(line);
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> visible_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> visible(texts.size());
  std::ranges::transform(texts, visible.begin(), visible_text);
  return visible;
}

picture::TextMeasure TextShaper::text_measure() const {
  return [this](std::string_view text, double size, picture::Face face) {
    return text.empty() ? 0 : width(text, {size, face == picture::Face::bold});
  };
}

}  // namespace attnscope
