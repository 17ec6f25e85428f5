#include "scene/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/external_attention.h"
#include "core/tensor.h"
#include "look/colours.h"
#include "look/number_text.h"
#include "look/stage_look.h"

namespace attnscope::scene {
namespace {

constexpr Index most_cells_searched = 4096;  // for the widest number; larger matrices have no room for numbers

std::string shape_text(Index rows, Index cols) { return fmt::format("({}, {})", rows, cols); }

// Digits before the point of the largest number of a stage; 1 where it is not known.
int digits_of(const Result& result, Stage stage) {
  const Tensor* const tensor = result.find(stage);
  if (!tensor || tensor->size() > most_cells_searched) return 1;
  float largest = 0;
  for (Index i = 0; i < tensor->size(); ++i) {
    const float size = std::abs(tensor->values[static_cast<std::size_t>(i)]);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest < 9.995F ? 1 : std::min(6, static_cast<int>(std::log10(largest + 0.005F)) + 1);
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
    shape_.is_given = begins_with_heads(config_);
    shape_.is_projected = has_stage(config_, Stage::queries);
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
    const std::string digits(static_cast<std::size_t>(digits_of(result_, stage)), '0');
    const std::string sign = is_signed || result_.difference ? "−" : "";
    return sign + digits + "." + std::string(static_cast<std::size_t>(choice_.decimals), '0');
  }

  DiagramBlock feature(Stage stage, std::vector<std::string> subtitles, Index rows, BlockColumns columns) const {
    subtitles.emplace_back();
    return {.stage = stage,
            .title = std::string(info(stage).title),
            .subtitles = std::move(subtitles),
            .rows = rows,
            .columns = columns,
            .widest = widest(stage, true)};
  }

  DiagramBlock square(Stage stage, std::vector<std::string> subtitles, std::string sign, std::string note = {}) const {
    const bool is_signed = info(stage).range == StageRange::signed_value;
    subtitles.push_back(square_size_);
    subtitles.emplace_back();
    const std::string ends = widest(stage, false);
    std::string high = is_signed ? "±" + ends : "1";
    if (!is_signed && depends_on(config_, stage, Stage::dropout_factors))
      high = format_fixed(1 / (1 - std::min(config_.dropout, 0.999)), 2);
    if (!is_signed && keys_ > few_keys) high = "3×";
    return {.stage = stage,
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
            .bar_low = is_signed && !result_.difference ? "" : "0",
            .bar_high = std::move(high)};
  }

  BlockOperand pattern(Stage stage, std::vector<std::string> captions) const {
    return {.stage = stage,
            .captions = std::move(captions),
            .rows = rows_,
            .columns = {keys_, 1},
            .kind = OperandKind::pattern};
  }

  // The weight matrix of a projection, turned where nn.Linear stores it, with its bias below.
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
      const std::string size = shape_text(rows, columns.count());
      DiagramBlock& block = shape_.project.emplace_back(
          feature(stage, shape_.is_given ? std::vector{one_head_ + size, size} : std::vector{size}, rows, columns));
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
      DiagramBlock& scores = shape_.compare.emplace_back(
          square(Stage::scores, {fmt::format("S = {} {} {}", info(source).symbol, turned, square_size_)}, "×",
                 width == 1 ? "one product" : ""));
      if (has(result_, keys_stage(config_)))
        scores.above = {.stage = keys_stage(config_),
                        .captions = {fmt::format("{} {}", turned, shape_text(width, keys_)), turned},
                        .rows = width,
                        .columns = {keys_, 1},
                        .kind = OperandKind::transposed,
                        .is_transposed = true,
                        .widest = widest(keys_stage(config_), true)};
    }
    for (const Stage stage : score_route(config_)) {
      const bool is_score = info(stage).range == StageRange::signed_value;  // the route goes on with the weights
      if (is_score && stage != Stage::scores && is_shown(stage) && !is_unchanged(stage))
        shape_.compare.push_back(score_step(stage));
    }
  }

  // Scaling by 1 leaves the scores as they are: a word says so, and no matrix repeats them.
  bool is_unchanged(Stage stage) const { return stage == Stage::scaled_scores && score_scale(config_) == 1.0F; }

  DiagramBlock score_step(Stage stage) const {
    const DiagramOperator words = diagram_operator(config_, stage);
    switch (info(stage).rule) {
      case CellRule::hide: {
        DiagramBlock block = square(stage, {"−∞ where hidden"}, "");
        block.above = pattern(Stage::mask, {is_lower_triangle() ? "mask: causal" : "mask", "mask"});
        return block;
      }
      case CellRule::add_bias:
        return square(stage, {"+ bias " + square_size_}, "+");
      default:
        if (stage == Stage::capped_scores) return square(stage, {"c · tanh(scores ÷ c)"}, "cap", words.sign);
        return square(stage, {(config_.scale_factor ? "× scale " : "÷ √head_dim ") + square_size_}, words.sign,
                      words.note);
    }
  }

  bool is_lower_triangle() const { return config_.mask != MaskRoute::custom; }

  void weights() {
    const bool is_sum = normalizes_by_sum(config_);
    shape_.pill = is_sum ? "each row ÷ its sum" : "softmax along each row";
    if (!result_.external) add_words();
    if (!is_shown(Stage::weights)) return;
    DiagramBlock& block = shape_.hero.emplace_back(square(
        Stage::weights,
        {fmt::format("A = {}, row by row {}", is_sum ? "shares" : "softmax", square_size_), "A " + square_size_}, ""));
    block.kind = BlockKind::hero;
    block.rank = 1;
  }

  void add_words() {
    const auto say = [&](Stage stage, std::string words) {
      shape_.words.push_back(std::move(words));
      shape_.absent.push_back(stage);
    };
    if (config_.mask == MaskRoute::none) {
      say(Stage::masked_scores, "no mask");
    } else if (!has_stage(config_, Stage::masked_scores)) {
      say(Stage::masked_scores, "masked later");
    }
    if (!acts_in(config_, Stage::scaled_scores)) {
      say(Stage::scaled_scores, "not scaled");
    } else if (is_unchanged(Stage::scaled_scores)) {
      say(Stage::scaled_scores, fmt::format("{}: unchanged", diagram_operator(config_, Stage::scaled_scores).sign));
    }
  }

  void mix() {
    if (is_shown(Stage::masked_weights)) {
      DiagramBlock& block = shape_.mix.emplace_back(square(Stage::masked_weights, {"A ⊙ not hidden"}, "⊙"));
      block.above = pattern(Stage::mask, {"mask: causal", "mask"});
    }
    if (is_shown(Stage::renormalized_weights)) {
      DiagramBlock& block = shape_.mix.emplace_back(square(Stage::renormalized_weights, {"÷ row sum"}, "÷ Σ"));
      block.title = "renormalized";
    }
    if (is_shown(Stage::dropped_weights)) {
      const double kept = 1 / (1 - std::min(config_.dropout, 0.999999));
      DiagramBlock& block = shape_.mix.emplace_back(square(Stage::dropped_weights, {}, "⊙"));
      block.rank = 2;
      block.above =
          pattern(Stage::dropout_factors,
                  {fmt::format("dropout: kept × {}", format_fixed(kept, kept == std::round(kept) ? 0 : 2)), "dropout"});
    }
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
    const std::string size = shape_text(rows_, width * heads_);
    DiagramBlock& block = shape_.mix.emplace_back(feature(Stage::context, {"Z " + size, size}, rows_, {width, heads_}));
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

// A diagram without weights has another hero: the last matrix of queries by keys, else the last one of all.
void choose_hero(DiagramShape& shape) {
  for (const bool is_square : {true, false}) {
    for (std::vector<DiagramBlock>* const blocks : {&shape.mix, &shape.compare, &shape.project}) {
      const auto found = std::find_if(blocks->rbegin(), blocks->rend(), [&](const DiagramBlock& block) {
        return !is_square || block.kind == BlockKind::square;
      });
      if (!shape.hero.empty() || found == blocks->rend()) continue;
      DiagramBlock& hero = shape.hero.emplace_back(std::move(*found));
      blocks->erase(std::next(found).base());
      hero.kind = BlockKind::hero;
      if (!is_square) hero.columns = {hero.columns.count(), 1};
    }
  }
}

}  // namespace

DiagramShape diagram_shape(const Result& result, std::vector<std::string> keys, std::vector<std::string> queries,
                           const DiagramChoice& choice) {
  DiagramShape shape;
  shape.keys = std::move(keys);
  shape.queries = std::move(queries);
  ShapeMaker(result, choice, shape).make();
  choose_hero(shape);
  return shape;
}

}  // namespace attnscope::scene
