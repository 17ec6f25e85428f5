#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "teach/teaching_view_support.h"

namespace attnscope {
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

double largest_of(const std::vector<float>& cells) {
  double largest = 0;
  for (const float cell : cells) largest = std::max(largest, static_cast<double>(std::abs(cell)));
  return largest;
}

}  // namespace

void build_symmetry(Board& board, const TeachingViewSubject& subject) {
  CellRect window = window_of(subject, 8);
  window.col = window.row;
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
  const auto cell = static_cast<std::size_t>(std::ranges::max_element(difference.values) - difference.values.begin());
  const auto query = window.row + static_cast<Index>(cell) / window.cols;
  const auto key = window.col + static_cast<Index>(cell) % window.cols;
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
