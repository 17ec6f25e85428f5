#include "teach/teaching_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/text.h"
#include "core/visibility.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr const char* needs_inputs = "The inputs of this document are queries, keys and values from elsewhere.";

std::string none(const AttentionConfig& /*config*/) { return {}; }

std::string without_dropout(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout ? ""
                                            : "This mechanism has no dropout: choose causal attention or a later step.";
}

std::string without_split(const AttentionConfig& config) {
  if (!info(config.mechanism).splits_heads)
    return "Only multi-head attention splits one projection into heads: choose that step.";
  if (has_shared_keys(config)) return "Heads share keys and values here: empty the field key heads first.";
  return head_count(config) > 1 ? "" : "One head has nothing to split: choose two heads or more.";
}

std::string without_heads(const AttentionConfig& config) {
  return head_count(config) > 1 ? "" : "One head needs no list of heads: choose two heads or more.";
}

std::string without_inputs(const AttentionConfig& config) { return begins_with_heads(config) ? needs_inputs : ""; }

std::string without_draws(const AttentionConfig& config) {
  const bool is_of_model = std::holds_alternative<ModelInputs>(config.inputs);
  return is_of_model ? "Nothing is drawn here: the weights are those of a trained model." : without_inputs(config);
}

std::string without_weights(const AttentionConfig& config) {
  if (info(config.mechanism).weight_style == WeightStyle::none || begins_with_heads(config))
    return "This mechanism has no weight matrices: choose self-attention with trainable weights or a later step.";
  return {};
}

std::string without_output(const AttentionConfig& config) {
  return has_stage(config, Stage::output) ? ""
                                          : "This mechanism has no output projection: choose multi-head attention.";
}

constexpr const char* other_tokens = "Here queries and keys are of other tokens.";

std::string not_square(const AttentionConfig& config) {
  return query_count(config) == key_count(config) ? "" : other_tokens;
}

std::string not_square_of_inputs(const AttentionConfig& config) {
  const std::string obstacle = not_square(config);
  return obstacle.empty() ? without_inputs(config) : obstacle;
}

constexpr TeachingViewInfo all[] = {
    {"dropout", "Dropout", "Why do rows not sum to 1 after dropout?", without_dropout, build_dropout},
    {"mask_routes", "Mask routes", "Mask before or after softmax?", none, build_mask_routes},
    {"roles", "Query, key, value", "What do query, key and value do?", none, build_roles},
    {"softmax", "Softmax", "Over which axis does softmax run?", none, build_softmax},
    {"scaling", "Scaling", "Why divide by √head_dim?", none, build_scaling},
    {"splitting", "Splitting heads", "What do view and transpose do to heads?", without_split, build_splitting},
    {"sentence", "The sentence", "Which word looks at which?", not_square, build_sentence, true},
    {"mix", "The mix", "Why are heads not averaged?", none, build_mix},
    {"out_proj", "Output projection", "What does out_proj do?", without_output, build_out_proj},
    {"draws", "Draws", "Why does the order of draws change everything?", without_draws, build_draws},
    {"sharpness", "Sharpness", "How many words does each query really look at?", none, build_sharpness},
    {"symmetry", "Symmetry", "Which axis is the query?", not_square_of_inputs, build_symmetry},
    {"shapes", "Shapes", "Is d_out per head or in all?", without_inputs, build_shapes},
    {"linear", "x @ W and nn.Linear", "x @ W or nn.Linear?", without_weights, build_linear},
    {"wrapper", "List or class", "Do a wrapper and one class that splits agree?", without_heads, build_wrapper},
    {"changes", "What changes", "If I change one number of one word, what else changes?", none, build_changes},
    {"trained", "Trained or random", "Are these numbers trained or random?", none, build_trained},
};

constexpr Index most_tried_rows = 64;

// Counts the kinds of cells that a row of weights has: hidden ones, dropped ones, and kept ones, which count twice.
int kinds_of_cells(const std::vector<float>& factors, const Visibility& seen, Index row) {
  const Index seen_keys = seen.count(row);
  const Index dropped = count_dropped(factors, seen, row);
  return (seen_keys < std::ssize(factors) ? 1 : 0) + (dropped > 0 ? 1 : 0) + (dropped < seen_keys ? 2 : 0);
}

bool is_of_weights_alone(std::string_view id) { return id == "sentence" || id == "sharpness"; }

}  // namespace

std::span<const TeachingViewInfo> studies() { return all; }

const TeachingViewInfo* study_named(std::string_view id) {
  const TeachingViewInfo* const found = std::ranges::find(all, id, &TeachingViewInfo::id);
  return found == std::end(all) ? nullptr : found;
}

const TeachingViewInfo& shown_study(const TeachingViewChoice& choice) {
  const TeachingViewInfo* const study = study_named(choice.id);
  return study ? *study : studies().front();
}

Index telling_query(const Result& result, Index head, Index batch) {
  const AttentionConfig& config = result.config;
  const Stage stage = result.imported ? Stage::weights : normalized_weights_stage(config);
  if (!has(result, stage)) return 0;
  const bool drops = has(result, Stage::dropout_factors);
  if (!acts_in(config, Stage::dropped_weights)) {
    if (const std::optional<Source> cell = most_telling_cell(result, head)) return cell->row;
  }
  const Visibility seen = visibility(config);
  const TeachingViewChoice choice;
  const std::vector<std::string> labels;
  const TeachingViewSubject subject{result, labels, head, batch, 0, choice};
  std::pair<int, double> most{-1, 0};
  Index telling = 0;
  for (Index row = 0; row < std::min(query_count(config), most_tried_rows); ++row) {
    const std::vector<float> weights = read_row(subject, stage, row);
    const std::vector<float> factors =
        drops ? read_row(subject, Stage::dropout_factors, row) : std::vector<float>(weights.size(), 1);
    const std::pair<int, double> here{kinds_of_cells(factors, seen, row), entropy_bits(as_double(weights))};
    if (here <= most) continue;
    most = here;
    telling = row;
  }
  return telling;
}

std::string obstacle_to(const TeachingViewInfo& study, const Result& result) {
  if (result.difference) return "A difference of two documents has no teaching views: show A or B.";
  if (!result.imported) return study.obstacle(result.config);
  const bool is_there = is_of_weights_alone(study.id) && has(result, Stage::weights);
  return is_there ? study.obstacle(result.config)
                  : "These weights were read from a file: nothing here computes or changes them.";
}

Board make_board(const TeachingViewSubject& subject) {
  Board board;
  const TeachingViewInfo* const study = study_named(subject.choice.id);
  if (!study) return board;
  std::string obstacle = obstacle_to(*study, subject.result);
  const bool has_other_queries = subject.query_labels && *subject.query_labels != subject.labels;
  if (study->build == build_sentence && has_other_queries) obstacle = other_tokens;
  if (obstacle.empty()) {
    study->build(board, subject);
  } else {
    board.headline = obstacle;
  }
  board.id = study->id;
  board.title = study->title;
  board.question = study->question;
  return board;
}

// The parts of teaching views.

namespace {

// Returns all of `count`, or `most` of them around `at`.
std::pair<Index, Index> part_around(Index count, Index at, Index most) {
  if (count <= most) return {0, count};
  return {std::clamp<Index>(at - most / 2, 0, count - most), most};
}

}  // namespace

CellRect window_of(const TeachingViewSubject& subject, Index most) {
  const AttentionConfig& config = subject.result.config;
  const auto [row, rows] = part_around(query_count(config), subject.query, most);
  const auto [col, cols] = part_around(key_count(config), std::min(subject.query, key_count(config) - 1), most);
  return {row, col, rows, cols};
}

void note_window(Board& board, const TeachingViewSubject& subject, const CellRect& window) {
  const AttentionConfig& config = subject.result.config;
  if (window.rows == query_count(config) && window.cols == key_count(config)) return;
  board.note = fmt::format(
      "Shown are queries {} to {} of {} and keys {} to {} of {}, around the one that the view is about; row sums are "
      "of whole rows.",
      window.row + 1, window.row + window.rows, query_count(config), window.col + 1, window.col + window.cols,
      key_count(config));
}

std::vector<float> read_window(const TeachingViewSubject& subject, Stage stage, const CellRect& window) {
  std::vector<float> cells(static_cast<std::size_t>(window.rows * window.cols));
  const Index matrix = matrix_of(subject.result.config, stage, subject.batch, subject.head);
  read_cells(cells, subject.result, stage, matrix, window);
  return cells;
}

std::vector<float> read_row(const TeachingViewSubject& subject, Stage stage, Index row) {
  return read_window(subject, stage, {row, 0, 1, stage_shape(subject.result.config, stage).back()});
}

void finish_scores(std::vector<double>& scores, const TeachingViewSubject& subject, Index row, double factor) {
  const AttentionConfig& config = subject.result.config;
  const double cap = config.softcap.value_or(0);
  for (double& score : scores) {
    score *= factor;
    if (cap > 0) score = cap * std::tanh(score / cap);
  }
  if (!has_bias(config)) return;
  const Bias bias(config);
  const Index matrix = subject.batch * head_count(config) + subject.head;
  for (std::size_t key = 0; key < scores.size(); ++key)
    scores[key] += static_cast<double>(bias.at(matrix, row, static_cast<Index>(key)));
}

std::vector<double> softmax_scores(const TeachingViewSubject& subject, Index row, double factor) {
  std::vector<double> scores = as_double(read_row(subject, Stage::scores, row));
  finish_scores(scores, subject, row, factor);
  return scores;
}

std::vector<float> read_matrix(const TeachingViewSubject& subject, Stage stage) {
  const std::vector<Index> shape = stage_shape(subject.result.config, stage);
  return read_window(subject, stage, {0, 0, shape[shape.size() - 2], shape.back()});
}

Tensor read_inputs(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<float> numbers = read_matrix(subject, Stage::inputs);
  return Tensor({token_count(config), input_features(config)}, AlignedFloats(numbers.begin(), numbers.end()));
}

AttentionConfig with_inputs(AttentionConfig config, Tensor inputs) {
  if (const auto* const drawn = std::get_if<RandnInputs>(&config.inputs))
    config.skip_draws += words_of_randn(drawn->tokens * drawn->features);
  config.inputs = std::move(inputs);
  return config;
}

QueryWeight read_query_weight(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<Index> shape = stage_shape(config, Stage::query_weight);
  QueryWeight weight;
  weight.is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  weight.in = weight.is_linear ? shape.back() : shape[shape.size() - 2];
  weight.out = weight.is_linear ? shape[shape.size() - 2] : shape.back();
  weight.numbers = read_matrix(subject, Stage::query_weight);
  return weight;
}

BoardMatrix query_weight_matrix(const TeachingViewSubject& subject, std::string title, Index most) {
  const QueryWeight weight = read_query_weight(subject);
  BoardMatrix matrix{.title = std::move(title),
                     .rows = std::min(weight.in, most),
                     .cols = std::min(weight.out, most),
                     .of = Stage::query_weight};
  matrix.values = collect(matrix.rows, matrix.cols, [&](Index row, Index col) { return weight.at(col, row); });
  fit_signed_range(matrix);
  return matrix;
}

TeachingViewSubject with_head(TeachingViewSubject subject, Index head) {
  subject.head = head;
  return subject;
}

std::vector<std::string> head_names(Index count) {
  std::vector<std::string> names;
  for (Index head = 1; head <= count; ++head) names.push_back(fmt::format("head {}", head));
  return names;
}

std::string query_name(const TeachingViewSubject& subject, Index query) {
  const std::vector<std::string>& labels = subject.query_labels ? *subject.query_labels : subject.labels;
  const bool is_token = query_count(subject.result.config) == std::ssize(labels);
  return is_token ? labels[static_cast<std::size_t>(query)] : fmt::format("query {}", query + 1);
}

std::string key_name(const TeachingViewSubject& subject, Index key) {
  const bool is_token = key < std::ssize(subject.labels);
  return is_token ? subject.labels[static_cast<std::size_t>(key)] : fmt::format("key {}", key + 1);
}

std::vector<std::string> query_names(const TeachingViewSubject& subject, const CellRect& window) {
  std::vector<std::string> names;
  for (Index i = 0; i < window.rows; ++i) names.push_back(query_name(subject, window.row + i));
  return names;
}

std::vector<std::string> key_names(const TeachingViewSubject& subject, const CellRect& window) {
  std::vector<std::string> names;
  for (Index i = 0; i < window.cols; ++i) names.push_back(key_name(subject, window.col + i));
  return names;
}

BoardMatrix square(const TeachingViewSubject& subject, const CellRect& window, std::string title,
                   std::vector<float> values) {
  const std::size_t count = values.size();
  return {.title = std::move(title),
          .rows = window.rows,
          .cols = window.cols,
          .values = std::move(values),
          .marks = std::vector<BoardMark>(count),
          .row_labels = query_names(subject, window),
          .column_labels = key_names(subject, window),
          .marked_row = subject.query - window.row};
}

BoardMatrix stage_matrix(const TeachingViewSubject& subject, const CellRect& window, std::string title, Stage stage) {
  BoardMatrix matrix = square(subject, window, std::move(title), read_window(subject, stage, window));
  matrix.first =
      Source{.stage = stage, .batch = subject.batch, .head = subject.head, .row = window.row, .col = window.col};
  return matrix;
}

void mark_hidden(BoardMatrix& matrix, const Visibility& seen, const CellRect& window) {
  matrix.marks.resize(matrix.values.size());
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      matrix.marks[static_cast<std::size_t>(row * matrix.cols + col)].is_hidden =
          seen.hides(window.row + row, window.col + col);
    }
  }
}

void fit_signed_range(BoardMatrix& matrix) {
  matrix.is_signed = true;
  matrix.high = 0;
  for (const float value : matrix.values) {
    if (std::isfinite(value)) matrix.high = std::max(matrix.high, std::abs(value));
  }
  if (matrix.high < 1e-6F) matrix.high = 1;  // all numbers are rounding errors
}

bool has_mask(const AttentionConfig& config) { return visibility(config).hides_any(query_count(config)); }

Visibility shown_mask(const AttentionConfig& config) {
  if (has_mask(config)) return visibility(config);
  AttentionConfig causal = config;
  causal.mask = MaskRoute::causal;
  return visibility(causal);
}

bool hides_all_later(const Visibility& seen, const AttentionConfig& config) {
  const MaskSize size{query_count(config), key_count(config), config.mask_alignment};
  for (Index query = 0; query < size.queries; ++query) {
    const KeyRange keys = seen.of(query);
    if (!keys.is_empty() && keys.last > size.own_key(query) + 1) return false;
  }
  return true;
}

std::vector<double> softmax(const std::vector<double>& scores) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) largest = std::max(largest, score);
  std::vector<double> shares(scores.size(), 0);
  if (!std::isfinite(largest)) return shares;
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) sum += shares[i] = std::exp(scores[i] - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

double entropy_bits(const std::vector<double>& shares) {
  double bits = 0;
  for (const double share : shares) {
    if (share > 0) bits -= share * std::log2(share);
  }
  return bits;
}

double effective_keys(const std::vector<float>& weights) {
  const double sum = sum_of(weights);
  std::vector<double> shares = as_double(weights);
  for (double& share : shares) share = sum > 0 ? share / sum : 0;
  return sum > 0 ? std::exp2(entropy_bits(shares)) : 0;
}

Index count_dropped(const std::vector<float>& factors, const Visibility& seen, Index row) {
  Index dropped = 0;
  for (Index key = 0; key < std::ssize(factors); ++key)
    dropped += factors[static_cast<std::size_t>(key)] == 0 && !seen.hides(row, key) ? 1 : 0;
  return dropped;
}

std::vector<double> as_double(const std::vector<float>& values) { return {values.begin(), values.end()}; }

std::vector<float> as_float(const std::vector<double>& values) {
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

double sum_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum;
}

double dot(const float* left, const float* right, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  return sum;
}

std::string number(double value, int decimals) { return format_fixed(value, decimals); }

double as_written(double value, int decimals) { return std::stod(fmt::format("{:.{}f}", value, decimals)); }

int decimals_that_give(double result, int least, const std::function<double(int decimals)>& computed) {
  constexpr int most = 7;  // of a float
  int decimals = least;
  while (decimals < most && number(computed(decimals), least) != number(result, least)) ++decimals;
  return decimals;
}

std::string small_number(double value) {
  if (value == 0 || std::abs(value) >= 0.001) return number(value, value == 0 ? 0 : 3);
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
  std::string raised;
  for (const char digit : std::to_string(-power)) raised += digits[digit - '0'];
  return fmt::format("{} × 10⁻{}", number(value / std::pow(10, power), 1), raised);
}

std::string counted(Index count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

BoardControl slider(std::string id, std::string label, double value, double low, double high, std::string help) {
  return {.id = std::move(id),
          .label = std::move(label),
          .value = value,
          .low = low,
          .high = high,
          .help = std::move(help)};
}

}  // namespace attnscope
