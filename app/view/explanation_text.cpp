#include "view/explanation_text.h"

#include "core/stages/rule.h"

namespace attnscope {

std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms) {
  CellWords of{result, explain(result, source), source, names, max_terms};
  const Operation& operation = *of.explanation.operation;
  std::string sentence = operation.sentence.is_made() ? operation.sentence(of) : of.say(operation.sentence.constant());
  if (!sentence.empty()) of.words(std::move(sentence));
  operation.arithmetic(of);
  return std::move(of.lines);
}

std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names) {
  constexpr std::size_t most_terms = 6;  // that stand on a slide
  const Explanation explanation = explain(result, source);
  if (explanation.operation->is_copy && !explanation.operands.empty())
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
    const bool is_term = explanation.operation->is_sum_of_products && !line.text.starts_with('=');
    for (const char letter : line.text.substr(0, is_term ? line.text.find(" = ") : std::string::npos)) {
      if (letter != ' ' || !was_blank) steps.back() += letter;
      was_blank = letter == ' ';
    }
  }
  return steps;
}

}  // namespace attnscope
