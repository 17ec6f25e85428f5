#pragma once

#include <array>
#include <bitset>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace attnscope {

// Every named result of an evaluation, in the order in which it is computed.
enum class Stage {
  inputs,
  queries,
  keys,
  values,
  scores,
  mask,
  masked_scores,
  scaled_scores,
  weights,
  masked_weights,
  renormalized_weights,
  dropout_factors,
  dropped_weights,
  head_context,
  context,
  output,
};

enum class StageAxes {
  token_feature,       // (B, T, d): inputs, context, output
  head_token_feature,  // (B, H, T, head_dim): queries, keys, values, head context
  query_key,           // (T, T): mask
  head_query_key,      // (B, H, T, T)
};

enum class StageRange {
  probability,   // sequential colours from 0 to 1, or to 1/(1-p) after dropout
  signed_value,  // diverging colours centred on 0
  boolean,       // masked or not
  factor,        // sequential colours from 0 to 1/(1-p)
};

// One row of the table that describes the stages; adding a stage adds its function, its enumerator and its row.
struct StageInfo {
  Stage stage;
  std::string_view id;       // name in files: "masked_scores"
  std::string_view title;    // name on the screen: "masked scores"
  std::string_view symbol;   // short mathematical symbol, UTF-8: "S"
  std::string_view latex;    // the same in LaTeX's math mode
  std::string_view formula;  // how it follows from the stages before it, UTF-8
  std::string_view pytorch;  // the PyTorch line it equals
  std::string_view shape;    // in the letters B, T, H, d_in, d_out, head_dim
  StageAxes axes;
  StageRange range;
};

std::span<const StageInfo> stages();
const StageInfo& info(Stage stage);
std::optional<Stage> stage_named(std::string_view id);
constexpr int stage_count = 16;

// Something for each stage.
template <typename Value>
class StageMap {
public:
  Value& operator[](Stage key) { return values_[static_cast<std::size_t>(key)]; }
  const Value& operator[](Stage key) const { return values_[static_cast<std::size_t>(key)]; }

private:
  std::array<Value, stage_count> values_{};
};

class StageSet {
public:
  StageSet() = default;
  StageSet(std::initializer_list<Stage> keys) {
    for (const Stage key : keys) add(key);
  }

  bool contains(Stage key) const { return stages_[static_cast<std::size_t>(key)]; }
  bool is_empty() const { return stages_.none(); }
  void add(Stage key) { stages_.set(static_cast<std::size_t>(key)); }
  bool operator==(const StageSet&) const = default;

private:
  std::bitset<stage_count> stages_;
};

constexpr bool is_query_by_key(StageAxes axes) {
  return axes == StageAxes::query_key || axes == StageAxes::head_query_key;
}

}  // namespace attnscope
