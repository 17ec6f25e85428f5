#include "view/telling_cell.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/visibility.h"

namespace attnscope {
namespace {

constexpr Index most_cells = Index{1} << 16;  // more are computed only when somebody looks at them
constexpr Index sampled_rows = 8;
constexpr double least_excess = 1e-4;

Index cells_of_heads(const AttentionConfig& config) {
  return head_count(config) * query_count(config) * key_count(config);
}

// Calls visit(cell, excess, visible) for each visible cell of the rows that see `least_keys` keys or more; `excess` is
// what its weight exceeds an equal share by.
template <typename Visit>
void visit_shares(const Result& result, Index first_head, Index last_head, Index step, Index least_keys,
                  const Visit& visit) {
  const Visibility sees = visibility(result.config, Stage::weights);
  for (Index head = first_head; head < last_head; ++head) {
    for (Index row = step - 1; row < query_count(result.config); row += step) {
      const Index visible = std::min(sees.count(row), key_count(result.config));
      if (visible < least_keys) continue;
      const Source first{.stage = Stage::weights, .head = head, .row = row};
      const std::vector<float> weights = values_at(result, {first, key_count(result.config)});
      for (Index col = 0; col < key_count(result.config); ++col) {
        if (sees.hides(row, col)) continue;
        Source cell = first;
        cell.col = col;
        visit(cell, static_cast<double>(weights[static_cast<std::size_t>(col)]) - 1 / static_cast<double>(visible));
      }
    }
  }
}

std::optional<Source> largest_excess(const Result& result, Index first_head, Index last_head, Index step,
                                     Index least_keys) {
  std::optional<Source> best;
  double most = least_excess;
  visit_shares(result, first_head, last_head, step, least_keys, [&](const Source& cell, double excess) {
    if (!(excess > most)) return;
    most = excess;
    best = cell;
  });
  return best;
}

}  // namespace

std::optional<Source> most_telling_cell(const Result& result, std::optional<Index> head) {
  const AttentionConfig& config = result.config;
  if (result.imported || !has(result, Stage::weights)) return {};
  const bool is_large = cells_of_heads(config) > most_cells;
  if (is_large && !head) head = 0;
  const Index first = std::clamp<Index>(head.value_or(0), 0, head_count(config) - 1);
  const Index last = head ? first + 1 : head_count(config);
  const Index step = is_large ? std::max<Index>(1, query_count(config) / sampled_rows) : 1;
  if (const std::optional<Source> cell = largest_excess(result, first, last, step, 3)) return cell;
  const Visibility sees = visibility(config, Stage::weights);
  for (Index row = 0; row < query_count(config); ++row)
    if (std::min(sees.count(row), key_count(config)) >= 3) return {};
  return largest_excess(result, first, last, step, 2);
}

std::optional<double> telling_factor(const Result& result) {
  const AttentionConfig& config = result.config;
  if (result.imported || !has(result, Stage::weights) || cells_of_heads(config) > most_cells) return {};
  if (normalizes_by_sum(config)) return {};
  // Softmax makes shares of e to each score: their logarithms differ as the scores do.
  std::map<std::pair<Index, Index>, std::pair<double, double>> ends;  // the smallest and the largest share of each row
  visit_shares(result, 0, head_count(config), 1, 2, [&](const Source& cell, double) {
    const auto share = static_cast<double>(value_at(result, cell));
    if (share <= 0) return;
    const auto [found, is_new] = ends.try_emplace({cell.head, cell.row}, share, share);
    found->second.first = std::min(found->second.first, share);
    found->second.second = std::max(found->second.second, share);
  });
  double widest = 0;
  for (const auto& [row, shares] : ends) widest = std::max(widest, std::log(shares.second / shares.first));
  constexpr double wanted = 4;
  constexpr double least = 1e-5;
  if (widest < least) return {};
  const double factor = std::max(2.0, wanted / widest);
  const double power = std::pow(10, std::floor(std::log10(factor)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= factor) return digit * power;
  return 10 * power;
}

bool has_nearly_equal_shares(const Result& result, double by) {
  const AttentionConfig& config = result.config;
  if (result.imported || !has(result, Stage::weights) || cells_of_heads(config) > most_cells) return false;
  bool is_shared = false;
  bool is_equal = true;
  visit_shares(result, 0, head_count(config), 1, 2, [&](const Source&, double excess) {
    is_shared = true;
    is_equal &= std::abs(excess) <= by;
  });
  return is_shared && is_equal;
}

}  // namespace attnscope
