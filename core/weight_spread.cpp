#include "core/weight_spread.h"

#include "core/heads.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr Index most_matrices = 16;
constexpr Index fewest_matrices = 2;
constexpr Index numbers_read = Index{1} << 18;  // of the keys, which each matrix takes all of
constexpr Index cells_read = Index{1} << 14;

Index matrices_read(const AttentionConfig& config) {
  const Index affordable = numbers_read / (key_count(config) * head_features(config));
  return std::min(config.batch_size * head_count(config), std::clamp(affordable, fewest_matrices, most_matrices));
}

float quantile(std::vector<float>& numbers, double share) {
  if (numbers.empty()) return 1;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
  std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
  return numbers[static_cast<std::size_t>(at)];
}

void read_rows(std::vector<WeightRow>& rows, const Result& result, Stage stage, Index matrix, Index count) {
  const Index queries = query_count(result.config);
  const Index step = queries / count;
  const Index first = queries - 1 - (count - 1) * step;  // the last query sees the most keys
  const std::optional<CellBlock> held = held_block(result, stage, matrix);
  std::optional<HeadRows> computed;
  if (!held) computed.emplace(result, matrix, StageSet{stage}, Execution{Backend::serial, 1, {}});
  for (Index i = 0; i < count; ++i) {
    const Index query = first + i * step;
    if (held) rows.push_back({query, std::vector<float>(held->at(query, 0), held->at(query, 0) + held->cols)});
    if (!computed) continue;
    const TensorPtr row = computed->compute(query, 1, {})[stage];
    rows.push_back({query, std::vector<float>(row->values.begin(), row->values.end())});
  }
}

}  // namespace

WeightSpread weight_spread(const Result& result, Stage stage) {
  const Index count = result.config.batch_size * head_count(result.config);
  const Index matrices = matrices_read(result.config);
  const Index most = cells_read / (matrices * key_count(result.config));
  std::vector<WeightRow> rows;
  for (Index i = 0; i < matrices; ++i) {
    const Index matrix = i * count / matrices;
    if (has(result, stage, matrix))
      read_rows(rows, result, stage, matrix, std::clamp<Index>(most, 1, query_count(result.config)));
  }
  return weight_spread(rows, visibility(result.config, stage));
}

WeightSpread weight_spread(std::span<const WeightRow> rows, const Visibility& counted) {
  std::vector<float> relative;
  std::vector<float> present;
  for (const WeightRow& row : rows) {
    const auto keys_seen = static_cast<float>(counted.count(row.query));
    for_each_seen(counted, row.query, 0, std::ssize(row.weights), [&](const KeyRange& seen) {
      for (Index key = seen.first; key < seen.last; ++key) {
        const float weight = row.weights[static_cast<std::size_t>(key)];
        if (!std::isfinite(weight)) continue;
        relative.push_back(weight * keys_seen);
        if (weight > 0) present.push_back(weight);
      }
    });
  }
  WeightSpread spread{.counted = counted};
  spread.low = quantile(relative, 0.02);
  spread.high = quantile(relative, 0.999);
  spread.smallest = quantile(present, 0.02);
  spread.largest = quantile(present, 1);
  return spread;
}

Visibility keys_seen(std::span<const WeightRow> rows, Index keys) {
  const Visibility causal{.keys = keys, .last = 1};
  const auto is_nothing = [](float weight) { return weight == 0 || (std::isinf(weight) && weight < 0); };
  const bool is_causal = std::ranges::all_of(rows, [&](const WeightRow& row) {
    return std::ranges::all_of(row.weights.begin() + causal.of(row.query).last, row.weights.end(), is_nothing);
  });
  const bool says_something = std::ranges::any_of(rows, [&](const WeightRow& row) { return row.query + 1 < keys; });
  return is_causal && says_something ? causal : Visibility{.keys = keys};
}

}  // namespace attnscope
