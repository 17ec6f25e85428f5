#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain.h"
#include "words/explanation_text.h"
#include "words/format.h"

namespace attnscope {

// Writes how a number came to be, line by line.
struct LineWriter {
  static constexpr int places = 4;

  const Result& result;
  const Explanation explanation;
  const Source& source;
  const RowNames& names;
  std::size_t max_terms;
  std::vector<ExplanationLine> lines = {};

  void words(std::string text) { lines.push_back({std::move(text), {}, true}); }
  void note(std::string text) { lines.push_back({.text = std::move(text), .is_words = true, .is_note = true}); }
  void arithmetic(std::string text, std::optional<Source> from = {}) { lines.push_back({std::move(text), from}); }
  void two_numbers(std::string left, const Source& from_left, const std::string& right, const Source& from_right);
  void equals() { arithmetic("= " + number(explanation.value)); }
  // These write what the number equals, after a line that leads to the first operand, or to the first and the second.
  void leads_on(std::string text);
  void pair(std::string_view sign, float second);

  static std::string number(float value) { return format_fixed(value, places); }
  std::string name_of(const Source& cell) const;   // "scores", "W_query.weight"
  std::string place_of(const Source& cell) const;  // "inputs of token 2 journey"
  const Source& from(std::size_t operand) const { return explanation.operands.at(operand).line.first; }
  float value(std::size_t operand) const { return explanation.operands.at(operand).values.front(); }

  void write_count(std::string_view what, std::size_t count);
  // Writes the terms in order; where there are too many, the largest in magnitude and the sum of the rest.
  void write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                 const std::function<void(const char*, std::size_t)>& write_term);
};

// One sentence on what a number is and how it came to be, with this document's tokens and numbers; empty where the
// lines of arithmetic say it all. Tokens without a name are counted.
std::string sentence_of(const Result& result, const Explanation& explanation, const Source& source,
                        const RowNames& names);

// Writes the lines of arithmetic that belong to the number's operation.
void write_arithmetic(LineWriter& writer);

}  // namespace attnscope
