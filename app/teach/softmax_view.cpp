#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

// Returns the keys that softmax reads; a later mask hides none from it.
Visibility seen_by_softmax(const TeachingViewSubject& subject) {
  return visibility(subject.result.config, Stage::weights);
}

// Returns the scores that softmax reads, divided by a temperature; hidden ones are minus infinity.
std::vector<double> read_scores(const TeachingViewSubject& subject, Index row, double temperature) {
  std::vector<double> scores = softmax_scores(subject, row, static_cast<double>(score_scale(subject.result.config)));
  const Visibility seen = seen_by_softmax(subject);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    scores[key] /= temperature;
    if (seen.hides(row, static_cast<Index>(key))) scores[key] = -std::numeric_limits<double>::infinity();
  }
  return scores;
}

BoardBars bars_of(const TeachingViewSubject& subject, const CellRect& window, const char* title, const char* caption,
                  const std::vector<double>& values, bool has_infinities = false) {
  BoardBars bars{.title = title, .caption = caption, .labels = key_names(subject, window)};
  BoardBars::Part part;
  const Visibility seen = seen_by_softmax(subject);
  for (Index col = 0; col < window.cols; ++col) {
    part.values.push_back(static_cast<float>(values[static_cast<std::size_t>(window.col + col)]));
    // A hidden key has the score −∞, so that its exponential and its share are 0 like any other number.
    if (has_infinities) bars.marks.push_back({.is_hidden = seen.hides(subject.query, window.col + col)});
  }
  bars.parts.push_back(std::move(part));
  return bars;
}

// Says what softmax makes of a row, also of one whose keys are all hidden.
void say_shares(Board& board, const TeachingViewSubject& subject, const std::vector<double>& shares, double sum) {
  const std::string query = query_name(subject, subject.query);
  if (sum == 0) {
    board.headline = fmt::format("“{}” has nothing to share out: every key is hidden from it.", query);
    board.details =
        "Its row is 0 here. In PyTorch it is NaN: softmax subtracts the row's largest score, and −∞ − (−∞) "
        "is not a number.";
    return;
  }
  const auto largest = std::ranges::max_element(shares) - shares.begin();
  board.headline =
      fmt::format(fmt::runtime(normalizes_by_sum(subject.result.config)
                                   ? "With softmax, “{}” would give “{}” the largest share, {}."
                                   : "“{}” gives “{}” the largest share, {}; the shares of its row sum to 1."),
                  query, key_name(subject, largest), number(shares[static_cast<std::size_t>(largest)]));
  board.details = fmt::format(
      "The row's largest score is subtracted from each; e to the power of the result is divided by the sum of all of "
      "these, {}. The row is as uncertain as one of {} equal shares (2 to the power of its entropy).",
      number(sum), number(std::exp2(entropy_bits(shares)), 1));
}

// Softmax over rows, and over columns, which is wrong.
struct BothAxes {
  BoardMatrix rows;
  BoardMatrix columns;
};

BothAxes both_axes(const TeachingViewSubject& subject, const CellRect& window, double temperature) {
  const AttentionConfig& config = subject.result.config;
  std::vector<std::vector<double>> scores;
  for (Index row = 0; row < query_count(config); ++row) {
    if (subject.stop.stop_requested()) throw Cancelled{};
    scores.push_back(read_scores(subject, row, temperature));
  }
  std::vector<float> right;
  std::vector<float> wrong(static_cast<std::size_t>(window.rows * window.cols));
  std::vector<float> right_sums;
  for (Index row = 0; row < window.rows; ++row) {
    const std::vector<double> shares = softmax(scores[static_cast<std::size_t>(window.row + row)]);
    right_sums.push_back(static_cast<float>(sum_of(as_float(shares))));
    for (Index col = 0; col < window.cols; ++col)
      right.push_back(static_cast<float>(shares[static_cast<std::size_t>(window.col + col)]));
  }
  std::vector<double> wrong_sums(scores.size(), 0);
  for (Index key = 0; key < key_count(config); ++key) {
    std::vector<double> column;
    for (const std::vector<double>& row : scores) column.push_back(row[static_cast<std::size_t>(key)]);
    const std::vector<double> shares = softmax(column);
    for (std::size_t row = 0; row < shares.size(); ++row) wrong_sums[row] += shares[row];
    if (key < window.col || key >= window.col + window.cols) continue;
    for (Index row = 0; row < window.rows; ++row)
      wrong[static_cast<std::size_t>(row * window.cols + key - window.col)] =
          static_cast<float>(shares[static_cast<std::size_t>(window.row + row)]);
  }
  BothAxes both{square(subject, window, "softmax over keys: dim=-1", std::move(right)),
                square(subject, window, "softmax over queries: dim=-2", std::move(wrong))};
  both.rows.caption = "right: each row sums to 1";
  both.columns.caption = "wrong: each column does";
  both.rows.row_sums = std::move(right_sums);
  for (Index row = 0; row < window.rows; ++row)
    both.columns.row_sums.push_back(static_cast<float>(wrong_sums[static_cast<std::size_t>(window.row + row)]));
  for (BoardMatrix* const matrix : {&both.rows, &both.columns}) mark_hidden(*matrix, seen_by_softmax(subject), window);
  return both;
}

}  // namespace

void build_softmax(Board& board, const TeachingViewSubject& subject) {
  const double temperature = std::clamp(subject.choice.value("temperature", 1), 0.1, 10.0);
  const CellRect window = window_of(subject, 8);
  note_window(board, subject, window);
  const std::vector<double> scores = read_scores(subject, subject.query, temperature);
  const std::vector<double> shares = softmax(scores);
  const double largest_score = *std::ranges::max_element(scores);
  std::vector<double> exponentials = scores;
  double sum = 0;
  for (double& each : exponentials) sum += each = std::isfinite(largest_score) ? std::exp(each - largest_score) : 0;
  say_shares(board, subject, shares, sum);
  if (temperature != 1)
    board.details +=
        fmt::format(" Scores are divided by a temperature of {}: below 1 makes the shares sharper, above 1 flatter.",
                    number(temperature));
  BoardBars score_bars = bars_of(subject, window, "scores", "scaled, and divided by the temperature", scores, true);
  for (float& value : score_bars.parts[0].values) value = std::isfinite(value) ? value : 0;
  BoardBars exponential_bars = bars_of(subject, window, "exponentials", "e^(score − the row's largest)", exponentials);
  BoardBars share_bars = bars_of(subject, window, "shares", "divided by their sum", shares);
  exponential_bars.high = share_bars.high = 1;  // both share one axis
  BothAxes both = both_axes(subject, window, temperature);
  board.lines.push_back(
      {std::move(score_bars), BoardSign{"→"}, std::move(exponential_bars), BoardSign{"→"}, std::move(share_bars)});
  board.lines.push_back({std::move(both.rows), std::move(both.columns),
                         BoardText{"Why the axis matters",
                                   "Each query divides its attention among the keys, so its row must sum to 1. Along "
                                   "the other axis each key would be divided among the queries: a row could sum to "
                                   "anything, and its context vector would no longer be an average of values."}});
  board.controls.push_back(slider("temperature", "temperature", temperature, 0.1, 10,
                                  "Scores are divided by it before softmax: 1 is what the document does"));
  board.controls.back().is_logarithmic = true;
}

}  // namespace attnscope
