#include "core/words.h"

#include "core/shown_text.h"

#include <algorithm>
#include <numeric>

namespace attnscope {

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
