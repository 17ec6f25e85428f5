#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/evaluate.h"
#include "document/words.h"
#include "lessons/lesson_parts.h"
#include "lessons/lesson_text.h"

namespace attnscope {
namespace {

// The typed number, and the one that was asked for.
struct Typed {
  const Question& question;
  const StepNumbers& numbers;
  double typed = 0;
  double right = 0;
  double precision = 0;  // of what was typed: half of its last digit, within the question's tolerance

  bool is(double value) const { return std::isfinite(value) && std::abs(typed - value) <= precision; }
  bool is_within_tolerance(double value) const { return std::abs(typed - value) <= question.tolerance; }
  const AttentionConfig& config() const { return numbers.document.config; }
};

bool is_number_of(const Typed& typed, const Source& cell) {
  const Result& result = typed.numbers.result;
  return has_cell(result, cell) && typed.is(static_cast<double>(value_at(result, cell)));
}

// Looks for the number in the same cell of a stage that the asked one follows from.
std::string earlier_stage(const Typed& typed, const Source& asked) {
  if (!is_query_by_key(info(asked.stage).axes)) return "";
  for (const StageInfo& stage : stages()) {
    const bool is_earlier = stage.axes == StageAxes::head_query_key && stage.range != StageRange::factor &&
                            stage.stage != asked.stage && has_stage(typed.config(), stage.stage) &&
                            depends_on(typed.config(), asked.stage, stage.stage);
    Source cell = asked;
    cell.stage = stage.stage;
    if (is_earlier && is_number_of(typed, cell))
      return fmt::format("That is this cell of {}; {} come after them.", stage.title, info(asked.stage).title);
  }
  return "";
}

// Zeros are left out: too many cells are hidden or dropped.
std::string neighbour(const Typed& typed, const Source& asked) {
  if (typed.is(0)) return "";
  const auto words = [&](const Source& cell) {
    return fmt::format("{} of {}", column_name(cell, typed.numbers), row_name(cell, typed.numbers));
  };
  Source cell = asked;
  std::swap(cell.row, cell.col);
  if (is_query_by_key(info(asked.stage).axes) && cell.row != cell.col && is_number_of(typed, cell))
    return fmt::format("Rows are queries, columns are keys: that is {}, the other way round.", words(cell));
  static constexpr std::pair<Index, Index> steps[] = {{0, 1}, {1, 0}, {1, 1}, {0, -1}, {-1, 0}, {-1, -1}};
  for (const auto& [down, right] : steps) {
    cell = asked;
    cell.row += down;
    cell.col += right;
    if (is_number_of(typed, cell)) return fmt::format("That is the cell beside it, {}.", words(cell));
  }
  return "";
}

// Returns what the lesson's author says about this number; nothing where it is none of the named mistakes.
std::string mistake(const Typed& typed) {
  for (const Mistake& each : typed.question.mistakes) {
    if (typed.is_within_tolerance(number_of_formula(each.value, typed.numbers)))
      return plain_lesson_text(each.why, &typed.numbers);
  }
  return "";
}

std::string size_words(const Typed& typed, const std::optional<Source>& asked) {
  const bool is_share =
      asked && info(asked->stage).range == StageRange::probability && !dropout_is_active(typed.config());
  if (is_share && (typed.typed < 0 || typed.typed > 1))
    return fmt::format("{} is not a share: weights lie between 0 and 1.", number_words(typed.typed));
  if (typed.typed * typed.right < 0) return "The right number has the other sign.";
  return fmt::format("{} is too {}.", number_words(typed.typed),
                     std::abs(typed.typed) > std::abs(typed.right) ? "large" : "small");
}

}  // namespace

std::optional<double> typed_number(std::string spelled) {
  std::erase(spelled, ' ');
  std::ranges::replace(spelled, ',', '.');
  if (spelled.starts_with("−")) spelled.replace(0, std::string_view("−").size(), "-");
  if (spelled.starts_with('+')) spelled.erase(0, 1);
  const std::optional<double> typed = number_of<double>(spelled);
  return typed && std::isfinite(*typed) ? typed : std::nullopt;
}

Verdict judge_number(const Question& question, const std::string& text, const StepNumbers& numbers) {
  const std::optional<double> typed = typed_number(text);
  if (!typed) return {false, "Type a number, such as 0.25."};
  constexpr double least = 0.5e-4;  // numbers are shown with four decimals at most
  const std::size_t point = std::min(text.find_first_of(".,"), text.size() - 1);
  const double half_digit = 0.5 * std::pow(10.0, -static_cast<double>(text.size() - 1 - point));
  const Typed what{question, numbers, *typed, number_of_formula(question.answer, numbers),
                   std::min(question.tolerance, std::max(half_digit, least))};
  if (what.is_within_tolerance(what.right)) return {true, ""};
  const std::optional<Slice> slice = slice_of(question.answer);
  const bool is_cell = slice && slice->index.size() == stage_shape(what.config(), slice->stage).size();
  const std::optional<Source> asked = is_cell ? std::optional(cell_of(*slice)) : std::nullopt;
  std::string why = mistake(what);
  if (why.empty() && asked) why = earlier_stage(what, *asked);
  if (why.empty() && asked) why = neighbour(what, *asked);
  if (why.empty()) why = size_words(what, asked);
  return {false, why};
}

}  // namespace attnscope
