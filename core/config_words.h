#pragma once

#include "core/config.h"
#include "core/error.h"

#include <array>
#include <charconv>
#include <span>
#include <string>

// Words and tests that the checks of a configuration share. Private to this folder.
namespace attnscope {

template <typename Number>
std::string text_of(Number number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end.ptr};
}

inline std::string shape_of(std::span<const Index> shape) {
  std::string text = "(";
  for (const Index dimension : shape) text.append(text.size() > 1 ? ", " : "").append(text_of(dimension));
  return text + ")";
}

inline void check_range(const char* field, const std::string& name, Index value, Index largest) {
  if (value >= 1 && value <= largest) return;
  throw Error(field,
              name + " is " + text_of(value) + ", but it must be a whole number from 1 to " + text_of(largest) + ".");
}

inline std::string subscript(Index index) {
  std::string text = "[";
  return text.append(text_of(index)).append("]");
}

// Parts of check(config).
void check_heads_from_elsewhere(const AttentionConfig& config);
void check_heads_off(const AttentionConfig& config);
void check_dropout_edits(const AttentionConfig& config);

}  // namespace attnscope
