#include "interchange/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/utf8.h"
#include "document/latex_character.h"

namespace attnscope {
namespace {

// Nothing where the name has a character that pdflatex would stop at.
std::optional<std::string> latex_text(std::string_view name) {
  constexpr std::size_t longest = 24;
  std::string text;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size(); ++length) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character(name, i).length, 1);
    const std::optional<std::string> character = latex_character(name.substr(i, bytes));
    if (!character) return std::nullopt;
    if (length < longest) text += *character;
    i += bytes;
  }
  return length > longest ? text + "\\dots" : text;
}

}  // namespace

std::string latex_label(std::string_view name, std::size_t index) {
  if (const std::optional<std::string> text = latex_text(name)) return fmt::format("\\text{{{}}}", *text);
  return fmt::format("x_{{{}}}", index + 1);
}

std::string latex_number(float value, bool leaves_room_for_sign) {
  if (std::isnan(value)) return "\\text{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  constexpr float widest = 1e6F;
  std::string text = fmt::format("{:.4f}", std::abs(value));
  if (std::abs(value) >= widest) {
    const std::string scientific = fmt::format("{:.4e}", std::abs(value));
    const std::size_t e = scientific.find('e');
    text = fmt::format("{} \\cdot 10^{{{}}}", scientific.substr(0, e), std::stoi(scientific.substr(e + 1)));
  }
  const bool is_negative = value < 0 && text != "0.0000";
  if (is_negative) return "-" + text;
  return leaves_room_for_sign ? "\\phantom{-}" + text : text;
}

}  // namespace attnscope
