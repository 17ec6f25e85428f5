#include "document/float_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace attnscope {

void append_float(std::string& text, float value) {
  if (value == 0 && std::signbit(value)) {
    text += "-0.0";  // a whole -0 would be read as 0
    return;
  }
  char shortest[32];
  const auto end = fmt::format_to_n(shortest, sizeof shortest - 1, "{}", value).out;
  *end = '\0';
  // The shortest text is made for readers of float32. Documents are read as double first, as Python does, and rounding
  // twice could in rare cases end at a neighbour.
  if (static_cast<float>(std::strtod(shortest, nullptr)) == value) {
    text.append(shortest, end);
  } else {
    fmt::format_to(std::back_inserter(text), "{:.17g}", value);
  }
}

std::optional<double> read_float(std::string_view text) {
  if (text.starts_with("+-")) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+') || text.empty()) return std::nullopt;
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return std::nullopt;
  // Too large, or too small? It is the older function that says which.
  return problem == std::errc() ? number : std::strtod(std::string(text).c_str(), nullptr);
}

}  // namespace attnscope
