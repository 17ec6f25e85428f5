#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/evaluate.h"
#include "core/random.h"
#include "document/compare.h"
#include "document/edit.h"
#include "teach/questions.h"
#include "teach/teaching_view_support.h"

// Answers that come of computing a document a second time: with one number changed, and as one class in place of a list
// of heads.
namespace attnscope {
namespace {

constexpr Index most_changed_tokens = 256;  // all matrices of both documents are compared
constexpr float step = 0.1F;

bool has_numbers_to_change(const Result& result) {
  return !result.imported && !result.difference && !begins_with_heads(result.config) &&
         !std::holds_alternative<ModelInputs>(result.config.inputs);
}

// Returns the number of the inputs that is changed: the subject's, else the largest one of its row.
Source changed_number(const TeachingViewSubject& subject) {
  const std::vector<float> row = read_row(subject, Stage::inputs, subject.query);
  const auto largest = std::ranges::max_element(row, {}, [](float each) { return std::abs(each); });
  const Index feature = subject.feature.value_or(largest - row.begin());
  return {.stage = Stage::inputs, .row = subject.query, .col = std::clamp<Index>(feature, 0, std::ssize(row) - 1)};
}

// Replaces drawn inputs by the numbers that were drawn: what is drawn after them stays.
AttentionConfig with_typed_inputs(const TeachingViewSubject& subject, Tensor inputs) {
  AttentionConfig config = subject.result.config;
  if (const auto* const drawn = std::get_if<RandnInputs>(&config.inputs))
    config.skip_draws += words_of_randn(drawn->tokens * drawn->features);
  config.inputs = std::move(inputs);
  return config;
}

// The cells of a stage, of all heads and batch entries, that another number of the inputs changes.
struct ChangedCells {
  Index changed = 0;
  Index all = 0;
  Index rows = 0;  // of one matrix
  std::set<Index> changed_rows = {};
};

ChangedCells changed_cells(const Result& before, const Result& after, Stage stage) {
  const Tensor old = read_stage(before, stage);
  const Tensor now = read_stage(after, stage);
  ChangedCells cells{.all = old.size(), .rows = old.rows()};
  for (std::size_t i = 0; i < old.values.size(); ++i) {
    if (old.values[i] == now.values[i]) continue;
    ++cells.changed;
    cells.changed_rows.insert(static_cast<Index>(i) / old.cols() % old.rows());
  }
  return cells;
}

// Says which rows of weights change, and why whole ones.
std::string rows_words(const TeachingViewSubject& subject, const ChangedCells& weights) {
  if (weights.changed == 0) return "No weight changes here.";
  const auto count = std::ssize(weights.changed_rows);
  const std::string rows = fmt::format(
      "The weights that change stand in {} of {} rows, and no weight changes alone: the weights of a row "
      "share the sum 1.",
      count, weights.rows);
  const Index first = *weights.changed_rows.begin();
  if (first == 0 || first < subject.query || !has_mask(subject.result.config)) return rows;
  return fmt::format("{} The mask hides “{}” from the words before it: their rows stay as they are.", rows,
                     key_name(subject, subject.query));
}

}  // namespace

std::string answer_changes(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string rule =
      "Its row of queries, keys and values; its row and its column of scores; the weights of every row that sees the "
      "word; and context and output of these rows.";
  if (!has_numbers_to_change(subject.result) || token_count(config) > most_changed_tokens) return rule;
  const Source cell = changed_number(subject);
  const std::vector<float> numbers = read_matrix(subject, Stage::inputs);
  Tensor inputs({token_count(config), input_features(config)}, AlignedFloats(numbers.begin(), numbers.end()));
  float& changed = inputs.matrix()(cell.row, cell.col);
  const double was = static_cast<double>(changed);
  changed += step;
  const double is = static_cast<double>(changed);
  const Execution execution{Backend::serial, 1, subject.stop};
  const Result after = evaluate(with_typed_inputs(subject, std::move(inputs)), execution);
  std::vector<std::string> counts;
  for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::scores, normalized_weights_stage(config),
                            Stage::context, Stage::output}) {
    if (!has(subject.result, stage)) continue;
    const ChangedCells cells = changed_cells(subject.result, after, stage);
    counts.push_back(fmt::format("{} of {} {}", cells.changed, cells.all,
                                 stage == Stage::context || stage == Stage::output
                                     ? fmt::format("numbers of the {}", info(stage).title)
                                     : std::string(info(stage).title)));
  }
  const std::string name = dimension_name(config, cell.col);
  return fmt::format("{} With {} in the place of {} as {} of “{}” these change{}: {}. {}", rule, number(is),
                     number(was), name.empty() ? fmt::format("number {}", cell.col + 1) : name,
                     key_name(subject, cell.row), head_count(config) > 1 ? ", counted over all heads" : "",
                     fmt::join(counts, ", "),
                     rows_words(subject, changed_cells(subject.result, after, normalized_weights_stage(config))));
}

std::optional<QuestionRemedy> change_of_number(const TeachingViewSubject& subject) {
  if (!has_numbers_to_change(subject.result)) return {};
  const Source cell = changed_number(subject);
  const float value = read_row(subject, Stage::inputs, cell.row)[static_cast<std::size_t>(cell.col)] + step;
  const std::string name = dimension_name(subject.result.config, cell.col);
  return QuestionRemedy{
      .label = fmt::format("Set {} of “{}” to {}",
                           name.empty() ? fmt::format("number {}", cell.col + 1) : fmt::format("“{}”", name),
                           key_name(subject, cell.row), number(static_cast<double>(value))),
      .change = [cell, value](Document& document) { set_input(document, cell.row, cell.col, value); },
      .shows_changes = true};
}

std::string answer_wrapper(const TeachingViewSubject& subject) {
  const std::string rule =
      "Yes, up to out_proj: MultiHeadAttention splits one large W_query into the small ones of the wrapper's heads, so "
      "that equal weights give equal contexts. What differs is out_proj, which only MultiHeadAttention has: the "
      "outputs "
      "are equal if it changes nothing. Drawn from the same seed the two differ, because their weights do.";
  Document pair;
  pair.config = subject.result.config;
  pair.tokens = subject.labels;
  const ReadyPair& ready = *ready_pair_named("wrapper_split");
  if (!has_numbers_to_change(subject.result) || token_count(pair.config) > most_changed_tokens) return rule;
  if (!ready.obstacle(pair).empty()) return rule;
  ready.make(pair, 0);
  const Execution execution{Backend::serial, 1, subject.stop};
  const Result wrapper = evaluate(pair.compared->config, execution);
  const Result split = evaluate(pair.config, execution);
  const Tensor one = read_stage(wrapper, Stage::context);
  const Tensor other = read_stage(split, Stage::context);
  double most = 0;
  for (std::size_t i = 0; i < one.values.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(one.values[i]) - static_cast<double>(other.values[i])));
  return fmt::format("{} Computed both ways with equal weights, the {} numbers of the context {}.", rule, one.size(),
                     most == 0 ? "are the same" : fmt::format("differ by at most {}", small_number(most)));
}

}  // namespace attnscope
