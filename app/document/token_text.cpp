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

// A list of texts of which only as many are kept as are wanted: a file may hold millions.
struct Pieces {
  std::size_t wanted = 0;
  std::size_t count = 0;
  std::vector<std::string> kept = {};

  void add(std::string_view text) {
    if (++count <= wanted) kept.emplace_back(text);
  }
  bool are_wanted() const { return count == wanted; }
};

Pieces lines_of(std::string_view text, std::size_t wanted) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  Pieces lines{wanted};
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.add(line);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Pieces words_of(std::string_view text, std::size_t wanted) {
  Pieces words{wanted};
  for (std::size_t first = text.find_first_not_of(token_blanks); first != std::string_view::npos;
       first = text.find_first_not_of(token_blanks, first)) {
    const std::size_t end = std::min(text.find_first_of(token_blanks, first), text.size());
    words.add(text.substr(first, end - first));
    first = end;
  }
  return words;
}

// Reads a list of strings as Python's json.dump writes it; nothing where the text is something else, or has others than
// the wanted number.
std::optional<std::vector<std::string>> json_list(std::string_view text, std::size_t wanted) {
  const std::size_t first = text.find_first_not_of(token_blanks);
  if (first == std::string_view::npos || text[first] != '[') return std::nullopt;
  std::size_t count = 0;
  const auto is_kept = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json&) {
    count += event == nlohmann::json::parse_event_t::value ? 1 : 0;
    return depth < 2 && count <= wanted;
  };
  const nlohmann::json list = nlohmann::json::parse(text, is_kept, false);
  const auto is_text = [](const nlohmann::json& item) { return item.is_string(); };
  if (!list.is_array() || count != wanted || list.size() != wanted || !std::ranges::all_of(list, is_text))
    return std::nullopt;
  return list.get<std::vector<std::string>>();
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> tokens_from_text(std::string_view text, Index count) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto wanted = static_cast<std::size_t>(count);
  std::optional<std::vector<std::string>> list = json_list(text, wanted);
  Pieces lines = lines_of(text, wanted);
  Pieces words = words_of(text, wanted);
  std::vector<std::string> tokens;
  if (list) {
    tokens = *std::move(list);
  } else if (lines.are_wanted()) {
    tokens = std::move(lines.kept);
  } else if (words.are_wanted()) {
    tokens = std::move(words.kept);
  } else {
    throw Error(
        fmt::format("The text has {} and {}, but the attention has {}: give one name per line, or "
                    "separate the names with blanks.",
                    counted(lines.count, "line"), counted(words.count, "word"), counted(wanted, "token")));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) check_token(tokens[i], i);
  return tokens;
}

}  // namespace attnscope
