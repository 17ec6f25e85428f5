#include "teach/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace attnscope {
namespace {

constexpr Index most_bars = 16;
constexpr double bar_tolerance = 0.1;
constexpr double number_tolerance = 0.01;
constexpr double number_share = 0.02;  // a large number may be off by this share

// Returns the numbers of a row; hidden ones are minus infinity.
std::vector<float> row_of(const Source& asked, const StepNumbers& numbers) {
  const Index count = stage_shape(numbers.document.config, asked.stage).back();
  std::vector<float> row;
  Source cell = asked;
  for (cell.col = 0; cell.col < count; ++cell.col) row.push_back(value_at(numbers.result, cell));
  return row;
}

Source largest_of_row(const Source& asked, const StepNumbers& numbers) {
  const std::vector<float> row = row_of(asked, numbers);
  Source cell = asked;
  cell.col = std::ranges::max_element(row) - row.begin();
  return cell;
}

// Returns the formula of a cell, "weights[0,1,2,3]", or without the last index of its row.
std::string formula_of(const AttentionConfig& config, const Source& cell, bool is_row) {
  const std::size_t axes = stage_shape(config, cell.stage).size();
  std::string index;
  if (axes >= 3) index += fmt::format("{},", cell.batch);
  if (axes >= 4) index += fmt::format("{},", cell.head);
  index += is_row ? fmt::format("{}", cell.row) : fmt::format("{},{}", cell.row, cell.col);
  return fmt::format("{}[{}]", info(cell.stage).id, index);
}

}  // namespace

bool Cover::hides(const AttentionConfig& config, Stage of, Index at_row) const {
  if ((row && *row != at_row) || open.contains(at_row)) return false;
  if (of == stage) return true;
  if (!has_stage(config, of) || !has_stage(config, stage) || !depends_on(config, of, stage)) return false;
  const bool is_pair = is_query_by_key(info(of).axes) && is_query_by_key(info(stage).axes);
  return is_pair || (stage == Stage::head_context && of == Stage::context);
}

bool Cover::hides_any(const AttentionConfig& config, Stage of) const {
  if (!has_stage(config, of)) return false;
  const std::vector<Index> shape = stage_shape(config, of);
  const Index rows = shape[shape.size() - 2];
  for (Index at_row = row.value_or(0); at_row < (row ? std::min(*row + 1, rows) : rows); ++at_row) {
    if (hides(config, of, at_row)) return true;
  }
  return false;
}

std::optional<Index> Cover::next_row(Index after, Index rows) const {
  for (Index step = 1; step <= rows; ++step) {
    const Index at_row = (after + step) % rows;
    if ((!row || *row == at_row) && !open.contains(at_row)) return at_row;
  }
  return {};
}

std::string obstacle_to_covering(const AttentionConfig& config, Stage stage) {
  if (!has_stage(config, stage)) return fmt::format("This document has no {}.", info(stage).title);
  const bool is_computed = predecessors(config, stage).size() > 0;
  return is_computed ? ""
                     : fmt::format("{} are not computed from other numbers: choose a later stage.", info(stage).title);
}

std::string obstacle_to_asking(Question::Kind kind, const Source& asked, const StepNumbers& numbers) {
  const AttentionConfig& config = numbers.document.config;
  if (!has_stage(config, asked.stage)) return fmt::format("This document has no {} now.", info(asked.stage).title);
  const std::vector<Index> shape = stage_shape(config, asked.stage);
  const bool is_there = asked.head < head_count(config) && asked.batch < config.batch_size;
  if (!is_there || asked.row >= shape[shape.size() - 2] || asked.col >= shape.back())
    return "This document has no such row now.";
  switch (kind) {
    case Question::Kind::sketch:
      if (info(asked.stage).range != StageRange::probability || asked.stage == Stage::dropped_weights)
        return "Bars go from 0 to 1, as weights do: ask for the largest, or for a number.";
      return shape.back() <= most_bars ? "" : fmt::format("A row of {} numbers is too long to sketch.", shape.back());
    case Question::Kind::number:
      return std::isfinite(value_at(numbers.result, asked)) ? "" : "The mask hides this cell: click another one.";
    default:
      return "";
  }
}

Question question_about(Question::Kind kind, const Source& asked, const StepNumbers& numbers) {
  const AttentionConfig& config = numbers.document.config;
  Question question{.kind = kind, .path = "prediction"};
  switch (kind) {
    case Question::Kind::sketch:
      question.answer = formula_of(config, asked, true);
      question.tolerance = bar_tolerance;
      break;
    case Question::Kind::number:
      question.answer = formula_of(config, asked, false);
      question.tolerance =
          std::max(number_tolerance, number_share * std::abs(static_cast<double>(value_at(numbers.result, asked))));
      break;
    default:
      question.answer = formula_of(config, largest_of_row(asked, numbers), false);
  }
  return question;
}

std::string asking_words(Question::Kind kind, const Source& asked, const StepNumbers& numbers) {
  const auto words = [&](bool is_row) {
    return formula_words(formula_of(numbers.document.config, asked, is_row), numbers);
  };
  switch (kind) {
    case Question::Kind::sketch:
      return fmt::format("How large are {}? Drag the bars.", words(true));
    case Question::Kind::number:
      return fmt::format("How large is {}? Type it, or click another covered cell.", words(false));
    default:
      return fmt::format("Where is the largest number of {}? Click its cell.", words(true));
  }
}

std::string row_words(const Source& asked, const StepNumbers& numbers) {
  const Source largest = largest_of_row(asked, numbers);
  return fmt::format("The largest of {} is {}, of {}.", row_name(asked, numbers),
                     number_words(static_cast<double>(value_at(numbers.result, largest))),
                     column_name(largest, numbers));
}

Verdict judge_prediction(const Question& question, const Answer& answer, const StepNumbers& numbers) {
  if (question.kind == Question::Kind::cell && answer.cell) {
    const Source asked = cell_of(slice_of(question.answer).value());
    Source same_column = *answer.cell;
    same_column.col = asked.col;
    if (same_column == asked && value_at(numbers.result, *answer.cell) == value_at(numbers.result, asked))
      return {true, ""};
  }
  return judge(question, answer, numbers);
}

std::string score_words(const PredictionScore& score) {
  const std::string revealed = score.revealed > 0 ? fmt::format(", {} shown", score.revealed) : "";
  return fmt::format("{} of {} right{} so far", score.right, score.right + score.wrong + score.revealed, revealed);
}

}  // namespace attnscope
