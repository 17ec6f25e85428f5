#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"

// Sentences for text that is not JSON, in our own words. For those who read documents and scripts.
namespace attnscope {

// The place where the parser failed.
struct SyntaxContext {
  enum class After { nothing, opening, key, value, everything };
  After after = After::nothing;
  bool in_object = false;
  std::string path;  // of the value that it expected
};

// `end` is how many bytes had been read, `token` what the parser had gathered last: the offending
// word, and often whole ones before it.
Error syntax_error(std::string_view text, std::size_t end, std::string_view token, const SyntaxContext& context);

// Before the text is parsed: throws Error when it is too long, is not UTF-8, or has a NUL byte in it.
void check_json_text(std::string_view text);

// "line 3, column 5", counted in characters from 1.
std::string line_and_column(std::string_view text, std::size_t position);

}  // namespace attnscope
