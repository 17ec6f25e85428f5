#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/reading_budget.h"

struct pcre2_real_code_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;

// Regular expressions of files that nobody vouches for. Private to this folder.
namespace attnscope {

// A part of a text, by its bytes.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Memory for matching patterns, and the budget that this and all other work on a text is counted in.
class PatternWork {
public:
  explicit PatternWork(ReadingBudget& budget);
  ~PatternWork();
  PatternWork(const PatternWork&) = delete;
  PatternWork& operator=(const PatternWork&) = delete;

  ReadingBudget& budget() const { return budget_; }

private:
  friend class TextPattern;

  ReadingBudget& budget_;
  std::size_t position_ = 0;  // of the last step
  pcre2_real_match_data_8* data_;
  pcre2_real_match_context_8* context_;
};

// A regular expression, or a literal text. Copies share what was compiled.
class TextPattern {
public:
  static TextPattern literal(std::string text);
  static TextPattern regex(const std::string& pattern, ReadingBudget& budget);  // throws Error

  // Returns where the pattern matches in UTF-8 text, from left to right; matches may be empty, but never overlap.
  // Throws Error if that takes too much work.
  std::vector<TextRange> matches(std::string_view text, PatternWork& work) const;

private:
  std::string text_;                               // as it was written
  std::shared_ptr<const pcre2_real_code_8> code_;  // null: literal
};

}  // namespace attnscope
