#include "core/source.h"

#include "core/parameters.h"
#include "core/stages/rule.h"
#include "core/visibility.h"
#include "support.h"
#include "tests/support/dependencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace attnscope::test {
namespace {

double number(float value) { return static_cast<double>(value); }

// Every mechanism with every mask that it takes, and what else makes another path.
std::vector<AttentionConfig> all_configs() {
  std::vector<AttentionConfig> configs = varied_configs();
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const MaskRoute mask :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      AttentionConfig config = config_of(mechanism.mechanism);
      config.mask = mask;
      config.dropout = 0.5;
      config.qkv_bias = true;
      config.batch_size = 2;
      config.num_heads = 2;
      config.d_out = 4;
      configs.push_back(config);
      config.rope = Rope{.base = 10};
      config.num_kv_heads = 1;
      configs.push_back(config);
      config.qk_norm = QkNorm::rms;
      configs.push_back(config);
      config.rope.reset();
      configs.push_back(config);
      config.qk_norm = QkNorm::none;
      config.num_kv_heads.reset();
      config.softcap = 0.5;
      configs.push_back(config);
      config.bias = Tensor({1, 6}, {0.5F, -1, -std::numeric_limits<float>::infinity(), 0, 2, 1});
      config.scale_factor = 0.7;
      configs.push_back(config);
      config.mask = MaskRoute::custom;
      config.hidden = HiddenKeys({{{0, 1}}, {{0, 6}}, {{1, 2}, {4, 5}}, {}, {{3, 6}}, {}});
      configs.push_back(config);
    }
  }
  return configs;
}

// Calls visit for every cell of every stage that a result has, the weights among them.
void for_each_cell(const Result& result, const std::function<void(const Source&)>& visit) {
  const AttentionConfig& config = result.config;
  for (const StageInfo& stage : stages()) {
    const Tensor* tensor = result.find(stage.stage);
    if (!tensor) continue;
    const Index heads = is_per_head(config, stage.stage) ? head_count(config) : 1;
    const Index batch_size = is_per_batch(stage.stage) ? config.batch_size : 1;
    for (Index m = 0; m < heads * batch_size; ++m) {
      for (Index row = 0; row < tensor->rows(); ++row) {
        for (Index col = 0; col < tensor->cols(); ++col) visit({stage.stage, m / heads, m % heads, row, col});
      }
    }
  }
}

// The numbers that a cell is said to be computed from, one by one, and how much was added up on the way.
struct Recomputed {
  double value = 0;
  double magnitude = 0;
};

Recomputed sum_of_products(const std::vector<float>& numbers) {
  Recomputed sum;
  const std::size_t terms = numbers.size() / 2;
  for (std::size_t i = 0; i < terms; ++i) {
    const double product = number(numbers[i]) * number(numbers[terms + i]);
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  if (numbers.size() % 2 != 0) sum.value += number(numbers.back());
  return sum;
}

double uniform_bound(const AttentionConfig& config, Stage stage) {
  const Index fan_in =
      stage == Stage::output_weight || stage == Stage::output_bias ? context_features(config) : input_features(config);
  return 1 / std::sqrt(static_cast<double>(fan_in));
}

double from_draw(const AttentionConfig& config, Stage stage, double draw) {
  if (stage == Stage::inputs) return draw;
  if (stage == Stage::dropout_factors) return draw < 1 - config.dropout ? 1 / (1 - config.dropout) : 0;
  if (info(config.mechanism).weight_style == WeightStyle::parameter) return draw;
  const double bound = uniform_bound(config, stage);
  return draw * 2 * bound - bound;
}

// The rule of a stage, from the numbers of dependencies() alone.
Recomputed recompute(const AttentionConfig& config, const Source& cell, const std::vector<float>& numbers) {
  const auto at = [&](std::size_t i) { return number(numbers.at(i)); };
  switch (cell.stage) {
    case Stage::queries:
    case Stage::keys:
    case Stage::values:
    case Stage::output:
    case Stage::scores:
    case Stage::head_context:
      return sum_of_products(numbers);
    case Stage::normalized_queries:
    case Stage::normalized_keys:
      return {at(0) / at(1) * at(2)};
    case Stage::rotated_queries:
    case Stage::rotated_keys: {
      const std::optional<RopePair> pair = rope_pair(config, cell.col);
      if (!pair) return {at(0)};
      const double angle = rope_angle(config, cell.row, pair->number);
      const double turned = at(1) * std::sin(angle);
      return {at(0) * std::cos(angle) + (cell.col == pair->first ? -turned : turned)};
    }
    case Stage::masked_scores:
      return {at(1) != 0 ? -std::numeric_limits<double>::infinity() : at(0)};
    case Stage::scaled_scores:
      return {at(0) * number(score_scale(config))};
    case Stage::capped_scores:
      return {*config.softcap * std::tanh(at(0) / *config.softcap)};
    case Stage::biased_scores:
      return {at(0) + number(Bias(config).at(cell.batch * head_count(config) + cell.head, cell.row, cell.col))};
    case Stage::weights:
      return {normalizes_by_sum(config) ? at(0) / at(1) : std::exp(at(0) - at(1)) / at(2)};
    case Stage::masked_weights:
      return {at(0) * (1 - at(1))};
    case Stage::renormalized_weights:
      return {at(0) / at(1)};
    case Stage::dropped_weights:
      return {at(0) * at(1)};
    case Stage::context:
      return {at(0)};
    default:
      break;
  }
  return {from_draw(config, cell.stage, at(0))};
}

// Without dependencies a cell is a number that nothing else decides.
bool is_independent(const AttentionConfig& config, const Source& cell) {
  if (cell.stage == Stage::inputs) return std::holds_alternative<SharedTensor>(config.inputs);
  if (is_gain(cell.stage)) return true;
  if (cell.stage == Stage::head_context) return is_off(config, cell.head);
  if (cell.stage == Stage::dropout_factors) {
    const bool is_drawn = dropout_is_active(config) && config.dropout > 0 && config.dropout < 1;
    return !is_drawn || kept_by_user(config, cell.batch, cell.head, cell.row, cell.col);
  }
  const bool is_of_row = cell.stage == Stage::weights || cell.stage == Stage::renormalized_weights;
  return cell.stage == Stage::mask || (is_of_row && sees_nothing(config, cell.stage, 0, cell.row));
}

TEST(Source, EveryCellIsRecomputedFromItsDependencies) {
  for (const AttentionConfig& config : all_configs()) {
    if (config.normalization == Normalization::sum && config.mask == MaskRoute::causal) continue;
    SCOPED_TRACE(describe(config));
    const Result result = evaluate_readable(config, serial());
    for_each_cell(result, [&](const Source& cell) {
      const std::vector<Source> sources = dependencies(config, cell);
      ASSERT_EQ(sources.empty(), is_independent(config, cell)) << info(cell.stage).id;
      if (sources.empty()) return;
      std::vector<float> numbers;
      for (const Source& source : sources) numbers.push_back(value_at(result, source));
      const Recomputed recomputed = recompute(config, cell, numbers);
      const double value = number(value_at(result, cell));
      const double allowed = 1e-5 * std::max(std::abs(value), recomputed.magnitude) + 1e-7;
      const bool both_nan = std::isnan(value) && std::isnan(recomputed.value);
      ASSERT_TRUE(both_nan || recomputed.value == value || std::abs(recomputed.value - value) <= allowed)
          << info(cell.stage).id << " row " << cell.row << " col " << cell.col << ": " << recomputed.value << " for "
          << value;
    });
  }
}

TEST(Source, DependenciesStandInTheStagesThatAStageFollowsFrom) {
  for (const AttentionConfig& config : all_configs()) {
    for (const StageInfo& stage : stages()) {
      if (!has_stage(config, stage.stage)) continue;
      const StageList from = predecessors(config, stage.stage);
      for (const Source& source : dependencies(config, {.stage = stage.stage})) {
        const bool is_own_draw = source.kind == SourceKind::draw && source.stage == stage.stage;
        EXPECT_TRUE(is_own_draw || std::ranges::find(from, source.stage) != from.end())
            << info(source.stage).id << " of " << stage.id << " in " << describe(config);
      }
      for (const Stage before : from) EXPECT_TRUE(has_stage(config, before)) << info(before).id << " of " << stage.id;
    }
  }
}

TEST(Source, NumbersOfARowAreThoseOfItsCells) {
  const Result result = evaluate_readable(config_of(Mechanism::causal_attention));
  const Source row{.stage = Stage::scores, .row = 2};
  const std::vector<float> cells = values_at(result, {row, 6});
  const auto of_row = [&](SourceKind kind) {
    Source source = row;
    source.kind = kind;
    EXPECT_EQ(dependencies(result.config, source).front(), row);
    return value_at(result, source);
  };
  float sum = 0;
  for (const float cell : cells) sum += cell;
  EXPECT_EQ(of_row(SourceKind::row_maximum), *std::ranges::max_element(cells));
  EXPECT_NEAR(of_row(SourceKind::row_sum), sum, 1e-5);
  float exponentials = 0;
  for (const float cell : cells) exponentials += std::exp(cell - *std::ranges::max_element(cells));
  EXPECT_NEAR(of_row(SourceKind::exponential_sum), exponentials, 1e-5);
}

// A row of which the bias hides every key, in one entry of the batch only.
TEST(Source, ARowThatSeesNothingIsOneOfItsEntry) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.batch_size = 2;
  Tensor bias({2, 1, 6, 6});
  std::ranges::fill(bias.matrix(1).row(3), -std::numeric_limits<float>::infinity());
  config.bias = std::move(bias);
  const Result result = evaluate(config, serial());
  Source sum{.stage = Stage::biased_scores, .batch = 1, .head = 1, .row = 3, .kind = SourceKind::exponential_sum};
  EXPECT_EQ(value_at(result, sum), 0);
  sum.batch = 0;
  EXPECT_GE(value_at(result, sum), 1) << "the largest score alone adds 1";
  for (const Index head : {0, 1}) {
    EXPECT_TRUE(operands(config, {.stage = Stage::weights, .batch = 1, .head = head, .row = 3}).empty()) << head;
    EXPECT_EQ(operands(config, {.stage = Stage::weights, .batch = 0, .head = head, .row = 3}).size(), 3U) << head;
  }
}

TEST(Source, ARowWithoutKeysIsFoundInEveryHeadOfEveryEntry) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.batch_size = config.num_heads = 2;
  config.d_out = 4;
  config.bias = Tensor({2, 2, 6, 6});
  EXPECT_FALSE(has_empty_rows(config));
  Tensor bias({2, 2, 6, 6});
  std::ranges::fill(bias.matrix(3).row(5), -std::numeric_limits<float>::infinity());
  config.bias = std::move(bias);
  EXPECT_TRUE(has_empty_rows(config));
}

TEST(Source, WeightsAreMatricesLikeAnyOther) {
  for (const AttentionConfig& config : all_configs()) {
    SCOPED_TRACE(describe(config));
    const Result result = evaluate_readable(config, serial());
    for (const StageInfo& stage : stages()) {
      if (!is_parameter(stage.axes)) continue;
      EXPECT_EQ(has(result, stage.stage), has_stage(config, stage.stage)) << stage.id;
      if (!has_stage(config, stage.stage)) continue;
      EXPECT_EQ(result.find(stage.stage)->shape, stage_shape(config, stage.stage)) << stage.id;
      const Index head = head_count(config) - 1;
      const Tensor& drawn = *find(*result.parameters, parameter_name(config, stage.stage, head));
      const std::vector<float> first = values_at(result, {{.stage = stage.stage, .head = head}, drawn.shape.back()});
      EXPECT_TRUE(std::ranges::equal(first, std::span(drawn.values).first(first.size()))) << stage.id;
    }
  }
}

TEST(Source, ACellBesideTheMatrixIsNotThere) {
  const AttentionConfig config = varied_configs().front();
  const Result result = evaluate(config);
  const std::vector<Index> shape = stage_shape(config, Stage::weights);
  const Index rows = shape[shape.size() - 2];
  EXPECT_TRUE(has_cell(result, {.stage = Stage::weights, .row = rows - 1, .col = shape.back() - 1}));
  for (const Source& cell :
       {Source{.stage = Stage::weights, .row = -1}, Source{.stage = Stage::weights, .col = -1},
        Source{.stage = Stage::weights, .row = rows}, Source{.stage = Stage::weights, .col = shape.back()},
        Source{.stage = Stage::weights, .batch = -1}, Source{.stage = Stage::weights, .head = -1}})
    EXPECT_FALSE(has_cell(result, cell)) << cell.row << ", " << cell.col;
}

// Which words of the generator became a number: found again by counting them from the seed.

std::vector<AttentionConfig> drawing_configs() {
  std::vector<AttentionConfig> configs;
  for (const Mechanism mechanism :
       {Mechanism::causal_attention, Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      AttentionConfig config = config_of(mechanism);
      config.dropout = 0.5;
      config.dropout_kernel = kernel;
      config.qkv_bias = true;
      config.num_heads = 2;
      config.d_out = 4;
      config.batch_size = 2;
      configs.push_back(config);
      config.skip_draws = 7;
      for (const Index tokens : {3, 5, 6, 16}) {  // 9 and 15 normal numbers one by one, 18 and 48 by blocks
        config.inputs = RandnInputs{tokens, 3};
        configs.push_back(config);
      }
      config.dropout_seed = 99;
      configs.push_back(config);
    }
  }
  return configs;
}

void expect_found_again(const AttentionConfig& config, const Source& source, const Draw& draw) {
  const bool is_reseeded = source.stage == Stage::dropout_factors && config.dropout_seed;
  Generator generator(is_reseeded ? *config.dropout_seed : config.seed);
  skip_words(generator, draw.number - 1);
  EXPECT_EQ(draw.words == 1 ? next_word(generator) : next_double_word(generator), draw.word);
}

TEST(Draw, WordsOfWeightsAreFoundAgain) {
  for (const AttentionConfig& config : drawing_configs()) {
    const Result result = evaluate_readable(config);
    for (const Source& source : {Source{.stage = Stage::query_weight, .head = 1, .row = 1, .col = 2},
                                 Source{.stage = Stage::value_bias, .head = 1, .row = 0, .col = 1},
                                 Source{.stage = Stage::key_weight, .row = 0, .col = 0}}) {
      const std::optional<Draw> draw = draw_for(result, source);
      ASSERT_TRUE(draw);
      expect_found_again(config, source, *draw);
      EXPECT_EQ(draw->uniform, static_cast<float>(draw->word & 0xFFFFFF) * 0x1p-24F);
    }
  }
}

TEST(Draw, WordsOfDropoutAreFoundAgain) {
  for (const AttentionConfig& config : drawing_configs()) {
    const Result result = evaluate_readable(config);
    const Source source{
        .stage = Stage::dropout_factors, .batch = 1, .head = head_count(config) - 1, .row = 2, .col = 1};
    const std::optional<Draw> draw = draw_for(result, source);
    ASSERT_TRUE(draw);
    expect_found_again(config, source, *draw);
    EXPECT_EQ(value_at(result, source) > 0, static_cast<double>(draw->uniform) < 1 - config.dropout);
  }
}

TEST(Draw, InputsHaveNoneOfTheirOwn) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{6, 3};
  EXPECT_FALSE(draw_for(evaluate_readable(config), {.stage = Stage::inputs}));
}

}  // namespace
}  // namespace attnscope::test
