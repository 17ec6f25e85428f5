#pragma once

#include <array>
#include <bitset>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace attnscope {

struct AttentionConfig;
struct Execution;
struct Tensor;

// Every matrix that an evaluation has a name for: what is drawn or typed, then each result.
enum class Stage {
  inputs,
  query_weight,
  query_bias,
  key_weight,
  key_bias,
  value_weight,
  value_bias,
  output_weight,
  output_bias,
  query_gain,
  key_gain,
  queries,
  keys,
  values,
  normalized_queries,
  normalized_keys,
  rotated_queries,
  rotated_keys,
  scores,
  mask,
  masked_scores,
  scaled_scores,
  capped_scores,
  biased_scores,
  weights,
  masked_weights,
  renormalized_weights,
  dropout_factors,
  dropped_weights,
  head_context,
  context,
  output,
};
constexpr std::size_t stage_count = 32;

// A few stages, without memory of their own.
class StageList {
public:
  StageList() = default;
  StageList(std::initializer_list<Stage> stages) {
    for (const Stage stage : stages) add(stage);
  }

  void add(Stage stage) { stages_.at(count_++) = stage; }
  std::size_t size() const { return count_; }
  Stage operator[](std::size_t index) const { return stages_.at(index); }
  Stage back() const { return stages_.at(count_ - 1); }
  const Stage* begin() const { return stages_.data(); }
  const Stage* end() const { return stages_.data() + count_; }
  bool operator==(const StageList&) const = default;

private:
  std::array<Stage, stage_count> stages_{};
  std::size_t count_ = 0;
};

enum class StageAxes {
  token_feature,       // (B, T, d): inputs, context, output
  weight,              // (d_out, d_in), or (d_in, d_out) in v1; the wrapper has one for each head: (H, d_out, d_in)
  bias,                // (1, d_out), in the wrapper (H, 1, d_out); of a norm's gains (1, head_dim)
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

// The place of a stage in the diagram: a column of one of three bands. A stage without a column stands where it is
// used, above the stage that it is the right-hand operand of.
enum class Band { project, compare, mix };
struct StagePlace {
  Band band = Band::project;
  int column = -1;
  bool operator==(const StagePlace&) const = default;
};

// How one cell follows from those of the stages that its stage follows from. core/cell_rules.cpp computes it, and
// app/interchange/rule_code.cpp writes it as code.
enum class CellRule {
  start,            // from none: typed or drawn
  projection,       // a row of the first times the weights of an output feature, plus the bias
  rms_norm,         // the first, divided by the root mean square of its row, times the gain of its dimension
  rotate,           // the first and its partner in the row, turned by the position of their token
  query_times_key,  // a row of the first times a row of the second
  hide_or_not,      // 1 where the query may not see the key
  hide,             // the first, minus infinity where the second is 1
  step,             // a function of the first, the same for every cell: ScoreStep
  add_bias,         // the first, plus the bias of the cell
  normalize,        // softmax of the row, or its share of the row's sum
  keep_seen,        // the first, 0 where the second is 1
  share_of_row,     // the first, divided by the sum of its row
  keep_or_drop,     // 0 or 1/(1-p), as drawn
  product,          // the first times the second
  weighted_sum,     // a row of the first times a column of the second
  side_by_side,     // the first, the heads of a token in one row
};
constexpr std::size_t cell_rule_count = 16;

// How a single number came to be: a rule does one of several things to a cell. core/cell_rules.cpp has a row for each
// rule, app/words/operation_words.cpp one for each operation.
enum class Operation {
  typed,            // by the user
  drawn,            // drawn from the generator
  begun,            // 1, with which the gain of a norm begins
  learned,          // in training: read from a model's checkpoint
  normalized,       // a number of a model's residual stream, by the norm before its attention
  dot_product,      // sum of products of the first and the second operand, plus the third if there is one: a bias
  rms_normalized,   // first / second * third
  rotated,          // the first operand turned with the second, as rope_pair() says
  mask_rule,        // key after query
  masked,           // replaced by minus infinity
  copied,           // unchanged from the first operand
  step,             // as the stage's ScoreStep says
  add_bias,         // first + the document's bias of the cell
  nothing_left,     // 0, because every key of the row is hidden
  softmax,          // exp(first - second) / third
  share_of_sum,     // first / second
  product,          // first * second
  keep_seen,        // first * (1 - second)
  kept_or_dropped,  // the dropout factor, as drawn
  set_by_user,      // the dropout factor, as the user keeps or drops the weight
  switched_off,     // 0: of a head that is off
  row_maximum,      // the largest of the first operand
  row_sum,          // the sum of the first operand
  exponential_sum,  // the sum of exp(number of the first operand - second)
  row_rms,          // the root of the mean square of the first operand
  read,             // as another program left it
};
constexpr std::size_t operation_kinds = 26;

// A step from scores to scores that grows with them.
struct ScoreStep {
  bool (*acts)(const AttentionConfig&);     // else it leaves the scores as they are
  float (*amount)(const AttentionConfig&);  // the number beside the score: √head_dim
  float (*factor)(const AttentionConfig&);  // that it multiplies by; null where it is no multiplication
  void (*apply)(std::span<float> scores, const AttentionConfig&);
  void (*make)(Tensor& out, const Tensor& scores, const AttentionConfig&, const Execution&);  // core/attention.h
  // How it is written; {0} is the score before, {1} the amount, {2} what the code calls head_dim.
  std::string_view words;    // "Divided by √head_dim:"
  std::string_view why;      // a sentence: what it is good for
  std::string_view pytorch;  // "{0} / {2}**0.5"
  std::string_view numpy;
  std::string_view latex;
  std::string_view arithmetic;  // of the inspector
};

// A part of the configuration that a stage reads of its own, beside what it follows from.
struct ConfigPart {
  bool (*differs)(const AttentionConfig&, const AttentionConfig&);
  void (*copy)(AttentionConfig& to, const AttentionConfig& from);
};

// One row of the table that describes the stages; adding a stage adds its function, its enumerator and its row.
struct StageInfo {
  Stage stage;
  std::string_view id;          // name in files: "masked_scores"
  std::string_view title = {};  // name on the screen: "masked scores"; a row of the table without one: the id
  std::string_view symbol;      // short mathematical symbol, UTF-8: "S"
  std::string_view latex = {};  // the same in LaTeX's math mode; a row without it: the symbol
  std::string_view formula;     // how it follows from the stages before it, UTF-8
  std::string_view pytorch;     // the PyTorch line it equals
  StageAxes axes;
  StageRange range = StageRange::signed_value;
  StagePlace place = {};
  CellRule rule = CellRule::start;
  bool (*exists)(const AttentionConfig&) = [](const AttentionConfig&) { return true; };
  // Why a configuration does without it, in its place on the screen.
  std::string_view (*absence)(const AttentionConfig&) = [](const AttentionConfig&) { return std::string_view(); };
  StageList (*follows_from)(const AttentionConfig&, Stage stage) = [](const AttentionConfig&, Stage) {
    return StageList();
  };
  const ConfigPart* reads = nullptr;  // what starts without one reads all that no other stage does
  double work = 100;  // of a cell that core/attention.h makes, in operations of a matrix product that take as long
  const ScoreStep* (*step)(const AttentionConfig&) = nullptr;
};

std::span<const StageInfo> stages();
// How a cell of a stage follows: as the table says, but for queries, keys and values from elsewhere, which start.
CellRule rule_of(const AttentionConfig& config, Stage stage);
const StageInfo& info(Stage stage);
std::optional<Stage> stage_named(std::string_view id);

// Stages that a configuration has: a causal mask brings mask and masked scores, masking after softmax brings masked
// weights, and so on. Dropout factors and dropped weights exist for every mechanism with dropout, at rate 0 too.
bool has_stage(const AttentionConfig& config, Stage stage);
// Whether it has the stage and the stage changes its numbers: scaling that is off and a dropout of 0 do not.
bool acts_in(const AttentionConfig& config, Stage stage);
// Returns the stages that a stage follows from, in the order in which its formula names them: scores from queries and
// keys.
StageList predecessors(const AttentionConfig& config, Stage stage);
// Whether `stage` is `origin` or follows from it, at however many removes.
bool depends_on(const AttentionConfig& config, Stage stage, Stage origin);
// The inputs and what becomes of them, without the weights, in the order in which they are computed.
std::vector<Stage> computed_stages(const AttentionConfig& config);
// Scores and what becomes of them cell by cell, in order: each follows from the one before it.
StageList score_route(const AttentionConfig& config);
// The one of them that comes before a stage, also before one that the configuration does not have.
Stage before_on_route(const AttentionConfig& config, Stage stage);

// Something for each stage.
template <typename Value>
class StageMap {
public:
  Value& operator[](Stage key) { return values_[static_cast<std::size_t>(key)]; }
  const Value& operator[](Stage key) const { return values_[static_cast<std::size_t>(key)]; }
  bool operator==(const StageMap&) const = default;

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
  void remove(Stage key) { stages_.reset(static_cast<std::size_t>(key)); }
  StageSet operator|(const StageSet& other) const { return StageSet(stages_ | other.stages_); }
  StageSet operator&(const StageSet& other) const { return StageSet(stages_ & other.stages_); }
  bool operator==(const StageSet&) const = default;

private:
  explicit StageSet(const std::bitset<stage_count>& stages) : stages_(stages) {}
  std::bitset<stage_count> stages_;
};

constexpr bool is_query_by_key(StageAxes axes) {
  return axes == StageAxes::query_key || axes == StageAxes::head_query_key;
}
// Whether the rows of a stage are keys.
constexpr bool has_key_rows(Stage stage) {
  return stage == Stage::keys || stage == Stage::values || stage == Stage::normalized_keys ||
         stage == Stage::rotated_keys;
}
// Whether a weight matrix or a bias makes keys or values.
constexpr bool makes_keys_or_values(Stage parameter) {
  return parameter == Stage::key_weight || parameter == Stage::key_bias || parameter == Stage::value_weight ||
         parameter == Stage::value_bias;
}
// Whether a parameter is what a norm multiplies each dimension of a head by. Nothing is drawn for it: it begins as 1.
constexpr bool is_gain(Stage parameter) { return parameter == Stage::query_gain || parameter == Stage::key_gain; }
constexpr bool is_parameter(StageAxes axes) { return axes == StageAxes::weight || axes == StageAxes::bias; }

}  // namespace attnscope
