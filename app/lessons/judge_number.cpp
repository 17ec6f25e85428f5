#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/evaluate.h"
#include "document/words.h"
#include "lessons/judge_parts.h"
#include "lessons/lesson_text.h"

namespace attnscope {
namespace {

// What was typed, and what was asked for.
struct Typed {
  const Question& question;
  const StepNumbers& numbers;
  double typed = 0;
  double right = 0;

  bool is(double value) const { return std::isfinite(value) && std::abs(typed - value) <= question.tolerance; }
  const AttentionConfig& config() const { return numbers.document.config; }
};

// The cell that the question asks for, where it asks for one.
std::optional<Source> asked_cell(const Question& question, const AttentionConfig& config) {
  const std::optional<Slice> slice = slice_of(question.answer);
  if (!slice || slice->index.size() != stage_shape(config, slice->stage).size()) return {};
  return cell_of(*slice);
}

double value_in(const Typed& typed, const Source& cell) {
  const Result& result = typed.numbers.result;
  const std::vector<Index> shape = stage_shape(typed.config(), cell.stage);
  const bool is_there = has(result, cell.stage) && cell.row >= 0 && cell.col >= 0 &&
                        cell.row < shape[shape.size() - 2] && cell.col < shape.back();
  return is_there ? static_cast<double>(value_at(result, cell)) : std::nan("");
}

// The same cell in another stage on the way from queries and keys to the context.
std::string other_stage(const Typed& typed, const Source& asked) {
  if (!is_query_by_key(info(asked.stage).axes)) return "";
  for (const StageInfo& stage : stages()) {
    if (stage.stage == asked.stage || stage.axes != StageAxes::head_query_key) continue;
    Source cell = asked;
    cell.stage = stage.stage;
    if (!has_stage(typed.config(), stage.stage) || !typed.is(value_in(typed, cell))) continue;
    const bool is_before = depends_on(typed.config(), asked.stage, stage.stage);
    return fmt::format("That is this cell of {}; {} {}.", stage.title, info(asked.stage).title,
                       is_before ? "come after them" : "come before them");
  }
  return "";
}

// Zeros are left out: too many cells are hidden or dropped.
std::string neighbour(const Typed& typed, const Source& asked) {
  if (typed.is(0)) return "";
  const bool has_keys = is_query_by_key(info(asked.stage).axes);
  Source cell = asked;
  std::swap(cell.row, cell.col);
  if (has_keys && cell.row != cell.col && typed.is(value_in(typed, cell)))
    return fmt::format("Rows are queries, columns are keys: that is {} of {}, the other way round.",
                       key_words(typed.numbers, cell.col), query_words(typed.numbers, cell.row));
  static constexpr std::pair<Index, Index> steps[] = {{0, 1}, {1, 0}, {1, 1}, {0, -1}, {-1, 0}, {-1, -1}};
  for (const auto& [down, right] : steps) {
    cell = asked;
    cell.row += down;
    cell.col += right;
    if (!typed.is(value_in(typed, cell))) continue;
    if (has_keys)
      return fmt::format("That is the cell beside it, {} of {}. Code counts from 0, words from 1.",
                         key_words(typed.numbers, cell.col), query_words(typed.numbers, cell.row));
    return fmt::format("That is the cell beside it, row {}, column {}. Code counts from 0, words from 1.", cell.row + 1,
                       cell.col + 1);
  }
  return "";
}

// The sum of the column instead of the row, where a row's sum is asked for.
std::string other_axis(const Typed& typed) {
  const std::optional<Slice> row = slice_within(typed.question.answer, "sum");
  if (!row || row->index.size() != 3 || info(row->stage).axes != StageAxes::head_query_key) return "";
  Slice matrix = *row;
  matrix.index.pop_back();
  const Values values = read_slice(matrix, typed.numbers.result);
  double sum = 0;
  for (Index query = 0; query < values.shape[0]; ++query) {
    const auto at = static_cast<std::size_t>(query * values.shape[1] + row->index[2]);
    sum += values.numbers[at];
  }
  if (!typed.is(sum)) return "";
  return fmt::format("That is the sum of the column of {}. A query is a row: sum along it.",
                     key_words(typed.numbers, row->index[2]));
}

// A slip that is diagnosed only where the question is about a number of its kind: elsewhere a number that happens to be
// equal would get nonsense said about it.
struct Slip {
  double (*wrong)(double right, const AttentionConfig& config);  // what is typed by those who slip
  bool (*can_be)(const AttentionConfig& config);
  std::string_view about;  // the question's formula contains it
  std::string_view words;
};

double kept(const AttentionConfig& config) { return 1 - config.dropout; }
double root(const AttentionConfig& config) { return std::sqrt(static_cast<double>(head_features(config))); }
bool always(const AttentionConfig&) { return true; }
bool scales(const AttentionConfig& config) { return head_features(config) > 1; }

constexpr Slip slips[] = {
    {[](double right, const AttentionConfig& c) { return right * kept(c); }, dropout_is_active, "dropped_weights[",
     "What dropout keeps is divided by 1 − p: you forgot the factor 1/(1 − p)."},
    {[](double right, const AttentionConfig& c) { return right * root(c); }, scales, "scores[",
     "Divide by √head_dim: that is the number before it."},
    {[](double right, const AttentionConfig& c) { return right / root(c); }, scales, "scores[",
     "You divided by √head_dim once too often."},
    {[](double right, const AttentionConfig& c) { return right / root(c) / root(c); }, scales, "scaled_scores[",
     "That is divided by head_dim; divide by its square root."},
    {[](double right, const AttentionConfig&) { return std::exp(right); }, always, "scaled_scores[",
     "That is its exponential: softmax takes that next."},
    {[](double right, const AttentionConfig&) { return 100 * right; }, always, "weights[",
     "That is in percent; type it as a share, 1 for all."},
    {[](double right, const AttentionConfig&) { return -right; }, always, "[", "The right size, with the other sign."},
};

std::string slip(const Typed& typed) {
  for (const Slip& candidate : slips) {
    const bool is_it = typed.question.answer.find(candidate.about) != std::string::npos &&
                       candidate.can_be(typed.config()) && typed.is(candidate.wrong(typed.right, typed.config()));
    if (is_it) return std::string(candidate.words);
  }
  return "";
}

// Returns what the lesson's author says about this number; nothing where it is none of the named mistakes.
std::string mistake(const Typed& typed) {
  for (const Mistake& each : typed.question.mistakes) {
    if (typed.is(number_of_formula(each.value, typed.numbers))) return plain_lesson_text(each.why, &typed.numbers);
  }
  return "";
}

std::string size_words(const Typed& typed, const std::optional<Source>& asked) {
  const bool is_share =
      asked && info(asked->stage).range == StageRange::probability && !dropout_is_active(typed.config());
  if (is_share && (typed.typed < 0 || typed.typed > 1))
    return fmt::format("{} is no share: weights lie between 0 and 1.", number_words(typed.typed));
  if (typed.typed * typed.right < 0) return "It has the other sign.";
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
  const Typed what{question, numbers, *typed, number_of_formula(question.answer, numbers)};
  if (what.is(what.right)) return {true, ""};
  const std::optional<Source> asked = asked_cell(question, what.config());
  std::string why = mistake(what);
  if (why.empty() && asked) why = other_stage(what, *asked);
  if (why.empty()) why = other_axis(what);
  if (why.empty()) why = slip(what);
  if (why.empty() && asked) why = neighbour(what, *asked);
  if (why.empty()) why = size_words(what, asked);
  return {false, why};
}

}  // namespace attnscope
