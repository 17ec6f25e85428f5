#include "document/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/edit.h"

namespace attnscope {

namespace {

using Rows = std::vector<std::vector<float>>;

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string without_comments(std::string_view text) {
  std::string kept;
  bool in_comment = false;
  for (const char c : text) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (!in_comment) kept += c;
  }
  return kept;
}

float number_in_row(std::string_view word, std::size_t row) {
  const std::string place = fmt::format("Row {} holds {}", row, in_quotes(word));
  const std::optional<double> number = read_float(word);
  if (!number) throw Error(place + ", which is not a number: only numbers may stand here.");
  const auto value = static_cast<float>(*number);
  if (!std::isfinite(value)) {
    throw Error(place + ", but every number must be finite and lie between -3.4e38 and 3.4e38.");
  }
  return value;
}

// Reads numbers between commas, semicolons, tabs or blanks. One separator may end the row, but none may stand alone.
std::vector<float> numbers_of_row(std::string_view line, std::size_t row) {
  constexpr std::string_view commas = ",;";
  std::vector<float> numbers;
  bool needs_number = true;
  for (std::size_t i = 0; i < line.size();) {
    if (blanks.find(line[i]) != std::string_view::npos) {
      ++i;
    } else if (commas.find(line[i]) != std::string_view::npos) {
      if (needs_number)
        throw Error(fmt::format("Row {} has nothing before a \"{}\": a number is missing.", row, line[i]));
      needs_number = true;
      ++i;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t\r\n\v\f,;", i), line.size());
      if (std::ssize(numbers) == max_features)
        throw Error(fmt::format("Row {} has more than {} numbers, the most that a token has.", row, max_features));
      numbers.push_back(number_in_row(line.substr(i, end - i), row));
      needs_number = false;
      i = end;
    }
  }
  return numbers;
}

// Throws Error for "0,43;0,15", which is two numbers to one reader and four to another.
void refuse_decimal_commas(std::string_view line, std::size_t row) {
  if (line.find_first_of(";\t") == std::string_view::npos) return;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return line[at] >= '0' && line[at] <= '9'; };
    if (line[i] == ',' && is_digit(i - 1) && is_digit(i + 1)) {
      throw Error(fmt::format("Row {} mixes commas with tabs or semicolons in {}: write decimals with a point.", row,
                              in_quotes(line)));
    }
  }
}

void check_count(const Rows& rows) {
  if (std::ssize(rows) < max_tokens) return;
  throw Error(fmt::format("There are more than {} rows, the most tokens that a document has.", max_tokens));
}

Rows rows_of_lines(std::string_view text) {
  Rows rows;
  for (const std::string_view each : split(text, '\n')) {
    const std::string_view line = trimmed(each);
    if (line.empty()) continue;
    check_count(rows);
    refuse_decimal_commas(line, rows.size() + 1);
    rows.push_back(numbers_of_row(line, rows.size() + 1));
  }
  return rows;
}

// These may stand around a list: "inputs = torch.tensor(" before it, ", dtype=torch.float32)" after it.
void check_surroundings(std::string_view before, std::string_view after) {
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  for (const char c : before) {
    if (is_name(c) || c == '=' || c == '(' || blanks.find(c) != std::string_view::npos) continue;
    throw Error(fmt::format("{} stands before the first bracket, where only a name such as torch.tensor( may stand.",
                            in_quotes(trimmed(before))));
  }
  const std::string_view rest = trimmed(after);
  if (!rest.empty() && rest.front() != ')' && rest.front() != ',' && rest.front() != ';') {
    throw Error(
        fmt::format("{} stands after the last bracket, where only a closing parenthesis may stand.", in_quotes(rest)));
  }
}

// Returns the rows between the brackets of a list of lists.
Rows rows_of_list(std::string_view list) {
  Rows rows;
  std::string_view rest = trimmed(list.substr(1, list.size() - 2));
  while (!rest.empty()) {
    const std::size_t row = rows.size() + 1;
    if (rest.front() != '[') {
      throw Error(fmt::format("Row {} begins with {}, but each row must stand in brackets of its own.", row,
                              in_quotes(rest.substr(0, rest.find('[')))));
    }
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) throw Error(fmt::format("Row {} has no closing bracket.", row));
    const std::string_view inside = rest.substr(1, end - 1);
    if (inside.find('[') != std::string_view::npos) {
      throw Error(fmt::format("Row {} holds another list, but a block may only be a list of rows of numbers.", row));
    }
    check_count(rows);
    rows.push_back(numbers_of_row(inside, row));
    rest = trimmed(rest.substr(end + 1));
    if (rest.starts_with(',')) rest = trimmed(rest.substr(1));
  }
  return rows;
}

Rows rows_of_python(std::string_view text) {
  const std::size_t first = text.find('[');
  const std::size_t last = text.rfind(']');
  if (last == std::string_view::npos || last < first) throw Error("The list has no closing bracket.");
  check_surroundings(text.substr(0, first), text.substr(last + 1));
  const std::string_view list = text.substr(first, last - first + 1);
  const bool is_single_row = list.find('[', 1) == std::string_view::npos && list.find(']') == list.size() - 1;
  return is_single_row ? Rows{numbers_of_row(list.substr(1, list.size() - 2), 1)} : rows_of_list(list);
}

}  // namespace

void append_float(std::string& text, float value) {
  if (value == 0 && std::signbit(value)) {
    text += "-0.0";  // a whole -0 would be read as 0
    return;
  }
  char shortest[32];
  const auto end = fmt::format_to_n(shortest, sizeof shortest - 1, "{}", value).out;
  *end = '\0';
  // The shortest text is made for readers of float32. Documents are read as double first, as Python does, and rounding
  // twice could in rare cases end at a neighbour.
  if (static_cast<float>(std::strtod(shortest, nullptr)) == value) {
    text.append(shortest, end);
  } else {
    fmt::format_to(std::back_inserter(text), "{:.17g}", value);
  }
}

std::optional<double> read_float(std::string_view text) {
  if (text.starts_with("+-")) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+') || text.empty()) return std::nullopt;
  double number = 0;
  const auto [end, problem] = from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return std::nullopt;
  // std::strtod tells a number that is too large from one that is too small.
  return problem == std::errc() ? number : std::strtod(std::string(text).c_str(), nullptr);
}

Rows parse_number_block(std::string_view text) {
  const std::string kept = without_comments(text);
  const bool is_python = kept.find_first_of("[]") != std::string::npos;
  Rows rows = is_python ? rows_of_python(kept) : rows_of_lines(kept);
  if (rows.empty()) throw Error("There are no numbers in the text: paste rows of numbers.");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].empty()) throw Error(fmt::format("Row {} is empty, but each row must hold numbers.", i + 1));
    if (rows[i].size() == rows.front().size()) continue;
    throw Error(fmt::format("Row {} has {} numbers, but row 1 has {}: all rows must have the same length.", i + 1,
                            rows[i].size(), rows.front().size()));
  }
  return rows;
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> signs = {{{"−", "$-$"},
                                                                                 {"×", "$\\times$"},
                                                                                 {"√", "$\\surd$"},
                                                                                 {"∞", "$\\infty$"},
                                                                                 {"→", "$\\to$"},
                                                                                 {"Σ", "$\\Sigma$"},
                                                                                 {"·", "$\\cdot$"},
                                                                                 {"…", "\\dots{}"}}};

// Letters that TeX's first fonts compose: two bytes of UTF-8, U+00C0 to U+00FF without Eth, Thorn and the signs of
// multiplication and division.
bool is_western(std::string_view character) {
  if (character.size() != 2) return false;
  const auto first = static_cast<unsigned char>(character[0]);
  const auto second = static_cast<unsigned char>(character[1]);
  constexpr std::array<unsigned char, 6> missing = {0x90, 0x97, 0x9E, 0xB0, 0xB7, 0xBE};
  return first == 0xC3 && second >= 0x80 && second <= 0xBF && std::ranges::find(missing, second) == missing.end();
}

std::string ascii_character(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "''";  // no default font has the straight one
    case '$':
      return "$\\mathdollar$";  // the dollar sign of text is in another font
    case '-':
    case '`':
    case '\'':
    case '!':
    case '?':
    case ',':
      return std::string(1, c) + "{}";  // two of them would become one other sign
    case '{':
    case '}':
    case '&':
    case '#':
    case '_':
    case '%':
      return std::string("\\") + c;
    default:
      return {c};
  }
}

}  // namespace

std::optional<std::string> latex_character(std::string_view character) {
  if (character.size() == 1 && character[0] >= ' ' && character[0] <= '~') return ascii_character(character[0]);
  const auto* const sign = std::ranges::find(signs, character, &std::pair<std::string_view, std::string_view>::first);
  if (sign != signs.end()) return std::string(sign->second);
  if (is_western(character)) return std::string(character);
  return std::nullopt;
}

std::string latex_words(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character = text.substr(i, std::max<std::size_t>(utf8_character(text, i).length, 1));
    words += latex_character(character).value_or(std::string(character));
    i += character.size();
  }
  return words;
}

}  // namespace attnscope
