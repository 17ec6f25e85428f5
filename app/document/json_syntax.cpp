#include "document/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/shown_text.h"
#include "core/utf8.h"
#include "document/json.h"
#include "document/words.h"

namespace attnscope {
namespace {

// The parser spells control characters of a token as <U+000A>; this is how many bytes of the text it stands for.
std::size_t token_length(std::string_view token) {
  constexpr std::size_t spelled = 8;
  std::size_t length = 0;
  for (std::size_t i = 0; i < token.size(); ++length) i += token.substr(i, 3) == "<U+" ? spelled : 1;
  return length;
}

constexpr std::string_view json_blanks = " \t\r\n";
constexpr std::string_view separators = " \t\r\n,:[]{}";

// Returns where the last word of text[start, end) begins; whole words come before it.
std::size_t last_word(std::string_view text, std::size_t start, std::size_t end) {
  std::size_t word = start;
  for (std::size_t i = start; i < end;) {
    if (json_blanks.find(text[i]) != std::string_view::npos) {
      ++i;
      continue;
    }
    word = i;
    if (text[i] == '"') {
      for (++i; i < end && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      ++i;
    } else if (separators.find(text[i]) != std::string_view::npos) {
      ++i;
    } else {
      while (i < end && text[i] != '"' && separators.find(text[i]) == std::string_view::npos) ++i;
    }
  }
  return word;
}

bool ends_inside_string(std::string_view text, std::size_t start) {
  if (start >= text.size() || text[start] != '"') return false;
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    i += text[i] == '\\' ? 1 : 0;
  }
  return true;
}

// The word that begins at `start`, as a reader would see it: up to a blank or a separator.
std::string_view word_at(std::string_view text, std::size_t start) {
  if (start >= text.size()) return {};
  const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
  return text.substr(start, std::max<std::size_t>(1, end - start));
}

bool is_infinity_or_nan(std::string_view word) {
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  const std::string lower = lower_case(word);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

char last_character_before(std::string_view text, std::size_t position) {
  const std::size_t last = text.substr(0, position).find_last_not_of(json_blanks);
  return last == std::string_view::npos ? '\0' : text[last];
}

std::string expectation(std::string_view text, std::size_t start, const SyntaxContext& context) {
  using After = SyntaxContext::After;
  const char before = last_character_before(text, start);
  switch (context.after) {
    case After::nothing:
      return "a document, which begins with {";
    case After::everything:
      return "nothing more after the document's closing }";
    case After::opening:
      return context.in_object ? "a key in double quotes or }" : "a value or ]";
    case After::key:
      return before == ':' ? "a value for " + context.path : "a colon after the key " + context.path;
    case After::value:
      break;
  }
  if (before == ',') return context.in_object ? "another key in double quotes" : "another value";
  return context.in_object ? "a comma or }" : "a comma or ]";
}

// Whether a string may stand here: then a string that was refused is broken inside.
bool string_may_stand(std::string_view text, std::size_t start, const SyntaxContext& context) {
  using After = SyntaxContext::After;
  const char before = last_character_before(text, start);
  return context.after == After::opening || (context.after == After::key && before == ':') ||
         (context.after == After::value && before == ',');
}

// Says what is wrong inside the string text[start, end); empty when the string itself is fine.
std::string string_problem(std::string_view text, std::size_t start, std::size_t end, const SyntaxContext& context) {
  if (start >= text.size() || text[start] != '"') return "";
  const char last = text[end - 1];
  if (static_cast<unsigned char>(last) < 0x20) {
    return "a string holds a line break or another control character: write it as \\n, \\t or \\u00XX";
  }
  if (last == '"' && end - start > 1 && !string_may_stand(text, start, context)) return "";
  return "a string holds an escape that JSON does not have: write a backslash as \\\\";
}

// The parser holds a string or a number several times over until it ends.
void check_word_lengths(std::string_view text) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  std::size_t begin = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_escaped = is_string && c == '\\';
    const bool is_end = is_string ? c == '"' : std::string_view(" \t\r\n,:[]{}\"").find(c) != std::string_view::npos;
    if (is_escaped) ++i;
    if (is_end) begin = i + 1;
    if (c == '"' && !is_escaped) is_string = !is_string;
    if (i - begin < longest || begin > i) continue;
    throw Error(fmt::format("{}: {} of more than {} bytes begins here, which nothing in a document may have.",
                            line_and_column(text, begin), is_string ? "a string" : "a number or a word", longest));
  }
}

}  // namespace

void check_json_text(std::string_view text) {
  if (text.size() > max_document_bytes) {
    throw Error(fmt::format("The document has {} bytes, but at most {} are read.", text.size(), max_document_bytes));
  }
  if (const auto position = find_invalid_utf8(text)) {
    throw Error(fmt::format("{}: not UTF-8 text: save the document as UTF-8.", line_and_column(text, *position)));
  }
  // The parser would take a NUL for the end of the text and leave what follows unread.
  if (const std::size_t position = text.find('\0'); position != std::string_view::npos) {
    throw Error(fmt::format("{}: not JSON: a NUL byte, which no text has.", line_and_column(text, position)));
  }
  check_word_lengths(text);
}

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  return fmt::format("line {}, column {}", line, character_count(in_line) + 1);
}

Error syntax_error(std::string_view text, std::size_t end, std::string_view token, const SyntaxContext& context) {
  const std::size_t read = std::min(end, text.size());
  std::size_t start = last_word(text, read - std::min(read, token_length(token)), read);
  const bool is_at_end = end > text.size();
  const bool is_cut_off = is_at_end && ends_inside_string(text, start);
  if (is_at_end && !is_cut_off) start = text.size();
  const std::string place = line_and_column(text, start);
  if (is_cut_off) return Error(place + ": not JSON: the text ends inside a string.");
  const std::string_view word = word_at(text, start);
  if (is_infinity_or_nan(word)) {
    return Error(context.path, fmt::format("{}: {} is {}, but every number must be finite.", place,
                                           context.path.empty() ? "a number" : context.path, shown_text(word)));
  }
  const std::string problem = string_problem(text, start, read, context);
  if (!problem.empty()) return Error(fmt::format("{}: not JSON: {}.", place, problem));
  const std::string found = word.empty() ? "the text ends" : "found " + in_quotes(word);
  return Error(fmt::format("{}: not JSON: expected {}, but {}.", place, expectation(text, start, context), found));
}

}  // namespace attnscope
