#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "document/document.h"
#include "document/viewing.h"

namespace attnscope {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view token_blanks = " \t\r\n\f\v";

std::vector<std::string> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t first = text.find_first_not_of(token_blanks); first != std::string_view::npos;
       first = text.find_first_not_of(token_blanks, first)) {
    const std::size_t end = std::min(text.find_first_of(token_blanks, first), text.size());
    words.emplace_back(text.substr(first, end - first));
    first = end;
  }
  return words;
}

// What Python's json.dump writes of a list of strings; nothing where the text is something else.
std::optional<std::vector<std::string>> json_list(std::string_view text) {
  const std::size_t first = text.find_first_not_of(token_blanks);
  if (first == std::string_view::npos || text[first] != '[') return std::nullopt;
  const nlohmann::json list = nlohmann::json::parse(
      text, [](int depth, auto, auto&) { return depth < 2; }, false);
  const auto is_text = [](const nlohmann::json& item) { return item.is_string(); };
  if (!list.is_array() || list.empty() || !std::ranges::all_of(list, is_text)) return std::nullopt;
  return list.get<std::vector<std::string>>();
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> tokens_from_text(std::string_view text, Index count) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto wanted = static_cast<std::size_t>(count);
  const std::optional<std::vector<std::string>> list = json_list(text);
  std::vector<std::string> lines = lines_of(text);
  std::vector<std::string> words = words_of(text);
  std::vector<std::string> tokens;
  if (list && list->size() == wanted) {
    tokens = *list;
  } else if (lines.size() == wanted) {
    tokens = std::move(lines);
  } else if (words.size() == wanted) {
    tokens = std::move(words);
  } else {
    throw Error(
        fmt::format("The text has {} and {}, but the attention is of {}: give it one name a line, or as many "
                    "names with blanks between them.",
                    counted(lines.size(), "line"), counted(words.size(), "word"), counted(wanted, "token")));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) check_token(tokens[i], i);
  return tokens;
}

}  // namespace attnscope
