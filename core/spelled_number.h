#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace attnscope {

// Returns the number that the whole text spells; nothing if there is none, or if it does not fit.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace attnscope
