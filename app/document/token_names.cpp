#include "document/token_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "document/document.h"
#include "document/imported_view.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

constexpr std::size_t max_token_bytes = 1000;

bool is_refused(const std::string& name) { return name.size() > max_token_bytes || find_invalid_utf8(name); }

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
  std::vector<std::string> names;
  try {
    const JsonText json(text);
    const JsonValue list = json.root();
    JsonItems items(list);
    while (const JsonValue* const item = items.next()) {
      if (!item->is_text() || names.size() == wanted) return std::nullopt;
      names.push_back(item->text());
    }
    json.finish(list);
  } catch (const Error&) {
    return std::nullopt;
  }
  return names.size() == wanted ? std::optional(std::move(names)) : std::nullopt;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

TokenNames::TokenNames(std::vector<std::string> names) {
  const auto refused = std::ranges::find_if(names, is_refused);
  std::optional<std::size_t> first_refused;
  if (refused != names.end()) first_refused = static_cast<std::size_t>(refused - names.begin());
  names_ = std::make_shared<const Names>(Names{std::move(names), first_refused});
}

TokenNames::TokenNames(std::initializer_list<std::string> names) : TokenNames(std::vector<std::string>(names)) {}

std::size_t TokenNames::bytes_beyond(const TokenNames& others) const {
  if (names_ == others.names_) return 0;
  std::size_t bytes = 0;
  for (const std::string& name : *this) bytes += sizeof(std::string) + name.size();
  return bytes;
}

bool operator==(const TokenNames& left, const TokenNames& right) {
  return left.names_ == right.names_ || left.names().list == right.names().list;
}

void check_token(std::string_view token, std::size_t index) {
  const std::string field = fmt::format("tokens[{}]", index);
  if (token.size() > max_token_bytes) {
    throw Error(field, fmt::format("{} is {} bytes long, but a token may have at most {}.", field, token.size(),
                                   max_token_bytes));
  }
  if (find_invalid_utf8(token)) throw Error(field, field + " is not UTF-8 text: type the name again.");
}

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
