#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

// The three ways of a row from scores to weights.
struct Routes {
  std::vector<double> before;  // shares with −∞ before softmax
  std::vector<double> after;   // shares of all keys, hidden ones then times 0
  std::vector<double> again;   // `after` divided by the row's sum
  double kept = 0;             // share of softmax that visible keys get
  double lost = 0;             // share of softmax that hidden keys take
};

Routes routes_of(const TeachingViewSubject& subject, const Visibility& seen, Index row) {
  std::vector<double> scores = softmax_scores(subject, row, static_cast<double>(score_scale(subject.result.config)));
  Routes routes;
  routes.after = softmax(scores);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    const bool is_hidden = seen.hides(row, static_cast<Index>(key));
    (is_hidden ? routes.lost : routes.kept) += routes.after[key];
    if (!is_hidden) continue;
    scores[key] = -std::numeric_limits<double>::infinity();
    routes.after[key] = 0;
  }
  routes.before = softmax(scores);
  routes.again = routes.after;
  for (double& weight : routes.again) weight = routes.kept > 0 ? weight / routes.kept : 0;
  return routes;
}

// Says what each route makes of the row of the view's query.
std::string row_words(const TeachingViewSubject& subject, const Visibility& seen, const Routes& row) {
  const std::string query = query_name(subject, subject.query);
  const Index count = seen.count(subject.query);
  if (count == key_count(subject.result.config))
    return fmt::format("No key is hidden from “{}”, so its row is the same on all three.", query);
  if (count == 0)
    return fmt::format(
        "Every key is hidden from “{}”, and nothing is left on any of them. PyTorch makes such a row NaN before "
        "softmax, "
        "where it computes −∞ − (−∞), and when it is divided by its sum, 0 / 0.",
        query);
  return fmt::format(
      "Softmax over all keys gives the keys that are hidden from “{}” {} of the weight. Set to 0 afterwards, they "
      "leave a row that sums to {}; divided by that sum, it equals the row that −∞ before softmax gives.",
      query, number(row.lost), number(row.kept));
}

BoardMatrix route_matrix(const TeachingViewSubject& subject, const CellRect& window, const Visibility& seen,
                         const char* title, const char* caption, std::vector<float> cells) {
  BoardMatrix matrix = square(subject, window, title, std::move(cells));
  matrix.caption = caption;
  mark_hidden(matrix, seen, window);
  return matrix;
}

}  // namespace

void build_mask_routes(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const CellRect window = window_of(subject, 8);
  note_window(board, subject, window);
  std::vector<Routes> routes;
  double largest = 0;  // largest difference of `before` and `again`
  for (Index row = 0; row < window.rows; ++row) {
    const Routes& route = routes.emplace_back(routes_of(subject, seen, window.row + row));
    for (Index key = window.col; key < window.col + window.cols; ++key) {
      const auto at = static_cast<std::size_t>(key);
      largest = std::max(largest, std::abs(route.before[at] - route.again[at]));
    }
  }
  const auto most = std::ranges::max_element(routes, {}, &Routes::lost);
  const auto cells_of = [&](std::vector<double> Routes::*way) {
    return collect(window.rows, window.cols, [&](Index row, Index col) {
      return (routes[static_cast<std::size_t>(row)].*way)[static_cast<std::size_t>(window.col + col)];
    });
  };
  const auto matrix = [&](const char* title, const char* caption, std::vector<double> Routes::*way) {
    BoardMatrix one = route_matrix(subject, window, seen, title, caption, cells_of(way));
    for (const Routes& route : routes) one.row_sums.push_back(static_cast<float>(sum_of(as_float(route.*way))));
    return one;
  };
  const auto difference = [&](const char* title, const char* caption, std::vector<double> Routes::*way) {
    std::vector<float> cells = cells_of(&Routes::before);
    std::ranges::transform(cells, cells_of(way), cells.begin(), std::minus());
    BoardMatrix one = route_matrix(subject, window, seen, title, caption, std::move(cells));
    fit_signed_range(one);
    return one;
  };
  const bool is_assumed = !has_mask(config);
  board.headline = fmt::format("{} before softmax equals masking after it and renormalizing.",
                               is_assumed ? "With a causal mask, masking" : "Masking");
  board.details =
      fmt::format("{}{} No weight of routes 1 and 3 differs by more than {}. The row of “{}” loses most, {}.",
                  is_assumed ? "This document has no mask; a causal one is assumed. " : "",
                  row_words(subject, seen, routes[static_cast<std::size_t>(subject.query - window.row)]),
                  small_number(largest), query_name(subject, window.row + (most - routes.begin())), number(most->lost));
  board.lines.push_back({matrix("1  −∞ before softmax", "masked_fill, then softmax", &Routes::before),
                         matrix("2  × 0 after softmax", "softmax, then weights × tril", &Routes::after),
                         matrix("3  … and divided by its sum", "2 / its row sum", &Routes::again)});
  board.lines.push_back({difference("first − third", "nothing is left but rounding", &Routes::again),
                         difference("first − second", "what the second lacks without renormalizing", &Routes::after),
                         BoardText{"Which one PyTorch uses",
                                   "Route 1. In the book's mask, 1 means hidden (triu, masked_fill). The attn_mask of "
                                   "PyTorch's scaled_dot_product_attention is the other way round where it is of "
                                   "booleans: True means that the key takes part."}});
}

}  // namespace attnscope
