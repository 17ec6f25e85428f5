#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Longer than every field takes, but for the one of all names of a file's tokens.
constexpr std::size_t brim_bytes = 5000;

inline std::string until_full(std::string_view unit) {
  std::string text;
  while (text.size() < brim_bytes) text += unit;
  return text;
}

// What is typed into each field.
inline const std::vector<std::string>& brim_texts() {
  static const std::vector<std::string> all = {
      until_full("W"),
      until_full("漢字"),
      until_full("🙂👩‍👩‍👧"),
      until_full("שלום مرحبا "),
      until_full("e\u0301\u0302\u0323\u0489"),
      until_full("%s %n ##id {} "),
      until_full("a\u202E\u200B\uFEFF\uFFFF"),
      until_full("W W. "),
      until_full("9"),
      until_full("../"),
      "\xFF\xFE\xC0\x80 \xED\xA0\x80",
      "",
      "   ",
      "0",
      "-0",
      "-1",
      "1",
      "7",
      "nan",
      "inf",
      "-inf",
      "1e38",
      "-3e38",
      "3.4028236e38",
      "1e-45",
      "-1e-45",
      "1e999",
      "-1e999",
      "*1e999",
      "/1e-45",
      "+1e38",
      "2147483647",
      "2147483648",
      "-2147483649",
      "18446744073709551615",
      "18446744073709551616",
      "0x7fffffff",
      "1,5",
      "1.5.5",
      "-",
      ".",
      "1e",
      "0, 1e38, nan",
      "1..3",
      "%s %n",
      "%d{}##a",
  };
  return all;
}

}  // namespace attnscope
