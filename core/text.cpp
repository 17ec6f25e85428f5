#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

std::string in_hexadecimal(unsigned number, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i > 0; --i, number /= 16) text[i - 1] = "0123456789abcdef"[number % 16];
  return text;
}

// Characters that change where or how the text around them is seen: marks and overrides of direction, separators of
// lines, and what has no width.
bool is_unseen(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 6> ranges = {
      {{0x61C, 0x61C}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}}};
  // Joiners and marks of direction in words are good text: Persian and emoji need U+200C and U+200D.
  if (code == 0x200C || code == 0x200D) return false;
  return std::ranges::any_of(ranges, [&](const auto& range) { return range.first <= code && code <= range.second; });
}

// One character of a text, and how it is shown.
struct TextPiece {
  std::string shown;
  std::size_t characters = 1;  // characters that `shown` has
  std::size_t bytes = 1;       // bytes that it takes in the text
};

TextPiece piece_at(std::string_view text, std::size_t position) {
  const Utf8Character character = utf8_character(text, position);
  const auto escaped = [&](const std::string& shown) {
    return TextPiece{shown, shown.size(), std::max<std::size_t>(1, character.length)};
  };
  if (character.length == 0) return escaped("\\x" + in_hexadecimal(static_cast<unsigned char>(text[position]), 2));
  const char32_t code = character.code;
  if (code == '\n') return escaped("\\n");
  if (code == '\t') return escaped("\\t");
  if (code == '\r') return escaped("\\r");
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return escaped("\\x" + in_hexadecimal(code, 2));
  if (is_unseen(code)) return escaped("\\u" + in_hexadecimal(code, 4));
  return {std::string(text.substr(position, character.length)), 1, character.length};
}

// Returns as many characters from the first on as fit.
std::string beginning(std::string_view text, std::size_t room) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const TextPiece piece = piece_at(text, at);
    if (piece.characters > room) break;
    room -= piece.characters;
    shown += piece.shown;
    at += piece.bytes;
  }
  return shown;
}

std::string ending(std::string_view text, std::size_t room) {
  constexpr std::size_t longest = 4;  // bytes in a character
  std::size_t at = text.size() - std::min(text.size(), room * longest);
  for (std::size_t i = 0; i < longest && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; ++i)
    ++at;
  std::vector<TextPiece> pieces;
  while (at < text.size()) {
    pieces.push_back(piece_at(text, at));
    at += pieces.back().bytes;
  }
  std::string shown;
  for (std::size_t i = pieces.size(); i > 0 && pieces[i - 1].characters <= room; --i) {
    room -= pieces[i - 1].characters;
    shown.insert(0, pieces[i - 1].shown);
  }
  return shown;
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

// The length that a first byte announces, and the smallest character that needs it.
struct Form {
  unsigned char mask;
  unsigned char lead;
  std::size_t length;
  char32_t smallest;
};

constexpr std::array<Form, 4> forms = {{
    {0x80, 0x00, 1, 0x0},
    {0xE0, 0xC0, 2, 0x80},
    {0xF0, 0xE0, 3, 0x800},
    {0xF8, 0xF0, 4, 0x10000},
}};

bool is_character(char32_t code) { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

}  // namespace

void append_utf8(std::string& text, char32_t character) {
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  constexpr std::array<char32_t, 4> leading = {0, 0xC0, 0xE0, 0xF0};
  const unsigned following = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  text += static_cast<char>(leading[following] | character >> (6 * following));
  for (unsigned left = following; left > 0; --left)
    text += static_cast<char>(0x80 | (character >> (6 * (left - 1)) & 0x3F));
}

#if !defined(__cpp_lib_to_chars)
namespace {

// Leaves out what std::strtod reads and std::from_chars does not: signs and blanks before a number, hexadecimal ones.
template <typename Number>
std::from_chars_result read_number(const char* first, const char* last, Number& number) {
  const char* const digits = first + (first != last && *first == '-');
  const bool begins = digits != last && *digits != '+' && *digits != '-' && static_cast<unsigned char>(*digits) > ' ';
  if (!begins) return {first, std::errc::invalid_argument};
  const bool is_hexadecimal = last - digits > 1 && digits[0] == '0' && (digits[1] | 0x20) == 'x';
  const std::string text(first, is_hexadecimal ? digits + 1 : last);
  char* end = nullptr;
  errno = 0;
  const Number read = sizeof(Number) == sizeof(float) ? static_cast<Number>(std::strtof(text.c_str(), &end))
                                                      : static_cast<Number>(std::strtod(text.c_str(), &end));
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const after = first + (end - text.c_str());
  if (errno == ERANGE && (read == 0 || std::isinf(read))) return {after, std::errc::result_out_of_range};
  number = read;
  return {after, std::errc()};
}

}  // namespace

std::from_chars_result from_chars(const char* first, const char* last, double& number) {
  return read_number(first, last, number);
}
std::from_chars_result from_chars(const char* first, const char* last, float& number) {
  return read_number(first, last, number);
}
#endif

std::string shown_text(std::string_view text, std::size_t most) {
  std::size_t count = 0;        // characters in the text
  std::size_t shown_count = 0;  // characters after control characters are spelled out
  for (std::size_t at = 0; at < text.size(); ++count) {
    const TextPiece piece = is_plain(text[at]) ? TextPiece() : piece_at(text, at);
    at += piece.bytes;
    shown_count += piece.characters;
  }
  if (shown_count <= most) return beginning(text, most);
  const std::string middle = "… (" + std::to_string(count) + " characters) …";
  const std::size_t room = most - std::min(most, middle.size() - 2 * (std::string_view("…").size() - 1));
  return beginning(text, room - room / 3) + middle + ending(text, room / 3);
}

// A model's address may end in the number of heads that nothing in its files says: "gpt.pth#heads=12".
std::string shown_path(const std::filesystem::path& path) {
  constexpr std::string_view mark = "#heads=";
  const std::string text = path.string();
  const std::size_t place = text.rfind(mark);
  const std::string_view number =
      place == std::string::npos ? std::string_view() : std::string_view(text).substr(place + mark.size());
  const bool has_number = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  if (!has_number) return shown_text(text);
  return shown_text(text.substr(0, place)) + " (" + std::string(number) + (number == "1" ? " head)" : " heads)");
}

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool is_layout = text[at] == '\n' || text[at] == '\t';
    const TextPiece piece = is_layout || is_plain(text[at]) ? TextPiece{std::string(1, text[at])} : piece_at(text, at);
    at += piece.bytes;
    const bool is_escaped_byte = piece.shown.starts_with("\\x");
    shown += is_escaped_byte ? "\\u00" + piece.shown.substr(2) : piece.shown;
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string quoted = "\"";
  for (const char c : shown_text(text, most)) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Utf8Character utf8_character(std::string_view text, std::size_t position) {
  const auto first = static_cast<unsigned char>(text[position]);
  for (const Form& form : forms) {
    if ((first & form.mask) != form.lead) continue;
    if (position + form.length > text.size()) return {};
    char32_t code = first & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      const auto next = static_cast<unsigned char>(text[position + i]);
      if ((next & 0xC0) != 0x80) return {};
      code = (code << 6) | (next & 0x3F);
    }
    if (code < form.smallest || !is_character(code)) return {};
    return {code, form.length};
  }
  return {};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = utf8_character(text, position).length;
    if (length == 0) return position;
    position += length;
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view minus = "\u2212";

std::string with_minus(std::string digits) {
  if (digits.starts_with('-')) digits.replace(0, 1, minus);
  return digits;
}

bool is_zero_text(std::string_view digits) { return digits.find_first_of("123456789") == std::string_view::npos; }

std::string superscript(int number) {
  static constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
  return text;
}

std::string special_text(double value) {
  if (std::isnan(value)) return "NaN";
  return value < 0 ? "\u2212∞" : "∞";
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return special_text(value);
  if (std::abs(value) >= 1e7) return format_full(static_cast<float>(value));
  for (double limit = 100; std::abs(value) >= limit && decimals > 0; limit *= 10) --decimals;
  std::string digits = fmt::format("{:.{}f}", value, decimals);
  if (is_zero_text(digits) && digits.starts_with('-')) digits.erase(0, 1);
  return with_minus(std::move(digits));
}

std::string format_full(float value) {
  if (!std::isfinite(value)) return special_text(value);
  const std::string scientific = fmt::format("{:e}", value);
  const std::string shortest = fmt::format("{}", value);
  const float magnitude = std::abs(value);
  if (value == 0) return "0";
  if (magnitude >= 1e-4F && magnitude < 1e7F) {
    if (shortest.find('e') == std::string::npos) return with_minus(shortest);
    return with_minus(fmt::format("{:.0f}", value));
  }
  // The shortest digits may come with or without an exponent; take them apart and put the power of ten in words.
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  const std::size_t end = shortest.find('e');
  std::string mantissa =
      end != std::string::npos ? shortest.substr(0, end) : fmt::format("{:.8g}", value / std::pow(10.0, exponent));
  return with_minus(std::move(mantissa)) + " × 10" + superscript(exponent);
}

std::string format_integer(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string format_dropout_rate(double value) {
  const double shown = std::round(value * 100) / 100;
  const bool is_told = std::abs(value - shown) < 1e-9 || (std::abs(value) > 0.05 && std::abs(value - 1) > 0.05);
  return is_told ? format_fixed(value, 2) : with_minus(fmt::format("{:.6g}", value));
}

std::vector<std::size_t> largest_terms(std::span<const double> terms, std::size_t most) {
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), 0);
  if (terms.size() <= most) return order;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(terms[i]); });
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

std::string format_position(std::string_view axis, std::ptrdiff_t index, std::span<const std::string> labels) {
  if (index < std::ssize(labels))
    return fmt::format("{} {} {}", axis, index + 1, labels[static_cast<std::size_t>(index)]);
  return fmt::format("{} {}", axis, index + 1);
}

namespace {

// Levenshtein's distance: how many letters must be typed, deleted or replaced.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Returns a name in lower case without blanks, - and _, which people leave out or mix up.
std::string letters_of(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return letters;
}

// Returns whether one of two names makes up most of the other.
bool is_most_of(std::string_view one, std::string_view other) {
  if (one.size() > other.size()) std::swap(one, other);
  return 2 * one.size() >= other.size() && other.find(one) != std::string_view::npos;
}

// Returns the known names, those most like the word first.
std::vector<std::string_view> by_likeness(std::string_view word, std::span<const std::string_view> known) {
  std::vector<std::string_view> names(known.begin(), known.end());
  std::ranges::stable_sort(names, {}, [letters = letters_of(word)](std::string_view name) {
    return edit_distance(letters, letters_of(name));
  });
  return names;
}

}  // namespace

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

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest = 40;
  if (word.size() > longest) return "";
  const std::string letters = letters_of(word);
  const std::vector<std::string_view> names = by_likeness(word, known);
  const auto is_close = [&](std::string_view name) {
    const std::string of_name = letters_of(name);
    const std::size_t tolerated = std::max<std::size_t>(1, std::max(letters.size(), of_name.size()) / 3);
    return edit_distance(letters, of_name) <= tolerated;
  };
  auto near = std::ranges::find_if(names, is_close);
  const auto is_like = [&](std::string_view name) { return is_most_of(letters, letters_of(name)); };
  if (near == names.end() && std::ranges::count_if(names, is_like) == 1) near = std::ranges::find_if(names, is_like);
  return near == names.end() ? "" : ", did you mean \"" + std::string(*near) + "\"?";
}

std::string known_names(std::string_view word, std::span<const std::string_view> known, std::string_view list) {
  constexpr std::size_t most_listed = 30;
  constexpr std::size_t most_like = 3;
  if (std::string near = suggestion(word, known); !near.empty()) return near;
  std::vector<std::string_view> names(known.begin(), known.end());
  if (names.size() > most_listed) {
    names = by_likeness(word.substr(0, most_listed), known);
    names.resize(most_like);
  }
  std::string text(names.size() < known.size() ? "; those most like it are " : list);
  for (const std::string_view name : names) text += (name == names.front() ? "" : ", ") + std::string(name);
  return text + ".";
}

std::string with_path(const std::filesystem::path& path, const std::string& sentence) {
  const std::string shown = shown_path(path);
  return sentence.find(shown) == std::string::npos ? shown + ": " + sentence : sentence;
}

}  // namespace attnscope
