#include "lessons/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "document/document.h"
#include "lessons/lesson_parts.h"
#include "lessons/lesson_text.h"
#include "look/number_text.h"

namespace attnscope {
namespace {

using Kind = Question::Kind;

std::string label_of(const TokenNames& tokens, Index index) {
  const std::vector<std::string> labels = token_labels(tokens);
  const auto at = static_cast<std::size_t>(index);
  return at < labels.size() ? labels[at] : fmt::format("{}", index + 1);
}

// "2", or "between 0.33 and 0.67".
std::string range_words(const Question& question, const StepNumbers& numbers) {
  constexpr double least_shown = 0.005;
  const bool is_one = question.tolerance < least_shown || evaluate_formula(question.answer, numbers).are_whole;
  if (is_one) return number_words(question.to);
  return fmt::format("between {} and {}", format_fixed(question.to - question.tolerance, 2),
                     format_fixed(question.to + question.tolerance, 2));
}

Verdict judge_reached(const Question& question, const StepNumbers& now) {
  const double value = number_of_formula(question.answer, now);
  if (std::abs(value - question.to) <= question.tolerance) return {true, ""};
  return {false, fmt::format("Now {} is {}, which is too {}: the goal is {}.", formula_words(question.answer, now),
                             number_words(value), value < question.to ? "small" : "large", range_words(question, now))};
}

}  // namespace

std::string row_name(const Source& cell, const StepNumbers& numbers) {
  if (!is_query_by_key(info(cell.stage).axes)) return fmt::format("row {}", cell.row + 1);
  const Document& document = numbers.document;
  return fmt::format("query “{}”",
                     label_of(document.query_tokens.size() > 0 ? document.query_tokens : document.tokens, cell.row));
}

std::string column_name(const Source& cell, const StepNumbers& numbers) {
  if (!is_query_by_key(info(cell.stage).axes)) return fmt::format("column {}", cell.col + 1);
  return fmt::format("key “{}”", label_of(numbers.document.tokens, cell.col));
}

std::string number_words(double number) {
  std::string text = format_fixed(number, 4);
  if (text.find('.') == std::string::npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Verdict judge(const Question& question, const Answer& answer, const StepNumbers& numbers) {
  switch (question.kind) {
    case Kind::cell:
      if (!answer.cell) return {false, "Click a cell first."};
      return judge_cell(question, *answer.cell, numbers);
    case Kind::number:
      return judge_number(question, answer.typed, numbers);
    case Kind::sketch:
      return judge_bars(question, answer.bars, numbers);
    case Kind::choose:
      if (!answer.choice || *answer.choice >= question.choices.size()) return {false, "Choose one of them first."};
      if (*answer.choice == question.right) return {true, ""};
      return {false, plain_lesson_text(question.choices[*answer.choice].why, &numbers)};
    case Kind::reach:
      return judge_reached(question, numbers);
  }
  return {};
}

Answer right_answer(const Question& question, const StepNumbers& numbers) {
  switch (question.kind) {
    case Kind::cell: {
      const Source cell = cell_of(slice_of(question.answer).value());
      if (!has_cell(numbers.result, cell))
        throw Error(fmt::format("{} is a cell that this step's document does not have.", question.answer));
      return {.cell = cell};
    }
    case Kind::number:
      return {.typed = fmt::format("{:.6f}", number_of_formula(question.answer, numbers))};
    case Kind::sketch: {
      const Values row = evaluate_formula(question.answer, numbers);
      return {.bars = {row.numbers.begin(), row.numbers.end()}};
    }
    case Kind::choose:
      return {.choice = question.right};
    case Kind::reach:
      break;
  }
  return {};
}

std::string right_answer_text(const Question& question, const StepNumbers& numbers) {
  switch (question.kind) {
    case Kind::cell: {
      const Source cell = cell_of(slice_of(question.answer).value());
      return fmt::format("{}, {}, of {}.", row_name(cell, numbers), column_name(cell, numbers), info(cell.stage).title);
    }
    case Kind::number:
      return number_words(number_of_formula(question.answer, numbers));
    case Kind::sketch:
      return "the bars show the row.";
    case Kind::choose:
      return plain_lesson_text(question.choices.at(question.right).text, &numbers);
    case Kind::reach:
      return "the screen shows one way to reach it.";
  }
  return "";
}

std::string goal_words(const Question& question, const StepNumbers& numbers) {
  return fmt::format("{} is {}.", formula_words(question.answer, numbers), range_words(question, numbers));
}

std::vector<float> first_bars(const Question& question, const StepNumbers& numbers) {
  const std::size_t count = evaluate_formula(question.answer, numbers).numbers.size();
  return std::vector<float>(count, 1 / static_cast<float>(std::max<std::size_t>(count, 1)));
}

std::vector<std::string> bar_names(const Question& question, const StepNumbers& numbers) {
  const std::optional<Slice> slice = slice_of(question.answer);
  const std::size_t count = evaluate_formula(question.answer, numbers).numbers.size();
  if (slice && is_query_by_key(info(slice->stage).axes)) return token_labels(numbers.document.tokens);
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

}  // namespace attnscope
