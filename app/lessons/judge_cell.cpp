#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/explain.h"
#include "lessons/lesson_parts.h"

namespace attnscope {
Verdict judge_cell(const Question& question, const Source& clicked, const StepNumbers& numbers) {
  const Source asked = cell_of(slice_of(question.answer).value());
  if (clicked.stage != asked.stage)
    return {false, fmt::format("That is a cell of {}; the question is about {}.", info(clicked.stage).title,
                               info(asked.stage).title)};
  const AttentionConfig& config = numbers.document.config;
  const bool is_other_head = is_per_head(config, asked.stage) && clicked.head != asked.head;
  if (is_other_head)
    return {false, fmt::format("That is head {}; the question is about head {}.", clicked.head + 1, asked.head + 1)};
  if (is_per_batch(asked.stage) && clicked.batch != asked.batch)
    return {false, fmt::format("That is batch entry {}, not {}.", clicked.batch + 1, asked.batch + 1)};
  if (clicked.row == asked.row && clicked.col == asked.col) return {true, ""};
  const bool has_keys = is_query_by_key(info(asked.stage).axes);
  const std::string what =
      fmt::format("you clicked {} of {}", column_name(clicked, numbers), row_name(clicked, numbers));
  if (has_keys && clicked.row == asked.col && clicked.col == asked.row)
    return {false, fmt::format("Rows are queries, columns are keys: {}, which is the other way round.", what)};
  if (is_masked(numbers.result, clicked))
    return {false, fmt::format("The mask hides this cell: {}, which comes later.", what)};
  const std::string_view where = clicked.row == asked.row
                                     ? has_keys ? "The row is right, the key is not" : "The row is right"
                                 : clicked.col == asked.col ? "The column is right, the row is not"
                                 : has_keys                 ? "Rows are queries, columns are keys"
                                                            : "The row and the column are wrong";
  const double value = static_cast<double>(value_at(numbers.result, clicked));
  return {false, fmt::format("{}: {}, and that cell is {}.", where, what, number_words(value))};
}

Verdict judge_bars(const Question& question, const std::vector<float>& bars, const StepNumbers& numbers) {
  const Values row = evaluate_formula(question.answer, numbers);
  if (bars.size() != row.numbers.size()) return {false, "Drag the bars first."};
  const std::vector<std::string> names = bar_names(question, numbers);
  std::size_t worst = 0;
  const auto miss = [&](std::size_t i) { return static_cast<double>(bars[i]) - row.numbers[i]; };
  for (std::size_t i = 1; i < bars.size(); ++i) {
    if (std::abs(miss(i)) > std::abs(miss(worst))) worst = i;
  }
  if (std::abs(miss(worst)) <= question.tolerance) return {true, ""};
  const std::optional<Slice> slice = slice_of(question.answer);
  const bool has_row = slice && slice->index.size() == 3 && info(slice->stage).axes == StageAxes::head_query_key;
  if (has_row) {
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const Source cell{.stage = slice->stage,
                        .batch = slice->index[0],
                        .head = slice->index[1],
                        .row = slice->index[2],
                        .col = static_cast<Index>(i)};
      if (is_masked(numbers.result, cell) && static_cast<double>(bars[i]) > question.tolerance)
        return {false, fmt::format("“{}” comes after the query: the mask hides it, so its bar is 0.", names[i])};
    }
  }
  const double sum = std::accumulate(bars.begin(), bars.end(), 0.0);
  const double right_sum = std::accumulate(row.numbers.begin(), row.numbers.end(), 0.0);
  if (std::abs(right_sum - 1) < 1e-3 && std::abs(sum - 1) > std::max(0.05, question.tolerance))
    return {false, fmt::format("Your bars sum to {}, but these are shares: they sum to 1.", number_words(sum))};
  return {false, fmt::format("The bar of “{}” is furthest off: you gave it {}, but it gets {}.", names[worst],
                             number_words(static_cast<double>(bars[worst])), miss(worst) > 0 ? "less" : "more")};
}

}  // namespace attnscope
