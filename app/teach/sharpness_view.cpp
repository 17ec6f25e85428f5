#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr Index most_sharp_heads = 8;

struct Measured {
  float entropy = 0;  // bits
  float keys = 0;     // 2 to the entropy: as many equal keys
  float first = 0;    // share of the first token
};

Measured measure(const std::vector<float>& row) {
  const double keys = effective_keys(row);
  return {static_cast<float>(keys > 0 ? std::log2(keys) : 0), static_cast<float>(keys), row.front()};
}

// Returns the weights that scores `factor` times as large would give: softmax turns a factor into a power. Shares of a
// plain sum do not change.
std::vector<float> sharpened(const AttentionConfig& config, const std::vector<float>& row, double factor) {
  if (normalizes_by_sum(config)) return row;
  const double largest = static_cast<double>(std::ranges::max(row));
  std::vector<double> shares;
  double sum = 0;
  for (const float weight : row)
    sum += shares.emplace_back(largest > 0 ? std::pow(static_cast<double>(weight) / largest, factor) : 0);
  for (double& share : shares) share = sum > 0 ? share / sum : 0;
  return as_float(shares);
}

// Returns bars for each query: the number of keys that it sees, and its effective keys.
BoardBars bars_of(const TeachingViewSubject& subject, const CellRect& window, Stage stage, double factor) {
  const Visibility seen = visibility(subject.result.config);
  BoardBars bars{.title = "How many keys each query looks at",
                 .caption = fmt::format("head {}; effective keys: 2 to the power of the entropy", subject.head + 1),
                 .labels = query_names(subject, window),
                 .decimals = 1};
  BoardBars::Part all{.name = "keys that it sees", .tint = neutral_tint};
  BoardBars::Part own{.name = "effective keys"};
  BoardBars::Part sharp{.name = fmt::format("… with scores × {}", number(factor, 0)), .tint = 1};
  for (Index row = window.row; row < window.row + window.rows; ++row) {
    const std::vector<float> weights = read_row(subject, stage, row);
    all.values.push_back(static_cast<float>(seen.count(row)));
    own.values.push_back(measure(weights).keys);
    sharp.values.push_back(measure(sharpened(subject.result.config, weights, factor)).keys);
  }
  bars.parts = {std::move(all), std::move(own), std::move(sharp)};
  return bars;
}

}  // namespace

void build_sharpness(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.imported ? Stage::weights : normalized_weights_stage(config);
  const CellRect window = window_of(subject, 8);
  const Index heads = std::min(head_count(config), most_sharp_heads);
  const double factor = std::clamp(subject.choice.value("factor", 10), 1.0, 100.0);
  BoardMatrix entropy{.title = "entropy, in bits", .caption = "0: one key has all the weight"};
  BoardMatrix keys{.title = "effective keys", .caption = "of every head"};
  BoardMatrix first{.title = "weight of the first token", .caption = "of every head"};
  BoardMatrix* const all[] = {&entropy, &keys, &first};
  for (BoardMatrix* const each : all) {
    each->rows = window.rows;
    each->cols = heads;
    each->row_labels = query_names(subject, window);
    each->marked_row = subject.query - window.row;
    each->column_labels = head_names(heads);
  }
  for (Index row = 0; row < window.rows; ++row) {
    for (Index head = 0; head < heads; ++head) {
      const Measured measured = measure(read_row(with_head(subject, head), stage, window.row + row));
      entropy.values.push_back(measured.entropy);
      keys.values.push_back(measured.keys);
      first.values.push_back(measured.first);
    }
  }
  entropy.high = std::log2(static_cast<float>(key_count(config)));
  keys.low = 1;
  keys.high = static_cast<float>(key_count(config));
  if (entropy.high == 0) entropy.high = keys.high = 2;
  const std::vector<float> own = read_row(subject, stage, subject.query);
  const Measured measured = measure(own);
  const Visibility seen = visibility(config);
  const std::string query = query_name(subject, subject.query);
  const Index seen_keys = seen.count(subject.query);
  board.headline = seen_keys == 0
                       ? fmt::format("“{}” looks at nothing: every key is hidden from it.", query)
                       : fmt::format("“{}” spreads its weight over {} of {}; scores × {} make it {}.", query,
                                     number(measured.keys, 1), counted(seen_keys, "key", "keys"), number(factor, 0),
                                     number(measure(sharpened(config, own, factor)).keys, 1));
  board.details = fmt::format(
      "“Effective keys” says as how many equal weights the weights of a row count; the row of “{}” has an entropy of "
      "{} bits.{}",
      query, number(measured.entropy),
      has_mask(config) && seen.count(0) == 1
          ? " A mask keeps early rows sharp: the first one has a single key to choose from."
          : "");
  if (window.rows < query_count(config) || heads < head_count(config))
    board.note = fmt::format("Shown are queries {} to {} of {} and {} of {} heads.", window.row + 1,
                             window.row + window.rows, query_count(config), heads, head_count(config));
  board.lines.push_back({bars_of(subject, window, stage, factor)});
  board.lines.push_back({std::move(keys), std::move(entropy), std::move(first)});
  board.controls.push_back(slider("factor", "scores ×", factor, 1, 100,
                                  "Shows how sharp the weights would be if every score were so many times as large"));
  board.controls.back().is_logarithmic = board.controls.back().is_whole = true;
}

}  // namespace attnscope
