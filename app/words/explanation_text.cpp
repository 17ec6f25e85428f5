#include "words/explanation_text.h"

#include <fmt/format.h>

#include "look/number_text.h"
#include "words/operation_words.h"

namespace attnscope {

std::string LineWriter::name_of(const Source& cell) const {
  if (!is_parameter(info(cell.stage).axes)) return std::string(info(cell.stage).title);
  return parameter_name(result.config, cell.stage, cell.head);
}

std::string LineWriter::place_of(const Source& cell) const {
  const StageAxes axes = info(cell.stage).axes;
  if (is_query_by_key(axes) || is_parameter(axes)) return name_of(cell);
  return fmt::format("{} of {}", name_of(cell), format_position("token", cell.row, names.of(cell.stage)));
}

void LineWriter::two_numbers(std::string left, const Source& from_left, const std::string& right,
                             const Source& from_right) {
  const std::size_t begin = left.size();
  lines.push_back({std::move(left) + right, from_left, false, from_right, begin});
}

void LineWriter::write_count(std::string_view what, std::size_t count) {
  if (count == 1) return words(fmt::format("One {}:", what));
  words(count > max_terms ? fmt::format("Sum of {} {}s, the {} largest:", count, what, max_terms)
                          : fmt::format("Sum of {} {}s:", count, what));
}

void LineWriter::write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                           const std::function<void(const char*, std::size_t)>& write_term) {
  std::vector<double> terms(count);
  for (std::size_t i = 0; i < count; ++i) terms[i] = term(i);
  const std::vector<std::size_t> shown = largest_terms(terms, max_terms);
  const bool are_all = shown.size() == count;
  double rest = 0;
  auto next = shown.begin();
  for (std::size_t i = 0; i < count; ++i) {
    if (next == shown.end() || *next != i) {
      rest += terms[i];
      continue;
    }
    write_term(next++ == shown.begin() ? "  " : "+ ", i);
    if (!are_all) lines.back().term = i;
  }
  if (are_all) return;
  const std::size_t others = count - shown.size();
  lines.push_back({.text = fmt::format("+ {} (the other {})", format_fixed(rest, places), others), .is_rest = true});
}

void LineWriter::leads_on(std::string text) {
  arithmetic(std::move(text), from(0));
  equals();
}

void LineWriter::pair(std::string_view sign, float second) {
  two_numbers(number(value(0)) + std::string(sign), from(0), number(second), from(1));
  equals();
}

std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms) {
  LineWriter writer{result, explain(result, source), source, names, max_terms};
  if (std::string sentence = sentence_of(result, writer.explanation, source, names); !sentence.empty())
    writer.words(std::move(sentence));
  write_arithmetic(writer);
  return std::move(writer.lines);
}

std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names) {
  constexpr std::size_t most_terms = 6;  // that stand on a slide
  const Explanation explanation = explain(result, source);
  if (explanation.operation == Operation::copied && !explanation.operands.empty())
    return arithmetic_of(result, explanation.operands.front().line.first, names);
  std::vector<std::string> steps;
  for (const ExplanationLine& line : explanation_lines(result, source, names, most_terms)) {
    if (line.is_words) continue;
    if (steps.empty() || !line.text.starts_with('=')) {
      steps.emplace_back();
    } else {
      steps.back() += ' ';
    }
    bool was_blank = false;  // columns of the inspector are not those of a line
    // A term of a sum shows only its factors: the number after its "=" is not the whole sum.
    const bool is_term = explanation.operation == Operation::dot_product && !line.text.starts_with('=');
    for (const char letter : line.text.substr(0, is_term ? line.text.find(" = ") : std::string::npos)) {
      if (letter != ' ' || !was_blank) steps.back() += letter;
      was_blank = letter == ' ';
    }
  }
  return steps;
}

}  // namespace attnscope
