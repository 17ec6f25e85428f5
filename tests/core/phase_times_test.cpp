#include "core/phase_times.h"

#include "core/engine.h"
#include "support.h"

namespace attnscope::test {
namespace {

AttentionConfig config_of_size(Index tokens) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({tokens, 16}, 5);
  config.d_out = 24;
  config.num_heads = 3;
  config.batch_size = 2;
  config.dropout = 0.25;
  return config;
}

double seconds(const Result& result, Phase phase) { return result.phases.seconds[static_cast<std::size_t>(phase)]; }
double operations(const Result& result, Phase phase) {
  return result.phases.operations[static_cast<std::size_t>(phase)];
}

TEST(Phases, AreDescribedInTheirOrder) {
  for (const PhaseInfo& phase : phases()) {
    EXPECT_EQ(&info(phase.phase), &phase);
    EXPECT_NE(phase.title, "");
    EXPECT_NE(phase.what, "");
  }
}

TEST(Operations, OfPairsAreThoseThatALoopCounts) {
  AttentionConfig config = config_of_size(37);
  const double features = 2.0 * 2 * 24;  // two operations, two batch entries
  for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax}) {
    config.mask = mask;
    for (const Index first : {0, 1, 20, 37}) {
      double scores = 0;
      double values = 0;
      for (Index query = first; query < 37; ++query) {
        for (Index key = 0; key < 37; ++key) {
          scores += mask == MaskRoute::causal && key > query ? 0 : features;
          values += mask != MaskRoute::none && key > query ? 0 : features;
        }
      }
      EXPECT_DOUBLE_EQ(score_operations(config, first), scores);
      EXPECT_DOUBLE_EQ(value_operations(config, first), values);
    }
  }
}

TEST(PhaseTimes, CountEveryOperationOfAFreshEvaluation) {
  for (const AttentionConfig& config : varied_configs()) {
    for (const Way way : both_ways) {
      const Result result = evaluate_by(way, config, serial());
      EXPECT_DOUBLE_EQ(result.phases.all_operations(), operation_count(config)) << describe(config);
    }
  }
}

TEST(PhaseTimes, AreOfEveryPhaseThatAnEvaluationGoesThrough) {
  for (const Execution& execution : {serial(), openmp(2)}) {
    const Result result = evaluate_by_engine(config_of_size(300), execution, nullptr);
    for (const PhaseInfo& phase : phases()) {
      if (phase.phase == Phase::copies) continue;  // the engine makes none
      EXPECT_GT(seconds(result, phase.phase), 0) << phase.title;
    }
    EXPECT_LE(result.phases.all_seconds(), result.seconds) << "no moment counts twice";
  }
  const Result readable = evaluate_readable(config_of_size(60), serial());
  for (const Phase phase : {Phase::inputs, Phase::parameters, Phase::dropout, Phase::projections, Phase::attention,
                            Phase::output, Phase::copies}) {
    EXPECT_GT(seconds(readable, phase), 0) << info(phase).title;
  }
  EXPECT_EQ(seconds(readable, Phase::key_packing), 0);
  EXPECT_LE(readable.phases.all_seconds(), readable.seconds);
}

TEST(PhaseTimes, HaveNothingOfWhatIsShared) {
  const AttentionConfig before = config_of_size(300);
  for (const Way way : both_ways) {
    Engine engine;
    const Result earlier = evaluate_by(way, before, serial(), nullptr, &engine);
    AttentionConfig after = before;
    after.dropout = 0.5;
    const Result dropped = evaluate_by(way, after, serial(), &earlier, &engine);
    EXPECT_EQ(operations(dropped, Phase::projections), 0);
    EXPECT_EQ(seconds(dropped, Phase::parameters), 0);
    EXPECT_LT(dropped.phases.all_operations(), operation_count(after));
    const Result same = evaluate_by(way, before, serial(), &earlier, &engine);
    EXPECT_EQ(same.phases.all_seconds(), 0);
    EXPECT_EQ(same.phases.all_operations(), 0);
  }
}

TEST(PhaseTimes, CountOnlyTheTokensThatAChangeReaches) {
  const AttentionConfig before = config_of_size(300);
  Engine engine;
  const Result earlier = evaluate_by_engine(before, serial(), nullptr, &engine);
  AttentionConfig after = before;
  add(after, 290, 0, 1);
  const Result moved = evaluate_by_engine(after, serial(), &earlier, &engine);
  EXPECT_EQ(operations(moved, Phase::projections), projection_operations(after, 1));
  const double attention = operations(moved, Phase::attention);
  EXPECT_GE(attention, score_operations(after, 290) + value_operations(after, 290));
  EXPECT_LT(attention, (score_operations(after) + value_operations(after)) / 5) << "one block of queries";
}

TEST(InstructionSet, IsThatOfTheCodeThatRan) {
  for (const Kernels* set : available_kernels()) {
    Engine engine(*set);
    EXPECT_EQ(evaluate_by_engine(config_of_size(60), serial(), nullptr, &engine).instruction_set, set->name);
  }
  EXPECT_NE(evaluate_readable(config_of_size(60), serial()).instruction_set, "");
}

}  // namespace
}  // namespace attnscope::test
