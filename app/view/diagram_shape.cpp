#include "view/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/evaluate.h"
#include "core/model/transformer.h"
#include "core/results.h"
#include "core/tensor.h"
#include "core/text.h"
#include "view/colours.h"
#include "view/stage_look.h"

namespace attnscope::scene {
namespace {

constexpr Index most_cells_searched = 4096;  // larger matrices are not searched for the widest number: they show none
constexpr Index most_cells_computed = 1024;  // of a stage that no tensor holds

std::string shape_text(Index rows, Index cols) { return fmt::format("({}, {})", rows, cols); }

// What is known of the numbers of a stage.
struct Magnitude {
  float largest = 0;
  bool has_negatives = true;
  bool is_known = false;
};

Magnitude magnitude_of(std::span<const float> numbers) {
  Magnitude found{.has_negatives = false, .is_known = true};
  for (const float each : numbers) {
    if (!std::isfinite(each)) continue;
    found.largest = std::max(found.largest, std::abs(each));
    found.has_negatives |= each < 0;
  }
  return found;
}

Magnitude magnitude_of(const Result& result, Stage stage) {
  if (const Tensor* const tensor = result.find(stage))
    return tensor->size() > most_cells_searched ? Magnitude() : magnitude_of(tensor->values);
  const bool is_small =
      has(result, stage) && !result.imported && element_count(stage_shape(result.config, stage)) <= most_cells_computed;
  return is_small ? magnitude_of(read_stage(result, stage).values) : Magnitude();
}

// Returns the digits before the point of the largest number; 1 if it is unknown.
int digits_of(const Magnitude& numbers) {
  return numbers.largest < 9.995F ? 1 : std::min(6, static_cast<int>(std::log10(numbers.largest + 0.005F)) + 1);
}

// Returns the decimals of a difference: so many that two digits of the largest one are seen.
int decimals_of_difference(const Magnitude& numbers, int asked) {
  constexpr int most_decimals = 4;
  constexpr float up_to_rounding = 1.0005F;  // 0.09999 is written as 0.10
  if (!(numbers.largest > 0)) return asked;
  const int first_digit = static_cast<int>(std::floor(std::log10(numbers.largest * up_to_rounding)));
  return std::clamp(1 - first_digit, asked, std::max(asked, most_decimals));
}

class ShapeMaker {
public:
  ShapeMaker(const Result& result, const DiagramChoice& choice, DiagramShape& shape)
      : result_(result),
        config_(result.config),
        choice_(choice),
        shape_(shape),
        rows_(shape.row_count()),
        keys_(static_cast<Index>(shape.keys.size())),
        heads_(head_count(config_)),
        one_head_(heads_ > 1 ? fmt::format("head {} of {} ", choice.head + 1, heads_) : "") {}

  void make() {
    shape_.head = choice_.head;
    shape_.is_difference = result_.difference != nullptr;
    shape_.is_given = begins_with_heads(config_);
    shape_.is_projected = has_stage(config_, Stage::queries);
    shape_.has_output = info(config_.mechanism).has_output_projection;
    project();
    compare();
    weights();
    mix();
  }

private:
  bool is_shown(Stage stage) const {
    return has_stage(config_, stage) && acts_in(config_, stage) && has(result_, stage) &&
           !choice_.left_out.contains(stage);
  }

  std::string widest(Stage stage, bool is_signed) const {
    const Magnitude numbers = magnitude_of(result_, stage);
    const std::string digits(static_cast<std::size_t>(digits_of(numbers)), '0');
    const std::string sign = is_signed || result_.difference ? "−" : "";
    const int decimals = result_.difference ? decimals_of_difference(numbers, choice_.decimals) : choice_.decimals;
    return sign + digits + "." + std::string(static_cast<std::size_t>(decimals), '0');
  }

  // Notes which shorter forms the numbers of a block have.
  void note_forms(DiagramBlock& block) const {
    const Magnitude numbers = magnitude_of(result_, block.stage);
    block.has_negatives = numbers.has_negatives;
    block.is_fraction = numbers.is_known && numbers.largest < 0.995F;
  }

  DiagramBlock feature(Stage stage, std::vector<std::string> subtitles, Index rows, BlockColumns columns) const {
    subtitles.emplace_back();
    DiagramBlock block{.stage = stage,
                       .title = std::string(info(stage).title),
                       .subtitles = std::move(subtitles),
                       .rows = rows,
                       .columns = columns,
                       .widest = widest(stage, true)};
    note_forms(block);
    return block;
  }

  DiagramBlock square(Stage stage, std::vector<std::string> subtitles, std::string sign, std::string note = {}) const {
    const bool is_signed = info(stage).range == StageRange::signed_value || result_.difference != nullptr;
    subtitles.push_back(square_size_);
    subtitles.emplace_back();
    const std::string ends = widest(stage, false);
    std::string high = is_signed ? "±" + ends : "1";
    if (!is_signed && depends_on(config_, stage, Stage::dropout_factors))
      high = format_fixed(1 / (1 - std::min(config_.dropout, 0.999)), 2);
    if (!is_signed && keys_ > few_keys) high = "3×";
    DiagramBlock block{.stage = stage,
                       .kind = BlockKind::square,
                       .title = std::string(info(stage).title),
                       .subtitles = std::move(subtitles),
                       .rows = rows_,
                       .columns = {keys_, 1},
                       .rank = 3,
                       .widest = widest(stage, is_signed),
                       .sign = std::move(sign),
                       .note = std::move(note),
                       .has_sums = sums_to_one(stage) && !result_.difference,
                       .bar_low = is_signed ? "" : "0",
                       .bar_high = std::move(high)};
    note_forms(block);
    return block;
  }

  BlockOperand pattern(Stage stage, std::vector<std::string> captions) const {
    return {.stage = stage,
            .captions = std::move(captions),
            .rows = rows_,
            .columns = {keys_, 1},
            .kind = OperandKind::pattern};
  }

  // Returns the weight matrix of a projection, transposed if nn.Linear stores it, with its bias below.
  std::optional<BlockOperand> weight_above(Stage result, BlockColumns columns) const {
    const StageList from = predecessors(config_, result);
    if (from.size() < 2 || !has(result_, from[1])) return {};
    const bool is_turned = info(config_.mechanism).weight_style != WeightStyle::parameter;
    const std::vector<Index> size = stage_shape(config_, from[1]);
    const std::string name = std::string(info(from[1]).title) + (is_turned ? "ᵀ" : "");
    const bool has_bias = from.size() > 2 && has(result_, from[2]);
    BlockOperand operand{.stage = from[1],
                         .captions = {has_bias ? name + " + b" : name, name},
                         .rows = size[size.size() - (is_turned ? 1 : 2)] + (has_bias ? 1 : 0),
                         .columns = columns,
                         .is_transposed = is_turned,
                         .widest = widest(from[1], true)};
    if (result == Stage::output) operand.captions.emplace_back("Wₒ");
    if (has_bias) operand.bias = from[2];
    return operand;
  }

  BlockColumns of_heads(Stage stage, Index width) const {
    if (shape_.is_given || heads_ == 1) return {width, 1};
    const Index heads = matrices_per_entry(config_, stage);
    return {width, heads, heads_ / heads};
  }

  void project() {
    if (is_shown(Stage::inputs)) {
      const Index width = input_features(config_);
      shape_.project.push_back(feature(Stage::inputs, {"X " + shape_text(rows_, width)}, rows_, {width, 1}));
    }
    for (const Stage stage : {Stage::queries, Stage::keys, Stage::values}) {
      if (!is_shown(stage)) continue;
      const Index width = stage == Stage::values ? value_features(config_) : head_features(config_);
      const Index rows = stage == Stage::queries ? rows_ : keys_;
      const BlockColumns columns = of_heads(stage, width);
      const std::string size = shape_text(rows, width);
      const bool is_shared = matrices_per_entry(config_, stage) != heads_;
      DiagramBlock& block = shape_.project.emplace_back(
          feature(stage, is_shared ? std::vector{size} : std::vector{one_head_ + size, size}, rows, columns));
      block.has_own_rows = stage != Stage::queries && !shape_.queries.empty();
      if (!shape_.is_given) {
        block.above = weight_above(stage, columns);
        const bool is_next = shape_.project.size() == 2 && shape_.project.front().stage == Stage::inputs;
        if (is_next) block.sign = "×";
      }
    }
  }

  void compare() {
    const Stage source = queries_stage(config_);
    const bool is_projected = shape_.is_projected;
    const Index width = is_projected ? head_features(config_) : input_features(config_);
    const std::string turned = fmt::format("{}ᵀ", info(keys_stage(config_)).symbol);
    if (is_shown(Stage::scores)) {
      if (has(result_, source)) {
        const std::string size = shape_text(rows_, width);
        const std::string head = heads_ > 1 ? fmt::format("head {}", choice_.head + 1) : "";
        DiagramBlock& copy = shape_.compare.emplace_back(feature(source, {one_head_ + size, head}, rows_, {width, 1}));
        copy.is_copy = true;
        copy.rank = 4;
      }
      DiagramBlock& scores = shape_.compare.emplace_back(step(Stage::scores));
      if (width == 1) scores.note = "one product";
      if (has(result_, keys_stage(config_)))
        scores.above = {.stage = keys_stage(config_),
                        .captions = {fmt::format("{} {}", turned, shape_text(width, keys_)), turned},
                        .rows = width,
                        .columns = {keys_, 1},
                        .kind = OperandKind::transposed,
                        .is_transposed = true,
                        .widest = widest(keys_stage(config_), true)};
    }
    add_steps(shape_.compare, Band::compare);
  }

  // Adds matrices of queries by keys that have a place of their own; scores and weights have theirs already.
  void add_steps(std::vector<DiagramBlock>& blocks, Band band) const {
    for (const Stage stage : computed_stages(config_)) {
      const bool is_of_band = is_query_by_key(info(stage).axes) && has_place(stage) && info(stage).place.band == band;
      const bool is_placed = stage == Stage::scores || stage == Stage::weights;
      if (is_of_band && !is_placed && is_shown(stage) && omission(stage).empty()) blocks.push_back(step(stage));
    }
  }

  std::string omission(Stage stage) const { return info(stage).omission(config_); }

  DiagramBlock step(Stage stage) const {
    const BlockWords& words = info(stage).block;
    std::vector<std::string> subtitles;
    const std::string whole = result_.imported ? "from the file {}" : words.subtitle(config_);
    for (const std::string& subtitle : {whole, std::string(words.short_subtitle)})
      if (!subtitle.empty()) subtitles.push_back(fmt::format(fmt::runtime(subtitle), square_size_));
    const bool has_own_words = !words.subtitle.is_empty() || !words.sign.is_empty();
    const DiagramOperator of_rule = has_own_words ? DiagramOperator() : diagram_operator(config_, stage);
    DiagramBlock block = square(stage, std::move(subtitles), has_own_words ? words.sign(config_) : of_rule.sign,
                                has_own_words ? words.note(config_) : of_rule.note);
    if (!words.title.empty()) block.title = words.title;
    block.rank = words.rank;
    const StageList from = predecessors(config_, stage);
    if (from.size() > 1 && !info(from[1]).caption.is_empty())
      block.above = pattern(from[1], {info(from[1]).caption(config_), std::string(info(from[1]).short_caption)});
    return block;
  }

  void weights() {
    if (!result_.imported) add_words();
    DiagramBlock block = step(Stage::weights);
    shape_.pill = std::exchange(block.sign, "");
    block.kind = BlockKind::main_matrix;
    if (const auto* const inputs = std::get_if<ModelInputs>(&config_.inputs); inputs && inputs->model)
      block.head_name = inputs->model->name_of(inputs->layer, choice_.head);
    if (is_shown(Stage::weights)) shape_.main_matrix.push_back(std::move(block));
  }

  void add_words() {
    for (const StageInfo& row : stages()) {
      const std::string words = omission(row.stage);
      if (words.empty()) continue;
      shape_.words.push_back(words);
      shape_.absent.push_back(row.stage);
    }
  }

  void mix() {
    add_steps(shape_.mix, Band::mix);
    contexts();
    if (is_shown(Stage::output)) {
      const Index width = stage_shape(config_, Stage::output).back();
      DiagramBlock& block =
          shape_.mix.emplace_back(feature(Stage::output, {"O " + shape_text(rows_, width)}, rows_, {width, 1}));
      block.sign = "×";
      block.above = weight_above(Stage::output, {width, 1});
    }
  }

  void contexts() {
    const Index width = shape_.is_projected ? value_features(config_) : input_features(config_);
    const Stage source = values_stage(config_);
    std::optional<BlockOperand> values;
    if (has(result_, source)) {
      values = BlockOperand{.stage = source,
                            .captions = {shape_.is_projected ? "V" : "X"},
                            .rows = keys_,
                            .columns = {width, 1},
                            .widest = widest(source, true)};
      if (heads_ > 1 && shape_.is_projected)
        values->captions.insert(values->captions.begin(), fmt::format("V, head {}", choice_.head + 1));
    }
    const bool says_dropout = info(config_.mechanism).has_dropout && !acts_in(config_, Stage::dropped_weights);
    const std::string note = says_dropout ? "dropout off" : "";
    const std::vector<std::string> off = {"this head is off: 0", "off", ""};
    const bool is_off_head = is_off(config_, choice_.head);
    const bool has_head_context = heads_ > 1 && is_shown(Stage::head_context);
    if (has_head_context) {
      const std::string name = "Z" + subscript(choice_.head + 1);
      DiagramBlock& block = shape_.mix.emplace_back(
          feature(Stage::head_context, {name + " " + shape_text(rows_, width)}, rows_, {width, 1}));
      if (is_off_head) block.subtitles = off;
      block.short_title = name;
      add_mixing(block, values, note);
    }
    if (!is_shown(Stage::context)) return;
    // The shape is that of what is drawn large: of one head, as above queries, keys and values, or of all.
    const std::string size = shape_text(rows_, width);
    const std::string name = heads_ > 1 ? "Z" + subscript(choice_.head + 1) : "Z";
    DiagramBlock& block =
        shape_.mix.emplace_back(feature(Stage::context, {name + " " + size, size}, rows_, {width, heads_}));
    const std::string whole = shape_text(rows_, width * heads_);
    if (heads_ > 1) block.whole_subtitles = {"Z " + whole, whole, ""};
    if (has_head_context) {
      block.sign = "concat";
      block.note = "heads";
    } else {
      if (heads_ == 1 && is_off_head) block.subtitles = off;
      add_mixing(block, values, note);
      if (heads_ > 1 && note.empty()) block.note = "each head";
    }
  }

  static void add_mixing(DiagramBlock& block, const std::optional<BlockOperand>& values, const std::string& note) {
    block.above = values;
    block.sign = "×";
    block.note = note;
    if (!note.empty()) block.passed = {Stage::dropped_weights};
  }

  static std::string subscript(Index number) {
    static constexpr const char* digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    std::string text;
    for (const char digit : fmt::format("{}", number)) text += digits[digit - '0'];
    return text;
  }

  const Result& result_;
  const AttentionConfig& config_;
  const DiagramChoice& choice_;
  DiagramShape& shape_;
  Index rows_;
  Index keys_;
  Index heads_;
  std::string one_head_;
  std::string square_size_ = shape_text(rows_, keys_);
};

// A diagram without weights has another main_matrix: the last matrix of queries by keys, else the last one of all.
void choose_main(DiagramShape& shape) {
  for (const bool is_square : {true, false}) {
    for (std::vector<DiagramBlock>* const blocks : {&shape.mix, &shape.compare, &shape.project}) {
      const auto found = std::find_if(blocks->rbegin(), blocks->rend(), [&](const DiagramBlock& block) {
        return !is_square || block.kind == BlockKind::square;
      });
      if (!shape.main_matrix.empty() || found == blocks->rend()) continue;
      DiagramBlock& main_matrix = shape.main_matrix.emplace_back(std::move(*found));
      blocks->erase(std::next(found).base());
      main_matrix.kind = BlockKind::main_matrix;
      if (is_square || main_matrix.columns.heads == 1) continue;
      main_matrix.columns = {main_matrix.columns.count(), 1};
      main_matrix.subtitles = {shape_text(main_matrix.rows, main_matrix.columns.count()), ""};
    }
  }
}

}  // namespace

DiagramShape diagram_shape(const Result& result, std::vector<std::string> keys, std::vector<std::string> queries,
                           const DiagramChoice& choice) {
  DiagramShape shape;
  shape.keys = std::move(keys);
  shape.queries = std::move(queries);
  shape.dimensions = dimension_labels(result.config);
  ShapeMaker(result, choice, shape).make();
  choose_main(shape);
  return shape;
}

}  // namespace attnscope::scene
