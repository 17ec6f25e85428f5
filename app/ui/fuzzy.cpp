#include "ui/fuzzy.h"

#include <algorithm>
#include <string>

#include "core/words.h"

namespace attnscope {
namespace {

constexpr int at_start = 400;  // of the text
constexpr int at_word = 300;   // at the beginning of a word
constexpr int within_word = 200;
constexpr int letter_by_letter = 100;

bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return before == ' ' || before == '_' || before == '-' || before == '(' || before == '/';
}

// Each letter follows the one before, or begins a later word: "adm" in "attention dropout mask".
std::optional<int> score_of_letters(std::string_view text, std::string_view word) {
  std::size_t at = 0;
  for (const char letter : word) {
    if (at > 0 && at < text.size() && text[at] == letter) {
      ++at;
      continue;
    }
    while (at < text.size() && !(text[at] == letter && begins_word(text, at))) ++at;
    if (at == text.size()) return std::nullopt;
    ++at;
  }
  return letter_by_letter;
}

std::optional<int> score_of_word(std::string_view text, std::string_view word) {
  int best = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    best = std::max(best, at == 0 ? at_start : begins_word(text, at) ? at_word : within_word);
  return best > 0 ? std::optional(best) : score_of_letters(text, word);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view text, std::string_view typed) {
  const std::string lowered = lower_case(text);
  const std::string rest = lower_case(typed);
  int score = 0;
  for (std::size_t begin = rest.find_first_not_of(' '); begin != std::string::npos;
       begin = rest.find_first_not_of(' ', begin)) {
    const std::size_t end = std::min(rest.find(' ', begin), rest.size());
    const std::optional<int> of_word = score_of_word(lowered, std::string_view(rest).substr(begin, end - begin));
    if (!of_word) return std::nullopt;
    score += *of_word;
    begin = end;
  }
  return score - static_cast<int>(text.size()) / 4;  // of equals the shorter
}

}  // namespace attnscope
