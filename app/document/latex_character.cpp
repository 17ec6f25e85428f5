#include "document/latex_character.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/shown_text.h"

namespace attnscope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> signs = {{{"−", "$-$"},
                                                                                 {"×", "$\\times$"},
                                                                                 {"√", "$\\surd$"},
                                                                                 {"∞", "$\\infty$"},
                                                                                 {"→", "$\\to$"},
                                                                                 {"Σ", "$\\Sigma$"},
                                                                                 {"·", "$\\cdot$"},
                                                                                 {"…", "\\dots{}"}}};

// Letters that TeX's first fonts compose: two bytes of UTF-8, U+00C0 to U+00FF without Eth, Thorn and the signs of
// multiplication and division.
bool is_western(std::string_view character) {
  if (character.size() != 2) return false;
  const auto first = static_cast<unsigned char>(character[0]);
  const auto second = static_cast<unsigned char>(character[1]);
  constexpr std::array<unsigned char, 6> missing = {0x90, 0x97, 0x9E, 0xB0, 0xB7, 0xBE};
  return first == 0xC3 && second >= 0x80 && second <= 0xBF && std::ranges::find(missing, second) == missing.end();
}

std::string ascii_character(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "''";  // no default font has the straight one
    case '$':
      return "$\\mathdollar$";  // the dollar sign of text is in another font
    case '-':
    case '`':
    case '\'':
    case '!':
    case '?':
    case ',':
      return std::string(1, c) + "{}";  // two of them would become one other sign
    case '{':
    case '}':
    case '&':
    case '#':
    case '_':
    case '%':
      return std::string("\\") + c;
    default:
      return {c};
  }
}

}  // namespace

std::optional<std::string> latex_character(std::string_view character) {
  if (character.size() == 1 && character[0] >= ' ' && character[0] <= '~') return ascii_character(character[0]);
  const auto* const sign = std::ranges::find(signs, character, &std::pair<std::string_view, std::string_view>::first);
  if (sign != signs.end()) return std::string(sign->second);
  if (is_western(character)) return std::string(character);
  return std::nullopt;
}

std::string latex_words(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character = text.substr(i, std::max<std::size_t>(utf8_character(text, i).length, 1));
    words += latex_character(character).value_or(std::string(character));
    i += character.size();
  }
  return words;
}

}  // namespace attnscope
