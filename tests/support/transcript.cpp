#include "tests/support/transcript.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "tests/support/places.h"

namespace attnscope::test {
namespace {

constexpr std::size_t shown_lines = 6;
constexpr std::ptrdiff_t longest_short = 16;  // characters of a text that shares a line
constexpr std::ptrdiff_t most_columns = 110;
constexpr std::size_t least_decimals = 3;   // of numbers whose last digit may be off by one
constexpr std::size_t least_of_floats = 6;  // decimals of numbers that are written with every digit of a float
constexpr double float_error = 1e-6;        // of these

struct Word {
  std::string text;
  std::size_t line = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Word> words_of(const std::vector<std::string>& lines) {
  std::vector<Word> words;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::istringstream in(lines[line]);
    for (std::string word; in >> word;) words.push_back({word, line});
  }
  return words;
}

// Returns how many decimals the first number of a word has.
std::size_t decimals_of(std::string_view word) {
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos) return 0;
  return std::min(word.find_first_not_of("0123456789", point + 1), word.size()) - point - 1;
}

// Whether two words say the same, but for the last digits of a long number.
bool agree(const std::string& was, const std::string& is) {
  if (was == is) return true;
  constexpr const char* digits = "0123456789";
  const std::size_t start = was.find_first_of(digits);
  if (start == std::string::npos || start != is.find_first_of(digits) || was.compare(0, start, is, 0, start) != 0)
    return false;
  const std::size_t places = std::min(decimals_of(was), decimals_of(is));
  if (places < least_decimals) return false;
  char* end_was = nullptr;
  char* end_is = nullptr;
  const double number_was = std::strtod(was.c_str() + start, &end_was);
  const double number_is = std::strtod(is.c_str() + start, &end_is);
  const double last_digit = std::pow(10, -static_cast<double>(places));
  const double most =
      std::max(1.5 * last_digit, places >= least_of_floats ? float_error * (1 + std::abs(number_was)) : 0);
  return std::string_view(end_was) == end_is && std::abs(number_was - number_is) < most;
}

std::string some_lines(const char* of, const std::vector<std::string>& lines, std::size_t first) {
  std::string text;
  for (std::size_t line = first; line < std::min(first + shown_lines, lines.size()); ++line)
    text += fmt::format("  {} {:4}: {}\n", of, line + 1, lines[line]);
  return text.empty() ? fmt::format("  {}: nothing more\n", of) : text;
}

}  // namespace

std::string in_lines(const std::vector<std::string>& texts) {
  const auto length = [](const std::string& text) {
    return std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; });
  };
  std::string lines;
  std::ptrdiff_t columns = 0;  // of the last line; 0 where nothing is added to it
  for (const std::string& text : texts) {
    const bool is_short = length(text) <= longest_short;
    const bool is_added = is_short && columns > 0 && columns + length(text) < most_columns;
    if (!lines.empty()) lines += is_added ? "  " : "\n";
    lines += text;
    columns = is_short ? (is_added ? columns + 2 : 0) + length(text) : 0;
  }
  return lines + "\n";
}

std::string difference_of_transcripts(const std::string& was, const std::string& is) {
  const std::vector<std::string> lines_was = lines_of(was);
  const std::vector<std::string> lines_is = lines_of(is);
  const std::vector<Word> words_was = words_of(lines_was);
  const std::vector<Word> words_is = words_of(lines_is);
  const auto same = [](const Word& a, const Word& b) { return agree(a.text, b.text); };
  const auto [at_was, at_is] = std::ranges::mismatch(words_was, words_is, same);
  if (at_was == words_was.end() && at_is == words_is.end()) return "";
  const std::size_t line_was = at_was == words_was.end() ? lines_was.size() : at_was->line;
  const std::size_t line_is = at_is == words_is.end() ? lines_is.size() : at_is->line;
  std::string moment;
  for (std::size_t line = 0; line < std::min(line_is + 1, lines_is.size()); ++line)
    if (lines_is[line].starts_with("== ")) moment = lines_is[line];
  return fmt::format("{}\n{}{}", moment, some_lines("was", lines_was, line_was), some_lines("is", lines_is, line_is));
}

void expect_transcript(const std::string& name, const std::string& text) {
  const std::filesystem::path file = data_folder() / "transcripts" / (name + ".txt");
  if (std::getenv("ATTNSCOPE_WRITE_TRANSCRIPTS")) {
    std::ofstream(file) << text;
    return;
  }
  std::ifstream in(file);
  const std::string was(std::istreambuf_iterator<char>(in), {});
  const std::string difference = difference_of_transcripts(was, text);
  EXPECT_TRUE(difference.empty()) << file.string() << " differs at " << difference
                                  << "Where that is right, write the file anew with ATTNSCOPE_WRITE_TRANSCRIPTS=1 in "
                                     "the environment of this test, and read what changed.";
}

}  // namespace attnscope::test
