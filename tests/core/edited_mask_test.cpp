// A mask that was edited hides any keys from any query: by the engine as by the readable stages.

#include "core/engine.h"
#include "core/evaluate.h"
#include "core/results.h"
#include "core/source.h"
#include "core/stages/rule.h"
#include "core/visibility.h"
#include "support.h"
#include "tests/support/dependencies.h"

#include <cmath>

namespace attnscope::test {
namespace {

AttentionConfig edited_config(Mechanism mechanism, Index tokens, unsigned seed) {
  AttentionConfig config = config_of(mechanism);
  config.inputs = RandnInputs{.tokens = tokens, .features = 5};
  config.d_out = 6;
  config.num_heads = 2;
  config.dropout = 0.3;
  config.mask = MaskRoute::custom;
  config.hidden = random_mask({tokens, tokens}, seed);
  return config;
}

TEST(EditedMask, VisibilityIsAllButWhatItHides) {
  const MaskSize size{40, 70};
  const Visibility seen{.keys = size.keys, .hidden = random_mask(size, 3)};
  for (Index query = 0; query < size.queries; ++query) {
    std::vector<bool> is_hidden(static_cast<std::size_t>(size.keys));
    for (const KeyRange& range : seen.hidden.of(query)) {
      for (Index key = range.first; key < range.last; ++key) is_hidden[static_cast<std::size_t>(key)] = true;
    }
    Index count = 0;
    for (Index key = 0; key < size.keys; ++key) {
      EXPECT_EQ(seen.hides(query, key), is_hidden[static_cast<std::size_t>(key)]) << query << " " << key;
      count += is_hidden[static_cast<std::size_t>(key)] ? 0 : 1;
    }
    EXPECT_EQ(seen.count(query), count);
    const KeyRange span = seen.of(query);
    EXPECT_EQ(span.is_empty(), count == 0);
    EXPECT_FALSE(count > 0 && (seen.hides(query, span.first) || seen.hides(query, span.last - 1)));
    std::vector<bool> is_visited(static_cast<std::size_t>(size.keys));
    const auto visit = [&](bool hidden) {
      return [&, hidden](const KeyRange& keys) {
        for (Index key = keys.first; key < keys.last; ++key) {
          EXPECT_FALSE(is_visited[static_cast<std::size_t>(key)]);
          is_visited[static_cast<std::size_t>(key)] = true;
          EXPECT_EQ(is_hidden[static_cast<std::size_t>(key)], hidden);
        }
      };
    };
    for_each_seen(seen, query, 9, 60, visit(false));
    for_each_hidden(seen, query, 9, 60, visit(true));
    EXPECT_EQ(std::ranges::count(is_visited, true), 51);
  }
}

TEST(EditedMask, HidesTheSameByTheEngineAndByTheReadableStages) {
  unsigned seed = 1;
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const Index tokens : {1, 7, 65, 331, 1100}) {
      AttentionConfig config = edited_config(mechanism.mechanism, tokens, ++seed);
      if (seed % 3 == 0) config.softcap = 2;
      SCOPED_TRACE(describe(config));
      const Result kept = evaluate_readable(config, serial());
      const Result computed = evaluate_by_engine(config, openmp(2));
      for (const StageInfo& stage : stages()) {
        if (!has(computed, stage.stage)) continue;
        EXPECT_TRUE(close(read_stage(computed, stage.stage), *kept.find(stage.stage), 4e-6)) << stage.id;
      }
    }
  }
}

TEST(EditedMask, AsACausalMaskGivesTheBitsOfOne) {
  AttentionConfig causal = edited_config(Mechanism::multi_head_attention, 300, 1);
  AttentionConfig edited = causal;
  causal.mask = MaskRoute::causal;
  causal.hidden = {};
  edited.hidden = hide_outside_window({300, 300}, 300, true);
  for (const Way way : both_ways) {
    const Result expected = evaluate_by(way, causal, serial());
    const Result actual = evaluate_by(way, edited, serial());
    EXPECT_TRUE(same_bits(*actual.find(Stage::output), *expected.find(Stage::output)));
    EXPECT_TRUE(same_bits(read_stage(actual, Stage::weights), read_stage(expected, Stage::weights)));
  }
  EXPECT_EQ(hidden_keys(causal), edited.hidden);
}

TEST(EditedMask, OfARowThatSeesNoKeyMakesItZeros) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.mask = MaskRoute::custom;
  config.hidden = HiddenKeys({{{0, 6}}, {{2, 4}}, {}, {}, {}, {}});
  for (const Way way : both_ways) {
    const Result result = evaluate_by(way, config, serial());
    const Source cell{.stage = Stage::weights, .row = 0, .col = 2};
    EXPECT_EQ(value_at(result, cell), 0);
    EXPECT_EQ(explain(result, cell).operation, &operations::nothing_left);
    EXPECT_TRUE(dependencies(config, cell).empty());
    EXPECT_EQ(value_at(result, {.stage = Stage::context, .row = 0}), 0);
    EXPECT_EQ(value_at(result, {.stage = Stage::masked_scores, .row = 0, .kind = SourceKind::exponential_sum}), 0);
    EXPECT_EQ(explain(result, {.stage = Stage::weights, .row = 1}).operation, &operations::softmax);
  }
}

// Extremes and row sums, against every cell read by itself.
TEST(EditedMask, SummariesAreThoseOfTheCells) {
  for (const Index tokens : {65, 700}) {
    const AttentionConfig config = edited_config(Mechanism::multi_head_attention, tokens, 5);
    const Result result = evaluate_by_engine(config, serial());
    std::vector<Stage> wanted;
    for (const Stage stage : score_route(config)) wanted.push_back(stage);
    wanted.push_back(Stage::mask);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      SCOPED_TRACE(info(wanted[i]).id);
      const MatrixSummary summary = summarize_matrix(result, wanted[i], wanted[i] == Stage::mask ? 0 : 1, serial());
      const Tensor cells = read_stage(result, wanted[i]);
      StageSummary::Extremes expected = no_extremes;
      for (Index row = 0; row < tokens; ++row) {
        double sum = 0;
        double magnitude = 1e-3;
        for (const float cell : cells.matrix(wanted[i] == Stage::mask ? 0 : 1).row(row)) {
          if (!std::isfinite(cell)) continue;
          widen(expected, {cell, cell});
          sum += static_cast<double>(cell);
          magnitude += std::abs(static_cast<double>(cell));
        }
        EXPECT_NEAR(summary.row_sums[static_cast<std::size_t>(row)], sum, 1e-5 * magnitude) << row;
      }
      EXPECT_EQ(summary.extremes.low, expected.low);
      EXPECT_EQ(summary.extremes.high, expected.high);
    }
  }
}

TEST(EditedMask, ReusesWhatComesBeforeIt) {
  const AttentionConfig before = edited_config(Mechanism::causal_attention, 150, 2);
  AttentionConfig after = before;
  after.hidden = with_cell(before.hidden, 140, 3, true);
  const StageSet stale = stale_stages(before, after);
  EXPECT_FALSE(stale.contains(Stage::scores));
  EXPECT_FALSE(stale.contains(Stage::dropout_factors));
  EXPECT_TRUE(stale.contains(Stage::mask) && stale.contains(Stage::weights) && stale.contains(Stage::context));
  Engine engine;
  const Result first = evaluate_by_engine(before, serial(), nullptr, &engine);
  const Result second = evaluate_by_engine(after, serial(), &first, &engine);
  EXPECT_TRUE(same_bits(*second.find(Stage::context), *evaluate_by_engine(after, serial()).find(Stage::context)));
  AttentionConfig moved = after;
  moved.inputs = noise({150, 5}, 1);
  const Result third = evaluate_by_engine(moved, serial(), nullptr, &engine);
  add(moved, 140, 2, 0.5F);
  const Result fourth = evaluate_by_engine(moved, serial(), &third, &engine);
  EXPECT_TRUE(same_bits(*fourth.find(Stage::context), *evaluate_by_engine(moved, serial()).find(Stage::context)));
}

TEST(EditedMask, IsRefusedWhereItDoesNotFit) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.mask = MaskRoute::custom;
  EXPECT_THROW(check(config), Error);
  config.hidden = hide_outside_window({5, 5}, 5, true);
  EXPECT_THROW(check(config), Error);
  config.hidden = HiddenKeys({{{0, 7}}, {}, {}, {}, {}, {}});
  EXPECT_THROW(check(config), Error);
  config.hidden = HiddenKeys({{{0, 6}}, {}, {}, {}, {}, {}});
  EXPECT_NO_THROW(check(config));
  config.mechanism = Mechanism::simple_self_attention;
  config.normalization = Normalization::sum;
  EXPECT_THROW(check(config), Error);
}

}  // namespace
}  // namespace attnscope::test
