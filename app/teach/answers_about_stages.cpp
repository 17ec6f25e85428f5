#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/evaluate.h"
#include "core/text.h"
#include "document/compare.h"
#include "document/edit.h"
#include "teach/questions.h"
#include "teach/teaching_view_support.h"

// Answers about what a stage is, and about what changes in stages.
namespace attnscope {
namespace {

constexpr std::size_t most_numbers = 4;

// Returns "(3.60, 1.80)", or the first numbers of a long row.
std::string row_words(const std::vector<float>& row) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < std::min(row.size(), most_numbers); ++i)
    numbers.push_back(number(static_cast<double>(row[i])));
  return fmt::format("({}{})", fmt::join(numbers, ", "), row.size() > most_numbers ? ", …" : "");
}

// Returns a number that stands among signs: "(−0.14)".
std::string factor(double value, int decimals) {
  const std::string words = number(value, decimals);
  return words.starts_with("−") ? fmt::format("({})", words) : words;
}

// Returns "3.60 × 1.80 + (−1.80) × 0.00 = 6.48" with the largest products, so that a reader computes the same; the
// others are one sum.
std::string products(const std::vector<float>& left, const std::vector<float>& right, double result,
                     std::optional<double> bias = {}) {
  std::vector<double> terms;
  for (std::size_t i = 0; i < left.size(); ++i)
    terms.push_back(static_cast<double>(left[i]) * static_cast<double>(right[i]));
  double rest = 0;
  for (const double term : terms) rest += term;
  std::vector<std::size_t> shown = largest_terms(terms, most_numbers);
  const auto zeros = std::ranges::count(terms, 0.0);
  const bool are_others_zero = std::ssize(terms) - zeros <= std::ssize(shown);
  // If not all terms that are 0 can be shown, none is.
  if (are_others_zero && shown.size() < terms.size() && zeros < std::ssize(terms))
    std::erase_if(shown, [&](std::size_t i) { return terms[i] == 0; });
  for (const std::size_t i : shown) rest -= terms[i];
  const auto others = std::ssize(terms) - std::ssize(shown);
  const int decimals = decimals_that_give(result, 2, [&](int digits) {
    double sum = as_written(bias.value_or(0), digits) + (are_others_zero ? 0 : as_written(rest, digits));
    for (const std::size_t i : shown)
      sum += as_written(static_cast<double>(left[i]), digits) * as_written(static_cast<double>(right[i]), digits);
    return sum;
  });
  std::vector<std::string> words;
  for (const std::size_t i : shown)
    words.push_back(fmt::format("{} × {}", factor(static_cast<double>(left[i]), decimals),
                                factor(static_cast<double>(right[i]), decimals)));
  if (others > 0) words.push_back(fmt::format("{} of {} more", are_others_zero ? "0" : factor(rest, decimals), others));
  if (bias) words.push_back(fmt::format("{} of the bias", factor(*bias, decimals)));
  return fmt::format("{} = {}", fmt::join(words, " + "), number(result));
}

// Returns the key that gets the most of a query's attention.
Index favourite(const TeachingViewSubject& subject, Index query) {
  const std::vector<float> row = read_row(subject, Stage::weights, query);
  return std::ranges::max_element(row) - row.begin();
}

// Says where a token's query, key or value comes from: "its row of the inputs times W_query".
std::string origin(const AttentionConfig& config, std::string_view weight, std::string_view kind) {
  if (begins_with_heads(config)) return "the document gives it";
  if (!has_stage(config, Stage::queries)) return fmt::format("without weights its row of the inputs is its {}", kind);
  return fmt::format("its row of the inputs times {}", weight);
}

float at(const std::vector<float>& row, Index index) { return row[static_cast<std::size_t>(index)]; }

}  // namespace

std::string answer_embedding(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  if (begins_with_heads(config)) return "This document has no inputs: it begins with queries, keys and values.";
  const Index token = std::min(subject.query, token_count(config) - 1);
  const std::vector<float> row = read_row(subject, Stage::inputs, token);
  std::string named;
  for (std::size_t i = 0; i < std::min(row.size(), most_numbers); ++i) {
    const std::string name = dimension_name(config, static_cast<Index>(i));
    if (!name.empty())
      named += fmt::format("{}{} {}", named.empty() ? ": " : ", ", name, number(static_cast<double>(row[i])));
  }
  const bool is_typed = std::holds_alternative<SharedTensor>(config.inputs);
  const char* const source = std::holds_alternative<ModelInputs>(config.inputs)
                                 ? "In this model training chose them, and the layers below have changed them."
                             : is_typed ? "Here they were typed; in a trained model training chooses them."
                                        : "Here they are random; in a trained model training chooses them.";
  return fmt::format(
      "The embedding of a token: numbers that stand for the token, from which everything else is computed. "
      "“{}” has {}{}. {} Attention knows a token by these numbers alone: two tokens with equal rows get equal "
      "queries, keys and values.",
      key_name(subject, token), row_words(row), named, source);
}

std::string answer_query(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<float> query = read_row(subject, queries_stage(config), subject.query);
  const Index key = favourite(subject, subject.query);
  const std::vector<float> other = read_row(subject, keys_stage(config), key);
  const double score = static_cast<double>(at(read_row(subject, Stage::scores, subject.query), key));
  const double weight = static_cast<double>(at(read_row(subject, Stage::weights, subject.query), key));
  return fmt::format(
      "What a token looks for: {}. “{}” has the query {}. It is compared with the key of each token: with “{}” the "
      "score is {}, and that key gets {} of its attention, the most in its row.",
      origin(config, "W_query", "query"), query_name(subject, subject.query), row_words(query), key_name(subject, key),
      products(query, other, score), number(weight));
}

std::string answer_key(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index key = favourite(subject, subject.query);
  Index most = 0;
  double largest = -1;
  for (Index query = 0; query < query_count(config); ++query) {
    const auto weight = static_cast<double>(at(read_row(subject, Stage::weights, query), key));
    if (weight > largest) most = query;
    largest = std::max(largest, weight);
  }
  const double score = static_cast<double>(at(read_row(subject, Stage::scores, most), key));
  return fmt::format(
      "What a token is found by: {}. “{}” has the key {}. Every query is compared with it; “{}” with the score {}, and "
      "it gives this key {} of its attention, more than any other query does. A key says who is found, not what is "
      "taken from it: that is the value.",
      origin(config, "W_key", "key"), key_name(subject, key), row_words(read_row(subject, keys_stage(config), key)),
      query_name(subject, most), number(score), number(largest));
}

std::string answer_value(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index key = favourite(subject, subject.query);
  const double weight = static_cast<double>(at(read_row(subject, final_weights_stage(config), subject.query), key));
  const Stage mixed = has_stage(config, Stage::head_context) ? Stage::head_context : Stage::context;
  const bool is_on = !is_off(config, subject.head);
  return fmt::format(
      "What a token gives to those that attend to it: {}. “{}” has the value {}. The weight says how much of it is "
      "taken: {}“{}” {} {} times this value{}",
      origin(config, "W_value", "value"), key_name(subject, key),
      row_words(read_row(subject, values_stage(config), key)), is_on ? "" : "with this head on, ",
      query_name(subject, subject.query), is_on ? "takes" : "would take", number(weight),
      is_on ? fmt::format(", adds its shares of the other values, and so gets the context {}.",
                          row_words(read_row(subject, mixed, subject.query)))
            : "; the head is switched off, so that its context is 0.");
}

std::string answer_context(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string query = query_name(subject, subject.query);
  const bool has_many = head_count(config) > 1;
  const std::string rule =
      fmt::format("What a token takes from all that it sees: their values, each times its weight, added up{}.",
                  has_many ? fmt::format("; each of the {} heads makes its own, and side by side they are the context",
                                         head_count(config))
                           : "");
  if (is_off(config, subject.head))
    return fmt::format("{} Head {} is switched off, so that its context is 0 for every token.", rule, subject.head + 1);
  const Stage mixed = has_stage(config, Stage::head_context) ? Stage::head_context : Stage::context;
  const std::vector<float> weights = read_row(subject, final_weights_stage(config), subject.query);
  std::vector<float> firsts;
  for (Index key = 0; key < std::ssize(weights); ++key)
    firsts.push_back(read_row(subject, values_stage(config), key).front());
  const std::vector<float> context = read_row(subject, mixed, subject.query);
  return fmt::format(
      "{} “{}” has the context {}{}; its first number is {}: weights times the first numbers of the values. So the "
      "numbers of a token come to tell of the tokens around it.",
      rule, query, row_words(context), has_many ? fmt::format(" in head {}", subject.head + 1) : "",
      products(weights, firsts, static_cast<double>(context.front())));
}

namespace {

// Returns "at “cat” (0.97) in head 1", or that several keys get the same.
std::string look_of_head(const TeachingViewSubject& subject, Index head, Index query) {
  const TeachingViewSubject of = with_head(subject, head);
  const std::vector<float> row = read_row(of, Stage::weights, query);
  const Index most = favourite(of, query);
  const auto equal = std::ranges::count(row, at(row, most));
  const std::string weight = number(static_cast<double>(at(row, most)));
  if (equal > 1) return fmt::format("in head {} equally at {} keys ({} each)", head + 1, equal, weight);
  return fmt::format("in head {} most at “{}” ({})", head + 1, key_name(subject, most), weight);
}

}  // namespace

std::string answer_head(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index heads = head_count(config);
  const Index other = subject.head == 0 ? 1 : 0;
  Index query = subject.query;
  for (Index row = 0; row < std::min<Index>(query_count(config), 64); ++row) {
    if (favourite(subject, query) != favourite(with_head(subject, other), query)) break;
    query = row;  // another query, if both heads look at the same key
  }
  return fmt::format(
      "An attention of its own: with {} it makes queries, keys and values of the same inputs, and with these its own "
      "weights and its own context. This document has {} heads, of {} numbers each. “{}” looks {}, and {}. One head "
      "has only one sum of 1 to divide among its keys; several heads look for several things at once.",
      begins_with_heads(config) ? "matrices of its own" : "its own part of W_query, W_key and W_value", heads,
      value_features(config), query_name(subject, query), look_of_head(subject, std::min(subject.head, other), query),
      look_of_head(subject, std::max(subject.head, other), query));
}

std::string answer_out_proj(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<float> context = read_row(subject, Stage::context, subject.query);
  const std::vector<float> weights = read_row(subject, Stage::output_weight, 0);
  const double first = static_cast<double>(read_row(subject, Stage::output, subject.query).front());
  const bool has_bias_row = has_stage(config, Stage::output_bias);
  const std::optional<double> bias =
      has_bias_row ? std::optional(static_cast<double>(read_row(subject, Stage::output_bias, 0).front()))
                   : std::nullopt;
  const bool changes_nothing = read_row(subject, Stage::output, subject.query) == context;
  return fmt::format(
      "It mixes what the heads have found. The context of a token holds the numbers of {} side by side, and no head "
      "has seen another's. Each number of the output is computed from all of them by a row of out_proj: for “{}” the "
      "first is {}.{}",
      head_count(config) > 2   ? fmt::format("all {} heads", head_count(config))
      : head_count(config) > 1 ? "both heads"
                               : "the head",
      query_name(subject, subject.query), products(context, weights, first, bias),
      changes_nothing
          ? " Here out_proj is the identity, chosen so that one can read the heads: each number of the output "
            "is one of the context again, nothing is mixed yet, and it changes nothing."
          : "");
}

std::optional<QuestionRemedy> mixing_number(const TeachingViewSubject& subject) {
  if (subject.result.imported || subject.result.difference || head_count(subject.result.config) < 2) return {};
  const std::vector<float> context = read_row(subject, Stage::context, subject.query);
  if (read_row(subject, Stage::output, subject.query) != context) return {};
  // The first output gets half of the largest number of another head.
  const auto of_head = static_cast<std::ptrdiff_t>(value_features(subject.result.config));
  const auto largest =
      std::ranges::max_element(context.begin() + of_head, context.end(), {}, [](float each) { return std::abs(each); });
  const Index col = largest - context.begin();
  return QuestionRemedy{
      .label = fmt::format("Mix: add half of number {} to output 1", col + 1),
      .change = [col](Document& document) { set_weight(document, Stage::output_weight, 0, 0, col, 0.5F); },
      .is_answered = true};
}

// What changes in the stages if the document is computed a second time: with one number changed, or as one class in
// place of a list of heads.

namespace {

constexpr Index most_changed_tokens = 256;  // all matrices of both documents are compared
constexpr float step = 0.1F;

bool has_numbers_to_change(const Result& result) {
  return !result.imported && !result.difference && !begins_with_heads(result.config) &&
         !std::holds_alternative<ModelInputs>(result.config.inputs);
}

// Returns the document with given inputs. A layer of a model becomes a document with its weights.
std::optional<AttentionConfig> with_typed_inputs(const Result& result, Tensor inputs) {
  if (result.imported || result.difference || begins_with_heads(result.config)) return {};
  AttentionConfig config = with_inputs(result.config, std::move(inputs));
  if (has_numbers_to_change(result)) return config;
  const std::vector<ParameterShape> shapes = parameter_shapes(config);
  const auto has_place = [&](const Parameter& parameter) {
    return std::ranges::any_of(shapes, [&](const ParameterShape& each) {
      return each.name == parameter.name && each.shape == parameter.tensor.shape;
    });
  };
  if (shapes.size() != result.parameters->size() || !std::ranges::all_of(*result.parameters, has_place)) return {};
  for (const Parameter& parameter : *result.parameters)
    config.weight_overrides[parameter.name] = SharedTensor(parameter.tensor);
  return config;
}

// Returns the number of the inputs that is changed: the subject's, else the largest one of its row.
Source changed_number(const TeachingViewSubject& subject) {
  const std::vector<float> row = read_row(subject, Stage::inputs, subject.query);
  const auto largest = std::ranges::max_element(row, {}, [](float each) { return std::abs(each); });
  const Index feature = subject.feature.value_or(largest - row.begin());
  return {.stage = Stage::inputs, .row = subject.query, .col = std::clamp<Index>(feature, 0, std::ssize(row) - 1)};
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

namespace {

// The document before and after one number of the inputs has changed.
struct ChangedDocument {
  Source cell;
  double was = 0;
  double is = 0;
  Result before;
  Result after;
};

std::optional<ChangedDocument> change_number(const TeachingViewSubject& subject) {
  if (token_count(subject.result.config) > most_changed_tokens) return {};
  if (begins_with_heads(subject.result.config) || subject.result.imported) return {};
  const Source cell = changed_number(subject);
  Tensor inputs = read_inputs(subject);
  const std::optional<AttentionConfig> before = with_typed_inputs(subject.result, inputs);
  float& changed = inputs.matrix()(cell.row, cell.col);
  const auto was = static_cast<double>(changed);
  changed += step;
  const auto is = static_cast<double>(changed);
  const std::optional<AttentionConfig> after = with_typed_inputs(subject.result, std::move(inputs));
  if (!before || !after) return {};
  const Execution execution = quietly(subject);
  return ChangedDocument{cell, was, is, evaluate(*before, execution), evaluate(*after, execution)};
}

// Returns the head whose weights change most.
Index most_changed_head(const ChangedDocument& document, Index batch) {
  const Tensor before = read_stage(document.before, Stage::weights);
  const Tensor after = read_stage(document.after, Stage::weights);
  const Index heads = head_count(document.before.config);
  Index most = 0;
  float largest = -1;
  for (Index head = 0; head < heads; ++head) {
    float of_head = 0;
    const auto size = before.rows() * before.cols();
    for (Index i = (batch * heads + head) * size; i < (batch * heads + head + 1) * size; ++i)
      of_head = std::max(
          of_head, std::abs(after.values[static_cast<std::size_t>(i)] - before.values[static_cast<std::size_t>(i)]));
    if (of_head <= largest) continue;
    largest = of_head;
    most = head;
  }
  return most;
}

}  // namespace

std::string answer_changes(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string rule = fmt::format(
      "{}ts row and its column of scores; the weights of every row that sees the word; and the context{} of these "
      "rows.",
      has_stage(config, Stage::queries) ? "Its row of queries, keys and values; i" : "I",
      has_stage(config, Stage::output) ? " and the output" : "");
  const std::optional<ChangedDocument> document = change_number(subject);
  if (!document) return rule;
  const Source cell = document->cell;
  std::vector<std::string> counts;
  ChangedCells weights;
  for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::scores, normalized_weights_stage(config),
                            Stage::context, Stage::output}) {
    if (!has(document->before, stage)) continue;
    const ChangedCells cells = changed_cells(document->before, document->after, stage);
    if (stage == normalized_weights_stage(config)) weights = cells;
    counts.push_back(fmt::format("{} of {} {}", format_integer(static_cast<double>(cells.changed)),
                                 format_integer(static_cast<double>(cells.all)),
                                 stage == Stage::context || stage == Stage::output
                                     ? fmt::format("numbers of the {}", info(stage).title)
                                     : std::string(info(stage).title)));
  }
  const std::string name = dimension_name(config, cell.col);
  return fmt::format("{} With {} in the place of {} as {} of “{}” these change{}: {}. {}", rule, number(document->is),
                     number(document->was), name.empty() ? fmt::format("number {}", cell.col + 1) : name,
                     key_name(subject, cell.row), head_count(config) > 1 ? ", counted over all heads" : "",
                     fmt::join(counts, ", "), rows_words(subject, weights));
}

std::optional<QuestionRemedy> change_of_number(const TeachingViewSubject& subject) {
  if (!has_numbers_to_change(subject.result)) return {};
  const Source cell = changed_number(subject);
  const float value = read_row(subject, Stage::inputs, cell.row)[static_cast<std::size_t>(cell.col)] + step;
  const std::string name = dimension_name(subject.result.config, cell.col);
  const std::optional<ChangedDocument> changed = change_number(subject);
  const std::optional<Index> head = changed ? std::optional(most_changed_head(*changed, subject.batch)) : std::nullopt;
  return QuestionRemedy{
      .label = fmt::format("Set {} of “{}” to {}",
                           name.empty() ? fmt::format("number {}", cell.col + 1) : fmt::format("“{}”", name),
                           key_name(subject, cell.row), number(static_cast<double>(value))),
      .change = [cell, value](Document& document) { set_input(document, cell.row, cell.col, value); },
      .shows_changes = true,
      .head = head};
}

namespace {

// The same document of a list of heads and of one class that splits, with equal weights.
struct BothClasses {
  Result list;
  Result one;
};

std::optional<BothClasses> both_classes(const TeachingViewSubject& subject) {
  Document pair;
  pair.config = subject.result.config;
  pair.tokens = subject.labels;
  const ReadyPair& ready = *ready_pair_named("wrapper_split");
  if (!has_numbers_to_change(subject.result) || token_count(pair.config) > most_changed_tokens) return {};
  if (!ready.obstacle(pair).empty()) return {};
  ready.make(pair, 0);
  const Execution execution = quietly(subject);
  return BothClasses{evaluate(pair.compared->config, execution), evaluate(pair.config, execution)};
}

double difference_of_contexts(const BothClasses& both) {
  return largest_difference(read_stage(both.list, Stage::context), read_stage(both.one, Stage::context));
}

}  // namespace

std::string answer_wrapper(const TeachingViewSubject& subject) {
  const std::string rule =
      "Yes, up to out_proj: MultiHeadAttention splits one large W_query into the small ones of the wrapper's heads, so "
      "that equal weights give equal contexts. What differs is out_proj, which only MultiHeadAttention has: the "
      "outputs are equal if it changes nothing. Drawn from the same seed the two differ, because their weights do.";
  const std::optional<BothClasses> both = both_classes(subject);
  if (!both) return rule;
  const double most = difference_of_contexts(*both);
  return fmt::format("{} Computed both ways with equal weights, the {} numbers of the context {}.", rule,
                     read_stage(both->list, Stage::context).size(),
                     most == 0 ? "are the same" : fmt::format("differ by at most {}", small_number(most)));
}

// Teaching views of these answers.

namespace {

constexpr Index most_shown_rows = 8;
constexpr Index most_shown_columns = 8;
constexpr Index most_shown_heads = 4;

TeachingViewSubject about(const TeachingViewSubject& subject, const Result& result, Index head) {
  return {result,        subject.labels, head,         subject.batch,
          subject.query, subject.choice, subject.stop, subject.query_labels};
}

// Returns the first columns of a stage of features, for the rows of the queries or keys that are shown.
BoardMatrix features_of(const TeachingViewSubject& subject, Stage stage, std::string title, bool has_names) {
  const CellRect window = window_of(subject, most_shown_rows);
  const bool are_keys = stage == Stage::inputs;
  const CellRect shown{are_keys ? window.col : window.row, 0, are_keys ? window.cols : window.rows,
                       std::min(stage_shape(subject.result.config, stage).back(), most_shown_columns)};
  BoardMatrix matrix{.title = std::move(title),
                     .rows = shown.rows,
                     .cols = shown.cols,
                     .values = read_window(subject, stage, shown),
                     .of = stage};
  if (has_names) matrix.row_labels = are_keys ? key_names(subject, window) : query_names(subject, window);
  fit_signed_range(matrix);
  return matrix;
}

// Gives matrices that stand side by side and the whole that they are parts of the same colours.
void share_colours(std::vector<BoardItem>& line) {
  float high = 0;
  for (const BoardItem& item : line)
    if (const auto* const matrix = std::get_if<BoardMatrix>(&item)) high = std::max(high, matrix->high);
  for (BoardItem& item : line)
    if (auto* const matrix = std::get_if<BoardMatrix>(&item)) matrix->high = high;
}

}  // namespace

void build_wrapper(Board& board, const TeachingViewSubject& subject) {
  const Index all_heads = head_count(subject.result.config);
  const Index heads = std::min(all_heads, most_shown_heads);
  const std::optional<BothClasses> both = both_classes(subject);
  const Result& list = both ? both->list : subject.result;
  const Result& one = both ? both->one : subject.result;
  const auto line_of = [&](const auto& of_head, const auto& of_all) {
    std::vector<BoardItem> line;
    for (Index head = 0; head < heads; ++head) line.emplace_back(of_head(about(subject, list, head), head));
    line.emplace_back(BoardSign{heads < all_heads ? "… =" : "="});
    line.emplace_back(of_all(about(subject, one, subject.head)));
    share_colours(line);
    board.lines.push_back(std::move(line));
  };
  line_of(
      [&](const TeachingViewSubject& of, Index head) {
        return features_of(of, Stage::head_context, fmt::format("context, head {}", head + 1), head == 0);
      },
      [](const TeachingViewSubject& of) { return features_of(of, Stage::context, "context of the class", true); });
  if (both)
    line_of(
        [](const TeachingViewSubject& of, Index head) {
          return query_weight_matrix(of, fmt::format("W_query, head {}", head + 1), most_shown_columns);
        },
        [](const TeachingViewSubject& of) {
          return query_weight_matrix(of, "W_query of the class", most_shown_columns);
        });
  const double most = both ? difference_of_contexts(*both) : 0;
  board.headline = !both       ? fmt::format("The contexts of {} heads stand side by side in one context.", all_heads)
                   : most == 0 ? "With equal weights, a list of heads and one class give the same contexts."
                               : fmt::format("With equal weights, both give contexts that differ by at most {}.",
                                             small_number(most));
  board.details =
      "A list of heads (MultiHeadAttentionWrapper) has a small W_query for each head; MultiHeadAttention has one, "
      "whose "
      "columns are theirs side by side. Only MultiHeadAttention has an out_proj after the context.";
  if (heads < all_heads) board.note = fmt::format("Shown are {} of {} heads.", heads, all_heads);
}

void build_changes(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::optional<ChangedDocument> document = change_number(subject);
  const TeachingViewSubject before = about(subject, document ? document->before : subject.result, subject.head);
  const TeachingViewSubject after = about(subject, document ? document->after : subject.result, subject.head);
  const CellRect window = window_of(subject, most_shown_rows);
  const Visibility seen = visibility(config);
  const bool has_many = head_count(config) > 1;
  const auto matrix_of = [&](const TeachingViewSubject& of, Stage stage) {
    const std::string title(info(stage).title);
    if (!is_query_by_key(info(stage).axes)) return features_of(of, stage, title, true);
    BoardMatrix matrix = square(of, window, has_many ? fmt::format("{}, head {}", title, subject.head + 1) : title,
                                read_window(of, stage, window));
    matrix.of = stage;
    if (stage == Stage::scores) fit_signed_range(matrix);
    if (stage != Stage::scores) mark_hidden(matrix, seen, window);
    return matrix;
  };
  const auto changed = [&](Stage stage) {
    BoardMatrix matrix = matrix_of(after, stage);
    const BoardMatrix old = matrix_of(before, stage);
    matrix.marks.resize(matrix.values.size());
    for (std::size_t i = 0; i < matrix.values.size(); ++i) matrix.marks[i].differs = matrix.values[i] != old.values[i];
    return matrix;
  };
  for (const std::vector<Stage>& stages :
       {std::vector{Stage::inputs, Stage::scores, normalized_weights_stage(config)}, {Stage::context, Stage::output}}) {
    std::vector<BoardItem> line;
    for (const Stage stage : stages)
      if (has(after.result, stage)) line.emplace_back(changed(stage));
    if (!line.empty()) board.lines.push_back(std::move(line));
  }
  board.headline = "One number of the inputs reaches every row of weights that sees its word.";
  if (!document) return;
  const ChangedCells weights = changed_cells(document->before, document->after, normalized_weights_stage(config));
  board.headline = fmt::format("Framed: what changes when one number of “{}” goes from {} to {}.",
                               key_name(subject, document->cell.row), number(document->was), number(document->is));
  board.details = (has_many ? "Counted over all heads. " : "") + rows_words(subject, weights);
}

}  // namespace attnscope
