#pragma once

#include "core/difference.h"
#include "core/evaluate.h"
#include "core/execution.h"
#include "core/matrix.h"
#include "core/visibility.h"

#include <array>
#include <utility>
#include <vector>

namespace attnscope {

// A matrix of a result.
struct MatrixPlace {
  const Result& result;
  Stage stage;
  Index matrix;

  Index rows() const { return query_count(result.config); }
  Index cols() const { return key_count(result.config); }
  std::size_t row_index(Index row) const { return static_cast<std::size_t>(matrix * rows() + row); }
  Visibility seen() const { return visibility(result, stage); }
  bool hides_any() const { return seen().hides_any(rows()); }
};

// The sum of a row of scores is the query times the sum of the keys: all of them, or those that it sees. Each is made
// when it is asked for.
class ScoreSums {
public:
  explicit ScoreSums(Execution execution) : execution_(std::move(execution)) {}

  const std::vector<double>& of(const MatrixPlace& source) {
    std::vector<double>& sums = sums_.at(source.hides_any() ? 1 : 0);
    if (sums.empty()) add(sums, source);
    return sums;
  }

private:
  void add(std::vector<double>& sums, const MatrixPlace& source) const {
    const AttentionConfig& config = source.result.config;
    const auto queries = eigen(*source.result.find(queries_stage(config)), source.matrix);
    const auto keys = eigen(*source.result.find(keys_stage(config)), key_value_matrix(config, source.matrix));
    const Visibility visible = source.seen();
    Eigen::RowVectorXd key_sum = Eigen::RowVectorXd::Zero(keys.cols());
    const auto add_keys = [&](const KeyRange& range, double sign) {
      for (Index key = range.first; key < range.last; ++key) key_sum += sign * keys.row(key).cast<double>();
    };
    for (Index row = 0; row < queries.rows(); ++row) {
      check_stop(execution_);
      for_each_seen_only_by(row, row - 1, visible, [&](const KeyRange& range) { add_keys(range, 1); });
      for_each_seen_only_by(row - 1, row, visible, [&](const KeyRange& range) { add_keys(range, -1); });
      sums.push_back(queries.row(row).cast<double>().dot(key_sum));
    }
  }

  // Neighbours see almost the same. Query -1, before the first, sees no key.
  template <typename Work>
  static void for_each_seen_only_by(Index query, Index other, const Visibility& visible, const Work& work) {
    if (query < 0) return;
    for_each_seen(visible, query, 0, visible.keys, [&](const KeyRange& seen) {
      other < 0 ? work(seen) : for_each_hidden(visible, other, seen.first, seen.last, work);
    });
  }

  Execution execution_;
  std::array<std::vector<double>, 2> sums_;  // of all keys; of those that are seen
};

}  // namespace attnscope
