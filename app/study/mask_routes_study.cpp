#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

// The three ways of a row from scores to weights.
struct Routes {
  std::vector<double> before;  // −∞ before softmax
  std::vector<double> after;   // softmax, then times 0 where hidden
  std::vector<double> again;   // and divided by the row's sum
  double lost = 0;             // what hidden keys took of softmax
};

Routes routes_of(const StudySubject& subject, const Visibility& seen, Index row) {
  std::vector<double> scores = softmax_scores(subject, row, static_cast<double>(score_scale(subject.result.config)));
  Routes routes;
  routes.after = softmax(scores);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    if (!seen.hides(row, static_cast<Index>(key))) continue;
    scores[key] = -std::numeric_limits<double>::infinity();
    routes.lost += std::exchange(routes.after[key], 0);
  }
  routes.before = softmax(scores);
  routes.again = routes.after;
  for (double& weight : routes.again) weight = routes.lost < 1 ? weight / (1 - routes.lost) : 0;
  return routes;
}

struct RouteMatrices {
  std::vector<float> before, after, again, difference, missing;
  std::vector<float> before_sums, after_sums, again_sums;
  double largest = 0;  // difference of the first and the third
};

void add_row(RouteMatrices& all, const Routes& routes, const StudyWindow& window) {
  const auto sum = [](const std::vector<double>& row) { return static_cast<float>(sum_of(as_float(row))); };
  all.before_sums.push_back(sum(routes.before));
  all.after_sums.push_back(sum(routes.after));
  all.again_sums.push_back(sum(routes.again));
  for (Index col = 0; col < window.cols; ++col) {
    const auto key = static_cast<std::size_t>(window.first_col + col);
    all.before.push_back(static_cast<float>(routes.before[key]));
    all.after.push_back(static_cast<float>(routes.after[key]));
    all.again.push_back(static_cast<float>(routes.again[key]));
    all.difference.push_back(all.before.back() - all.again.back());
    all.missing.push_back(all.before.back() - all.after.back());
    all.largest = std::max(all.largest, std::abs(routes.before[key] - routes.again[key]));
  }
}

}  // namespace

void build_mask_routes(Board& board, const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const StudyWindow window = window_of(subject, 8);
  note_window(board, subject, window);
  RouteMatrices all;
  double lost = 0;
  double lost_most = -1;
  Index most = 0;
  for (Index row = 0; row < window.rows; ++row) {
    const Routes routes = routes_of(subject, seen, window.first_row + row);
    add_row(all, routes, window);
    if (row + window.first_row == subject.query) lost = routes.lost;
    if (routes.lost > lost_most) std::tie(lost_most, most) = std::pair(routes.lost, window.first_row + row);
  }
  const auto matrix = [&](const char* title, const char* caption, std::vector<float>& values,
                          std::vector<float>* sums) {
    BoardMatrix one = square(subject, window, title, std::move(values));
    one.caption = caption;
    if (sums) one.row_sums = std::move(*sums);
    mark_hidden(one, seen, window);
    return one;
  };
  BoardMatrix difference = matrix("first − third", "nothing is left but rounding", all.difference, nullptr);
  fit_signed_range(difference);
  BoardMatrix missing = matrix("first − second", "what the second lacks without renormalizing", all.missing, nullptr);
  fit_signed_range(missing);
  const bool is_assumed = !has_mask(config);
  board.headline = fmt::format("{} before softmax equals masking after it and renormalizing.",
                               is_assumed ? "With a causal mask, masking" : "Masking");
  board.details = fmt::format(
      "{}Softmax over all keys gives the keys that are hidden from “{}” {} of the weight. Set to 0 afterwards, they "
      "leave a row that sums to {}; divided by that sum, it equals the row that −∞ before softmax gives. No weight of "
      "the "
      "two routes differs by more than {}. The row of “{}” loses most, {}.",
      is_assumed ? "This document has no mask; a causal one is assumed. " : "", query_name(subject, subject.query),
      number(lost), number(1 - lost), small_number(all.largest), query_name(subject, most), number(lost_most));
  board.lines.push_back({matrix("1  −∞ before softmax", "masked_fill, then softmax", all.before, &all.before_sums),
                         matrix("2  × 0 after softmax", "softmax, then weights × tril", all.after, &all.after_sums),
                         matrix("3  … and divided by its sum", "2 / its row sum", all.again, &all.again_sums)});
  board.lines.push_back(
      {std::move(difference), std::move(missing),
       BoardText{"Which one PyTorch uses",
                 "Route 1. In the book's mask, 1 means hidden (triu, masked_fill). The attn_mask of "
                 "PyTorch's scaled_dot_product_attention is the other way round where it is of booleans: "
                 "True means that the key takes part."}});
}

}  // namespace attnscope
