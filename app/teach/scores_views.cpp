#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "core/text.h"
#include "core/visibility.h"
#include "teach/teaching_view_support.h"

// Teaching views of scores: why they are divided by √head_dim, and which of their axes is the query.
namespace attnscope {
namespace {

constexpr Index random_queries = 48;
constexpr Index largest_head_dim = 1024;
constexpr Index most_rows = 256;  // so many rows of the document are averaged

// The result of softmax on rows of scores, averaged over them.
struct Sharp {
  double variance = 0;  // variance of the scores of a row
  double largest = 0;   // largest weight
  double entropy = 0;   // bits
  double gradient = 0;  // the trace of softmax's Jacobian: the sum of w · (1 − w)
  Index rows = 0;

  void add(const std::vector<double>& scores) {  // takes the visible ones, two or more
    const double count = static_cast<double>(scores.size());
    double mean = 0;
    for (const double score : scores) mean += score / count;
    for (const double score : scores) variance += (score - mean) * (score - mean) / (count - 1);  // as torch.var
    const std::vector<double> shares = softmax(scores);
    largest += *std::ranges::max_element(shares);
    entropy += entropy_bits(shares);
    for (const double share : shares) gradient += share * (1 - share);
    ++rows;
  }
  Sharp mean() const {
    const auto count = static_cast<double>(std::max<Index>(rows, 1));
    return {variance / count, largest / count, entropy / count, gradient / count, rows};
  }
};

struct Both {
  Sharp plain;
  Sharp scaled;
};

// Returns averages over random queries and keys, which are standard normal numbers.
Both of_random(Index head_dim, Index keys, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<float> numbers(static_cast<std::size_t>((random_queries + keys) * head_dim));
  fill_randn(numbers, generator, {Backend::serial, 1, {}});
  const float* const first_key = numbers.data() + random_queries * head_dim;
  Both both;
  for (Index query = 0; query < random_queries; ++query) {
    std::vector<double> scores;
    for (Index key = 0; key < keys; ++key)
      scores.push_back(dot(numbers.data() + query * head_dim, first_key + key * head_dim, head_dim));
    both.plain.add(scores);
    for (double& score : scores) score /= std::sqrt(static_cast<double>(head_dim));
    both.scaled.add(scores);
  }
  return {both.plain.mean(), both.scaled.mean()};
}

// Returns the scores of the keys that softmax reads.
std::vector<double> seen_scores(const TeachingViewSubject& subject, const Visibility& seen, Index row, double factor) {
  std::vector<double> scores;
  Index key = 0;
  for (const double score : softmax_scores(subject, row, factor)) {
    if (!seen.hides(row, key++) && std::isfinite(score)) scores.push_back(score);
  }
  return scores;
}

Both of_document(const TeachingViewSubject& subject, double scale) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = visibility(config, Stage::weights);  // the mask that softmax reads
  Both both;
  const Index step = std::max<Index>(1, query_count(config) / most_rows);
  for (Index row = 0; row < query_count(config); row += step) {
    if (subject.stop.stop_requested()) throw Cancelled{};
    const std::vector<double> plain = seen_scores(subject, seen, row, 1);
    if (plain.size() < 2) continue;
    both.plain.add(plain);
    both.scaled.add(seen_scores(subject, seen, row, scale));
  }
  return {both.plain.mean(), both.scaled.mean()};
}

// Names the steps that only the points of the document have, not those of random numbers.
std::string steps_beyond(const AttentionConfig& config) {
  if (!config.softcap && !has_bias(config)) return "";
  const char* const what = !config.softcap    ? "adds a bias to its scores"
                           : has_bias(config) ? "caps its scores and adds a bias"
                                              : "caps its scores";
  return fmt::format(" This document {}: its points are of scores with that, the curves without.", what);
}

struct Quantity {
  const char* title;
  double Sharp::*value;
  bool is_log;
};
constexpr Quantity quantities[] = {{"largest weight of a row", &Sharp::largest, false},
                                   {"variance of the scores of a row", &Sharp::variance, true},
                                   {"entropy of a row, in bits", &Sharp::entropy, false},
                                   {"softmax's gradient: sum of w · (1 − w)", &Sharp::gradient, false}};

}  // namespace

Index random_keys(const AttentionConfig& config) { return std::clamp<Index>(key_count(config), 8, 64); }

RandomScaling random_scaling(Index head_dim, Index keys, std::uint64_t seed) {
  const Both both = of_random(head_dim, keys, seed);
  return {both.plain.largest, both.scaled.largest};
}

void build_scaling(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const auto head_dim = static_cast<double>(stage_shape(config, queries_stage(config)).back());
  const Index keys = random_keys(config);
  std::vector<double> sizes;
  std::vector<Both> random;
  for (Index size = 1; size <= largest_head_dim; size *= 2) {
    if (subject.stop.stop_requested()) throw Cancelled{};
    sizes.push_back(static_cast<double>(size));
    random.push_back(of_random(size, keys, config.seed));
  }
  const Both own = of_document(subject, 1 / std::sqrt(head_dim));
  std::vector<BoardItem> line;
  for (const Quantity& quantity : quantities) {
    BoardPlot plot{.title = quantity.title,
                   .x_title = "head_dim",
                   .is_log_y = quantity.is_log,
                   .has_legend = line.empty() && board.lines.empty()};
    BoardCurve plain{.name = "without scaling", .x = sizes, .tint = 1};
    BoardCurve scaled{.name = "divided by √head_dim", .x = sizes, .tint = 0};
    for (const Both& both : random) {
      plain.y.push_back(both.plain.*quantity.value);
      scaled.y.push_back(both.scaled.*quantity.value);
    }
    plot.curves = {plain, scaled};
    const auto point = [&](const char* name, const Sharp& sharp, int tint) {
      plot.curves.push_back(
          {.name = name, .x = {head_dim}, .y = {sharp.*quantity.value}, .tint = tint, .is_point = true});
    };
    if (own.plain.rows > 0) {
      point("this document, without", own.plain, 1);
      point("this document, divided", own.scaled, 0);
    }
    line.emplace_back(std::move(plot));
    if (line.size() == 2) board.lines.push_back(std::exchange(line, {}));
  }
  const Both& widest = random.back();
  board.headline = fmt::format("At head_dim {} the largest weight is {} without scaling and {} with it.",
                               format_integer(static_cast<double>(largest_head_dim)), number(widest.plain.largest),
                               number(widest.scaled.largest));
  board.details = fmt::format(
      "A score adds up head_dim products, so its variance grows with head_dim: with random queries and keys it is {} "
      "at {}. Softmax then gives one key nearly all of the weight, and the gradient is {}. Divided by √head_dim, the "
      "scores have a variance of {} and softmax a gradient of {}.",
      number(widest.plain.variance, 0), largest_head_dim, number(widest.plain.gradient), number(widest.scaled.variance),
      number(widest.scaled.gradient));
  if (own.plain.rows > 0)
    board.details +=
        fmt::format(" This head has head_dim {} and a variance of {}, and {} after dividing.", number(head_dim, 0),
                    small_number(own.plain.variance), small_number(own.scaled.variance));
  board.note = fmt::format("Random: {} queries and {} keys of standard normal numbers, drawn with the document's seed.",
                           random_queries, keys) +
               steps_beyond(config);
}

namespace {

// Returns inputs times themselves: scores without weights.
std::vector<float> plain_scores(const TeachingViewSubject& subject, const CellRect& window) {
  const Index features = input_features(subject.result.config);
  const std::vector<float> inputs = read_window(subject, Stage::inputs, {window.row, 0, window.rows, features});
  return collect(window.rows, window.rows, [&](Index row, Index col) {
    return dot(inputs.data() + row * features, inputs.data() + col * features, features);
  });
}

std::vector<float> minus_transposed(const std::vector<float>& cells, Index side) {
  return collect(side, side, [&](Index row, Index col) {
    return cells[static_cast<std::size_t>(row * side + col)] - cells[static_cast<std::size_t>(col * side + row)];
  });
}

// Returns as many queries as keys, the same tokens, around the query.
CellRect square_window(const TeachingViewSubject& subject) {
  CellRect window = window_of(subject, 8);
  window.col = window.row;
  return window;
}

double largest_of(const std::vector<float>& cells) {
  double largest = 0;
  for (const float cell : cells) largest = std::max(largest, static_cast<double>(std::abs(cell)));
  return largest;
}

}  // namespace

std::pair<Index, Index> telling_pair(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const CellRect window = square_window(subject);
  const std::vector<float> scores = read_window(subject, Stage::scores, window);
  const std::vector<float> difference = minus_transposed(scores, window.rows);
  const Visibility seen = visibility(config);
  const auto can_be = [&](Index query, Index key) {
    return key != query && key >= window.col && key < window.col + window.cols && !seen.hides(query, key);
  };
  const auto chosen = static_cast<Index>(subject.choice.value("key", -1));
  if (can_be(subject.query, chosen)) return {subject.query, chosen};
  // The last query sees another key with every usual mask.
  const Index last = window.row + window.rows - 1;
  std::optional<std::pair<Index, Index>> best;
  double most = -1;
  for (const Index query : {std::min(subject.query, last), last}) {
    for (Index key = window.col; key < window.col + window.cols && !(best && best->first != query); ++key) {
      const auto cell = static_cast<std::size_t>((query - window.row) * window.cols + key - window.col);
      if (!can_be(query, key) || std::abs(static_cast<double>(difference[cell])) <= most) continue;
      most = std::abs(static_cast<double>(difference[cell]));
      best = {query, key};
    }
  }
  return best.value_or(std::pair(subject.query, subject.query == window.col ? window.col + 1 : window.col));
}

void build_symmetry(Board& board, const TeachingViewSubject& subject) {
  const CellRect window = square_window(subject);
  note_window(board, subject, window);
  BoardMatrix scores = stage_matrix(subject, window, "scores S = Q Kᵀ", Stage::scores);
  scores.caption = "row: the query; column: the key";
  BoardMatrix difference = square(subject, window, "S − Sᵀ", minus_transposed(scores.values, window.rows));
  const double largest = largest_of(difference.values);
  difference.caption = fmt::format("at most {}", small_number(largest));
  BoardMatrix plain = square(subject, window, "x xᵀ, without weights", plain_scores(subject, window));
  BoardMatrix none = square(subject, window, "x xᵀ − its transpose", minus_transposed(plain.values, window.rows));
  none.caption = "0: a · b is b · a";
  plain.caption = "each word with each other";
  // A question is about a pair of the query that somebody looks at, the view about the pair that differs most.
  const bool is_asked = window.rows > 1 && subject.choice.values.contains("key");
  const std::ptrdiff_t most = std::ranges::max_element(difference.values) - difference.values.begin();
  const auto [query, key] =
      is_asked ? telling_pair(subject) : std::pair(window.row + most / window.cols, window.col + most % window.cols);
  const auto cell = static_cast<std::size_t>((query - window.row) * window.cols + key - window.col);
  for (BoardMatrix* const each : {&scores, &difference, &plain, &none}) fit_signed_range(*each);
  if (largest > 1e-6 * largest_of(scores.values)) {
    difference.marks[cell].differs = true;
    const auto back = static_cast<std::size_t>((key - window.col) * window.cols + query - window.row);
    board.headline =
        fmt::format("Rows are queries: “{0}” scores “{1}” {2}, “{1}” scores “{0}” {3}.", query_name(subject, query),
                    key_name(subject, key), number(scores.values[cell]), number(scores.values[back]));
    board.details =
        "The two differ because W_query and W_key are not the same. Without weights both would be the same product, "
        "and the matrix would be its own transpose.";
  } else {
    board.headline = "Queries and keys are the same vectors here: the scores are their own transpose.";
    board.details =
        "So it makes no difference which of two tokens is the query. Separate weights for queries and keys change "
        "that.";
  }
  board.lines.push_back({std::move(scores), std::move(difference)});
  board.lines.push_back({std::move(plain), std::move(none)});
}

}  // namespace attnscope
