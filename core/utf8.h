#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// One character of a text and the bytes that it takes.
struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  // 0 where the bytes are not UTF-8
};

// The character that begins at `position`, which must be within the text.
Utf8Character utf8_character(std::string_view text, std::size_t position);

// Position of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates); nothing for good text.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace attnscope
