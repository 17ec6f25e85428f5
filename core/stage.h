#pragma once

#include <array>
#include <bitset>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct AttentionConfig;
struct CellRule;
struct StageWording;

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
constexpr std::size_t stage_count = static_cast<std::size_t>(Stage::output) + 1;

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

// The place of a stage in the diagram: one of three bands, from the left by its column. A stage without a column stands
// where it is used, above the stage that it is the right-hand operand of.
enum class Band { project, compare, mix };
struct StagePlace {
  Band band = Band::project;
  int column = -1;
  bool operator==(const StagePlace&) const = default;
};

// Queries, keys and values each have a side: their weights, biases, gains and results. It decides a matrix's hue.
enum class OperandSide { query, key, value };

// A part of the configuration that a stage reads, beside the stages that it follows from.
struct ConfigPart {
  bool (*differs)(const AttentionConfig&, const AttentionConfig&);
  void (*copy)(AttentionConfig& to, const AttentionConfig& from);
};

// A fixed text, or one that a function makes.
template <typename... From>
class Text {
public:
  constexpr Text() = default;
  constexpr Text(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<std::string (*)(From...)> Maker>
  constexpr Text(Maker make) : make_(make) {}  // NOLINT(google-explicit-constructor)

  bool is_empty() const { return !make_ && text_.empty(); }
  bool is_made() const { return make_ != nullptr; }
  std::string_view constant() const { return text_; }
  std::string operator()(From... from) const { return make_ ? make_(from...) : std::string(text_); }

private:
  std::string_view text_;
  std::string (*make_)(From...) = nullptr;
};
using ConfigText = Text<const AttentionConfig&>;

// The words of a diagram about the block of a stage. Empty signs stand for those of the rule.
struct BlockWords {
  ConfigText subtitle = {};  // these are formats of the matrix's size: "A {}"
  std::string_view short_subtitle = {};
  ConfigText sign = {};         // on the arrow that leads to it
  ConfigText note = {};         // below the arrow
  std::string_view title = {};  // empty: the stage's own
  int rank = 3;                 // importance of its numbers: 1 the weights, 4 copies and operands
};

// The words of the film of a number about the step that makes a stage.
struct SceneWords {
  ConfigText title = {};  // empty: the stage's own
  ConfigText name = {};   // empty: the sign of the rule
};

// All facts about a stage, except those it shares with stages whose cells follow by the same rule (core/stages/rule.h).
// Its row stands in the file of its family in core/stages/.
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
  const CellRule& (*rule)(const AttentionConfig&);  // says how a cell is computed
  bool (*exists)(const AttentionConfig&) = [](const AttentionConfig&) { return true; };
  ConfigText absence = {};  // shown in its place: why a configuration lacks it
  // Returns whether it changes the numbers of its first predecessor; else it shares them.
  bool (*acts)(const AttentionConfig&) = [](const AttentionConfig&) { return true; };
  StageList (*follows_from)(const AttentionConfig&, Stage stage) = [](const AttentionConfig&, Stage) {
    return StageList();
  };
  const ConfigPart* reads = nullptr;  // a first stage without one reads all that no other stage reads
  double work = 100;                  // cost of a cell in core/attention.h, in operations of a matrix product

  // Scores become final weights step by step, in the order of the enumerators; a step that waits is taken after all
  // other steps from scores to scores.
  bool is_step = false;
  bool (*waits)(const AttentionConfig&) = [](const AttentionConfig&) { return false; };

  ConfigText about = {};  // what it does, for readers who see it for the first time; a row without it: the formula
  // Writes its formula and its line of PyTorch for a configuration; null: those of the row.
  StageWording (*wording)(const AttentionConfig&, Stage stage) = nullptr;

  // In a diagram: around its block; its name where it hangs as a pattern above the stage whose second operand it is;
  // and a word of what the document does without, empty where its block is there.
  BlockWords block = {};
  ConfigText caption = {};
  std::string_view short_caption = {};
  ConfigText omission = {};
  SceneWords scene = {};

  std::optional<OperandSide> side = {};
  std::string_view control = {};  // the field that brings or changes it, where a document can do without it
};

std::span<const StageInfo> stages();
// Returns how a cell of a stage follows. Queries, keys and values from elsewhere, for example, follow from nothing.
const CellRule& rule_of(const AttentionConfig& config, Stage stage);
const StageInfo& info(Stage stage);
std::optional<Stage> stage_named(std::string_view id);

// Stages that a configuration has: a causal mask brings mask and masked scores, masking after softmax brings masked
// weights, and so on. Dropout factors and dropped weights exist for every mechanism with dropout, at rate 0 too.
bool has_stage(const AttentionConfig& config, Stage stage);
// Returns whether a configuration has the stage and the stage changes its numbers; scaling that is off and a dropout of
// 0 change none.
bool acts_in(const AttentionConfig& config, Stage stage);
// Returns the stages that a stage follows from, in the order in which its formula names them: scores from queries and
// keys.
StageList predecessors(const AttentionConfig& config, Stage stage);
// Returns whether `stage` is `origin` or follows from it, directly or not.
bool depends_on(const AttentionConfig& config, Stage stage, Stage origin);
// Returns the inputs and the stages computed from them, without the weights, in order.
std::vector<Stage> computed_stages(const AttentionConfig& config);
// Returns scores and the stages computed from them cell by cell; each follows from the one before it.
StageList score_route(const AttentionConfig& config);
// Returns the stage of that list before this one, even if the configuration lacks this one.
Stage before_on_route(const AttentionConfig& config, Stage stage);

// A value for each stage.
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
// Returns whether the rows of a stage are keys.
bool has_key_rows(Stage stage);
// Returns whether a weight matrix or a bias makes keys or values.
bool makes_keys_or_values(Stage parameter);
// Returns whether a parameter is a norm's gains of each dimension of a head. They begin as 1, so nothing is drawn.
constexpr bool is_gain(Stage parameter) { return parameter == Stage::query_gain || parameter == Stage::key_gain; }
constexpr bool is_parameter(StageAxes axes) { return axes == StageAxes::weight || axes == StageAxes::bias; }

}  // namespace attnscope
