#define PCRE2_CODE_UNIT_WIDTH 8
#include "files/tokenizer_parts.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <new>

#include "core/error.h"
#include "core/text.h"

namespace attnscope {
namespace {

constexpr std::size_t longest_pattern = 20'000;
constexpr std::uint32_t most_matching_kibibytes = 1 << 16;
constexpr std::uint64_t steps_to_compile = 8;  // for a byte of what a pattern becomes
constexpr std::uint64_t steps_to_begin = 32;   // to look for a match

template <typename Thing>
Thing* made(Thing* thing) {
  if (!thing) throw std::bad_alloc();
  return thing;
}

// Returns the first part of a pattern that means something else to Oniguruma, which the patterns are written for, than
// to PCRE2: sets within sets and their intersections, {,n}, \h and (?m).
std::string_view ambiguous_part(std::string_view pattern) {
  bool is_in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    const bool is_set_in_set = is_in_set && rest[0] == '[' && !rest.starts_with("[:");
    if (is_set_in_set || (is_in_set && rest.starts_with("&&"))) return rest;
    if (rest.starts_with("\\h") || rest.starts_with("\\H")) return rest;
    if (!is_in_set && (rest.starts_with("{,") || rest.starts_with("(?m"))) return rest;
    if (rest[0] == '\\') {
      ++i;
    } else if (is_in_set && rest.starts_with("[:")) {
      i += std::min(rest.find(":]"), rest.size() - 2) + 1;
    } else if (rest[0] == '[' && !is_in_set) {
      is_in_set = true;
      i += rest.starts_with("[^]") ? 2 : rest.starts_with("[]") ? 1 : 0;
    } else if (rest[0] == ']') {
      is_in_set = false;
    }
  }
  return {};
}

// To PCRE2 the character U+180E is a blank, as it was to Unicode until 2013. Another invisible one stands for it, of as
// many bytes.
std::string without_former_blanks(std::string_view text) {
  constexpr std::string_view former_blank = "\u180E";
  std::string result(text);
  for (std::size_t at = result.find(former_blank); at != std::string::npos; at = result.find(former_blank, at))
    result.replace(at, former_blank.size(), "\u200B");
  return result;
}

}  // namespace

PatternWork::PatternWork(ReadingBudget& budget)
    : budget_(budget), data_(made(pcre2_match_data_create(1, nullptr))), context_(pcre2_match_context_create(nullptr)) {
  if (!context_) {
    pcre2_match_data_free(data_);
    throw std::bad_alloc();
  }
  pcre2_set_heap_limit(context_, most_matching_kibibytes);
  // PCRE2's own limit of steps is one for each place where a match could begin, so it bounds no long text. Here each
  // item of a pattern is a step, and each byte that it went over. Calling a function of PCRE2's for it is within its
  // rules: it may not throw.
  constexpr auto count_step = [](pcre2_callout_block* block, void* data) {
    PatternWork& work = *static_cast<PatternWork*>(data);
    const std::size_t place = block->current_position;
    const std::size_t distance = place > work.position_ ? place - work.position_ : work.position_ - place;
    work.position_ = place;
    return work.budget_.try_work(distance + 1) ? 0 : PCRE2_ERROR_CALLOUT;
  };
  pcre2_set_callout(context_, count_step, this);
}

PatternWork::~PatternWork() {
  pcre2_match_context_free(context_);
  pcre2_match_data_free(data_);
}

TextPattern TextPattern::literal(std::string text) {
  TextPattern pattern;
  pattern.text_ = std::move(text);
  return pattern;
}

// The options are those of Oniguruma, which the patterns are written for: a $ stands at the end of every line.
TextPattern TextPattern::regex(const std::string& text, ReadingBudget& budget) {
  if (const std::string_view part = ambiguous_part(text); !part.empty()) {
    throw Error(fmt::format("the pattern {} cannot be read from {} on: that is Oniguruma's own way to write it.",
                            in_quotes(text), in_quotes(part)));
  }
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      made(pcre2_compile_context_create(nullptr)), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_max_pattern_length(context.get(), longest_pattern);
  constexpr std::uint32_t options =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
  int problem = 0;
  std::size_t place = 0;
  TextPattern pattern;
  pattern.text_ = text;
  pattern.code_.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, &problem, &place, context.get()),
      [](pcre2_code* code) { pcre2_code_free(code); });
  if (pattern.code_) {
    std::size_t bytes = 0;
    pcre2_pattern_info(pattern.code_.get(), PCRE2_INFO_SIZE, &bytes);
    budget.hold(bytes);
    budget.work(steps_to_compile * (bytes + text.size()));
    return pattern;
  }
  char reason[256] = {};
  pcre2_get_error_message(problem, reinterpret_cast<PCRE2_UCHAR*>(reason), sizeof reason);
  throw Error(fmt::format("the pattern {} cannot be read at its byte {}: {}.", in_quotes(text), place + 1, reason));
}

std::vector<TextRange> TextPattern::matches(std::string_view text, PatternWork& work) const {
  std::vector<TextRange> found;
  work.budget_.work(steps_to_begin + text.size());
  if (!code_) {
    if (text_.empty()) return found;
    for (std::size_t at = text.find(text_); at != std::string_view::npos; at = text.find(text_, found.back().end)) {
      work.budget_.hold(sizeof(TextRange));
      found.push_back({at, at + text_.size()});
    }
    return found;
  }
  const std::string seen = without_former_blanks(text);
  for (std::size_t at = 0; at < text.size();) {
    work.position_ = at;
    work.budget_.work(steps_to_begin);
    const int result = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(seen.data()), seen.size(), at,
                                   PCRE2_NO_UTF_CHECK, work.data_, work.context_);
    if (result == PCRE2_ERROR_NOMATCH) break;
    const std::size_t* const ends = pcre2_get_ovector_pointer(work.data_);
    if (result < 0 || ends[0] < at || ends[1] < ends[0]) {
      work.budget_.check_stop();
      throw Error(fmt::format("The pattern {} takes too much work on this text.", in_quotes(text_)));
    }
    work.budget_.hold(sizeof(TextRange));
    found.push_back({ends[0], ends[1]});
    at = ends[1];
    if (ends[0] == ends[1] && at < text.size()) at += utf8_character(text, at).length;
  }
  return found;
}

}  // namespace attnscope
