#include "teach/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/source.h"
#include "core/text.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

using Kind = Question::Kind;

// Returns a number in the unit in which the question is asked: "0.25", or "25 %" of a chance.
std::string asked_words(const Question& question, double number) {
  return is_in_percent(question) ? number_words(100 * number) + " %" : number_words(number);
}

// Returns "2", or "between 0.33 and 0.67".
std::string range_words(const Question& question, const StepNumbers& numbers) {
  constexpr double least_shown = 0.005;
  const bool is_one = question.tolerance < least_shown || evaluate_formula(question.answer, numbers).are_whole;
  if (is_one) return asked_words(question, question.to);
  const double unit = is_in_percent(question) ? 100 : 1;
  return fmt::format("between {} and {}{}", format_fixed(unit * (question.to - question.tolerance), 2),
                     format_fixed(unit * (question.to + question.tolerance), 2), unit > 1 ? " %" : "");
}

// Says how a number misses the right one. "Large" and "small" are clear only if neither is negative.
std::string_view miss_words(double number, double right) {
  if (number >= 0 && right >= 0) return number > right ? "too large" : "too small";
  if (number >= 0) return "not below 0";
  if (right > 0) return "below 0";
  return number < right ? "too far below 0" : "not far enough below 0";
}

Verdict judge_reached(const Question& question, const StepNumbers& now) {
  const double value = number_of_formula(question.answer, now);
  if (std::abs(value - question.to) <= question.tolerance) return {true, ""};
  return {false, fmt::format("Now {} is {}, which is {}: the goal is {}.", formula_words(question.answer, now),
                             asked_words(question, value), miss_words(value, question.to), range_words(question, now))};
}

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
  if (is_masked(numbers.result, clicked)) return {false, fmt::format("The mask hides this cell: {}.", what)};
  const std::string_view where = clicked.row == asked.row
                                     ? has_keys ? "The row is right, the key is not" : "The row is right"
                                 : clicked.col == asked.col ? "The column is right, the row is not"
                                 : has_keys                 ? "Neither the query nor the key is right"
                                                            : "Neither the row nor the column is right";
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
      const Source cell =
          cell_of({slice->stage, {slice->index[0], slice->index[1], slice->index[2], static_cast<Index>(i)}});
      if (is_masked(numbers.result, cell) && static_cast<double>(bars[i]) > question.tolerance)
        return {false, fmt::format("The mask hides “{}” from the query, so its bar is 0.", names[i])};
    }
  }
  const double sum = std::accumulate(bars.begin(), bars.end(), 0.0);
  const double right_sum = std::accumulate(row.numbers.begin(), row.numbers.end(), 0.0);
  if (std::abs(right_sum - 1) < 1e-3 && std::abs(sum - 1) > std::max(0.05, question.tolerance))
    return {false, fmt::format("Your bars sum to {}, but these are shares: they sum to 1.", number_words(sum))};
  return {false, fmt::format("The bar of “{}” is furthest off: you gave it {}, but it gets {}.", names[worst],
                             number_words(static_cast<double>(bars[worst])), miss(worst) > 0 ? "less" : "more")};
}

// The typed number, and the right one.
struct Typed {
  const Question& question;
  const StepNumbers& numbers;
  double typed = 0;
  double right = 0;
  double precision = 0;  // half of the last typed digit, within the question's tolerance
  double rounding = 0;   // half of the last typed digit, if there are two digits or more and a point

  bool is(double value) const { return std::isfinite(value) && std::abs(typed - value) <= precision; }
  // Returns whether it is the value within the question's tolerance, or the value as it was rounded for the screen.
  bool is_about(double value) const {
    constexpr double slack = 1e-9;  // 1.65 is 1.6 or 1.7
    return std::abs(typed - value) <= std::max(question.tolerance, rounding + slack * (rounding > 0));
  }
  const AttentionConfig& config() const { return numbers.document.config; }
};

bool is_number_of(const Typed& typed, const Source& cell) {
  const Result& result = typed.numbers.result;
  return has_cell(result, cell) && typed.is(static_cast<double>(value_at(result, cell)));
}

// Looks for the number in the same cell of an earlier stage.
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

// Looks for the number in cells nearby. Skips zeros: too many cells are hidden or dropped.
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

// Returns what the lesson's author says about this number; nothing if it is none of the named mistakes.
const Mistake* mistake(const Typed& typed) {
  for (const Mistake& each : typed.question.mistakes) {
    if (typed.is_about(number_of_formula(each.value, typed.numbers))) return &each;
  }
  return nullptr;
}

// Returns half of the last digit of a number with a point; 0 if it has one digit other than leading zeros, or none.
double rounding_of(const std::string& text, double half_digit) {
  const bool has_point = text.find_first_of(".,") != std::string::npos;
  const std::size_t first = text.find_first_of("123456789");
  if (!has_point || first == std::string::npos) return 0;
  const auto digits = std::count_if(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
  return digits >= 2 ? half_digit : 0;
}

std::string size_words(const Typed& typed, const std::optional<Source>& asked) {
  const bool is_share = asked && info(asked->stage).range == StageRange::probability &&
                        !dropout_is_active(typed.config()) && !normalizes_by_sum(typed.config());
  if (is_share && (typed.typed < 0 || typed.typed > 1))
    return fmt::format("{} is not a share: weights lie between 0 and 1.", number_words(typed.typed));
  if (typed.typed * typed.right < 0) return "The right number has the other sign.";
  if (typed.typed == 0 && typed.right < 0) return "The right number is below 0.";
  return fmt::format("{} is {}.", asked_words(typed.question, typed.typed), miss_words(typed.typed, typed.right));
}

// Takes the sign off a number in percent; returns what its digits are to be multiplied by.
double take_percent(std::string& spelled) {
  constexpr std::string_view fixed_blank = "\u00A0";  // of numbers on the screen
  if (const std::size_t at = spelled.find(fixed_blank); at != std::string::npos) spelled.erase(at, fixed_blank.size());
  spelled = std::string(trimmed(spelled));
  if (!spelled.ends_with('%')) return 1;
  spelled.pop_back();
  spelled = std::string(trimmed(spelled));
  return 0.01;
}

// Returns what to say of a chance that was typed in percent without the sign; nothing for another number.
std::string percent_words(const Typed& typed, const std::string& text) {
  Typed in_percent = typed;
  in_percent.typed /= 100;
  in_percent.rounding /= 100;
  if (!is_in_percent(typed.question)) return "";
  if (in_percent.is_about(typed.right)) return fmt::format("In percent that is right: type {} %.", text);
  if (typed.typed <= 1) return "";
  const bool may_be_percent = in_percent.typed <= 1;
  return may_be_percent ? fmt::format("{0} is more than 1: did you mean {0} %, which is {1}?", text,
                                      number_words(in_percent.typed))
                        : fmt::format("{} is more than 1, and a probability is not.", text);
}

Verdict judge_number(const Question& question, const std::string& entered, const StepNumbers& numbers) {
  const std::optional<double> typed = typed_number(entered);
  if (!typed)
    return {false, is_in_percent(question) ? "Type a number, such as 2.5 %." : "Type a number, such as 0.25."};
  std::string text = entered;
  const double unit = take_percent(text);
  constexpr double least = 0.5e-4;  // numbers are shown with four decimals at most
  const std::size_t point = std::min(text.find_first_of(".,"), text.size() - 1);
  const double half_digit = unit * 0.5 * std::pow(10.0, -static_cast<double>(text.size() - 1 - point));
  const Typed what{question,
                   numbers,
                   *typed,
                   number_of_formula(question.answer, numbers),
                   std::min(question.tolerance, std::max(half_digit, least)),
                   rounding_of(text, half_digit)};
  const Mistake* const mistaken = mistake(what);
  const bool is_nearer = mistaken && std::abs(what.typed - number_of_formula(mistaken->value, numbers)) <
                                         std::abs(what.typed - what.right);
  if (what.is_about(what.right) && !is_nearer) return {true, ""};
  const std::optional<Slice> slice = slice_of(question.answer);
  const bool is_cell = slice && slice->index.size() == stage_shape(what.config(), slice->stage).size();
  const std::optional<Source> asked = is_cell ? std::optional(cell_of(*slice)) : std::nullopt;
  std::string why = mistaken ? plain_lesson_text(mistaken->why, &numbers) : "";
  if (why.empty() && unit == 1) why = percent_words(what, text);
  if (why.empty() && asked) why = earlier_stage(what, *asked);
  if (why.empty() && asked) why = neighbour(what, *asked);
  if (why.empty()) why = size_words(what, asked);
  return {false, why};
}

}  // namespace

bool is_in_percent(const Question& question) { return question.answer.starts_with("chance("); }

std::optional<double> typed_number(std::string spelled) {
  const double unit = take_percent(spelled);
  std::erase(spelled, ' ');
  std::ranges::replace(spelled, ',', '.');
  if (spelled.starts_with("−")) spelled.replace(0, std::string_view("−").size(), "-");
  if (spelled.starts_with('+')) spelled.erase(0, 1);
  const std::optional<double> typed = number_of<double>(spelled);
  return typed && std::isfinite(*typed) ? std::optional(unit * *typed) : std::nullopt;
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
      return {.typed = number_words(number_of_formula(question.answer, numbers), 6)};
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
      return asked_words(question, number_of_formula(question.answer, numbers));
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

// Predictions outside of lessons.

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

// Returns what is named by the formulas of a text that are one number, or a part of a stage, and nothing else; of A of
// a pair, too, and in percent.
std::vector<Slice> slices_named(std::string_view markdown) {
  std::vector<Slice> slices;
  while (true) {
    const std::size_t begin = markdown.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : markdown.find("}}", begin);
    if (end == std::string_view::npos) return slices;
    std::string_view formula = markdown.substr(begin + 2, end - begin - 2);
    markdown.remove_prefix(end);
    formula = trimmed(formula.substr(0, formula.find(':')));
    constexpr std::string_view percent = "100 * ";
    if (formula.starts_with(percent)) formula.remove_prefix(percent.size());
    if (formula.starts_with("A(") && formula.ends_with(')')) formula = formula.substr(2, formula.size() - 3);
    try {
      if (std::optional<Slice> slice = slice_of(formula)) slices.push_back(std::move(*slice));
    } catch (const Error&) {  // said where the text is drawn
    }
  }
}

// Returns whether a text has the number as it is rounded there: "0.97", or "97 %".
bool says_number(std::string_view text, double number) {
  constexpr std::string_view digits = "0123456789.";
  for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
    std::string_view said = text.substr(at, end - at);
    while (said.ends_with('.')) said.remove_suffix(1);
    const std::size_t point = said.find('.');
    const auto decimals = static_cast<int>(point == std::string_view::npos ? 0 : said.size() - point - 1);
    const bool is_percent = trimmed(text.substr(end)).starts_with('%');
    const bool is_precise = decimals > 1 || is_percent;
    if (is_precise && said == format_fixed(is_percent ? 100 * number : number, std::min(decimals, 9))) return true;
    at = text.find_first_of(digits, end);
  }
  return false;
}

// Returns what the choices of a step's question name, or the number or the row that is its answer.
std::vector<Slice> asked_slices(const LessonStep& step, const StepNumbers& numbers) {
  const Question& question = *step.question;
  if (question.kind == Kind::number || question.kind == Kind::sketch)
    return slices_named("{{" + question.answer + "}}");
  std::vector<Slice> asked;
  if (question.kind != Kind::choose || question.right >= question.choices.size()) return asked;
  for (const Choosable& choice : question.choices)
    for (Slice& slice : slices_named(choice.text.markdown)) asked.push_back(std::move(slice));
  if (!step.view.pinned || !has_cell(numbers.result, *step.view.pinned)) return asked;
  std::vector<std::string> wrong;
  const std::string right = plain_lesson_text(question.choices[question.right].text, &numbers, &wrong);
  const std::optional<Slice> pinned = slice_of(cell_name(*step.view.pinned));
  if (pinned && says_number(right, static_cast<double>(value_at(numbers.result, *step.view.pinned))))
    asked.push_back(*pinned);
  return asked;
}

bool is_part_of(const Slice& slice, const Slice& whole) {
  return slice.stage == whole.stage && whole.index.size() <= slice.index.size() &&
         std::equal(whole.index.begin(), whole.index.end(), slice.index.begin());
}

}  // namespace

std::vector<Cover> covers_of(const LessonStep& step, const StepNumbers& numbers) {
  std::vector<Cover> covers;
  if (!step.question || !step.view.study.id.empty()) return covers;
  const std::vector<Slice> told = slices_named(step.text.markdown + step.question->ask.markdown);
  for (const Slice& slice : asked_slices(step, numbers)) {
    const std::size_t axes = axis_count(info(slice.stage).axes);
    const bool is_told = std::ranges::any_of(told, [&](const Slice& text) { return is_part_of(slice, text); });
    if (is_told || slice.index.size() + 1 < axes || !obstacle_to_covering(numbers.document.config, slice.stage).empty())
      continue;
    const Cover cover{slice.stage, slice.index[axes - 2]};
    if (std::ranges::find(covers, cover) == covers.end()) covers.push_back(cover);
  }
  return covers;
}

bool Cover::hides(const AttentionConfig& config, Stage of, Index at_row) const {
  if ((row && *row != at_row) || open.contains(at_row)) return false;
  if (of == stage) return true;
  return has_stage(config, of) && has_stage(config, stage) && !has_key_rows(stage) && depends_on(config, of, stage);
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
