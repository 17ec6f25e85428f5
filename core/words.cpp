#include "core/words.h"

#include <algorithm>

#include "core/shown_text.h"

namespace attnscope {

std::ptrdiff_t character_count(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string lower_ending(const std::filesystem::path& path) { return lower_case(path.extension().string()); }

std::string with_path(const std::filesystem::path& path, const std::string& sentence) {
  const std::string shown = shown_path(path);
  return sentence.find(shown) == std::string::npos ? shown + ": " + sentence : sentence;
}

}  // namespace attnscope
