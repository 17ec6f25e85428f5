#include "look/diagram_steps.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>
#include <vector>

#include "look/diagram.h"

namespace attnscope {
namespace {

AttentionConfig dropped_heads(Mechanism mechanism, double dropout = 0.5) {
  AttentionConfig config;
  config.inputs = RandnInputs{6, 3};
  config.mechanism = mechanism;
  config.mask = MaskRoute::causal;
  config.d_out = 4;
  config.num_heads = 2;
  config.dropout = dropout;
  return config;
}

// The stages that the arrows lead to, cell by cell.
std::set<Stage> reached_from(const AttentionConfig& config, const Source& start) {
  std::set<Stage> stages;
  std::set<std::tuple<Stage, Index, Index, Index>> seen;
  std::vector<Source> open{start};
  while (!open.empty()) {
    const Source at = open.back();
    open.pop_back();
    stages.insert(at.stage);
    for (const auto& [rows, cols] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const std::optional<Source> next = step_in_diagram(config, at, 0, rows, cols);
      if (next && seen.insert({next->stage, next->head, next->row, next->col}).second) open.push_back(*next);
    }
  }
  return stages;
}

TEST(DiagramSteps, GoFromCellToCell) {
  const AttentionConfig config = dropped_heads(Mechanism::multi_head_attention);
  const Source weight{.stage = Stage::weights, .row = 2, .col = 1};
  EXPECT_EQ(step_in_diagram(config, weight, 0, 1, 0), (Source{.stage = Stage::weights, .row = 3, .col = 1}));
  EXPECT_EQ(step_in_diagram(config, weight, 0, 0, -1), (Source{.stage = Stage::weights, .row = 2, .col = 0}));
}

TEST(DiagramSteps, KeepTheRowFromMatrixToMatrixOfABand) {
  const AttentionConfig config = dropped_heads(Mechanism::multi_head_attention);
  const Source score{.stage = Stage::scores, .row = 3, .col = 5};
  EXPECT_EQ(step_in_diagram(config, score, 0, 0, 1), (Source{.stage = Stage::masked_scores, .row = 3, .col = 0}));
  const Source masked{.stage = Stage::masked_scores, .row = 3, .col = 0};
  EXPECT_EQ(step_in_diagram(config, masked, 0, 0, -1), score);
  const Source input{.stage = Stage::inputs, .row = 4, .col = 2};
  EXPECT_EQ(step_in_diagram(config, input, 0, 0, 1), (Source{.stage = Stage::queries, .row = 4, .col = 0}));
}

TEST(DiagramSteps, GoThroughTheHeadsOfAProjection) {
  const AttentionConfig config = dropped_heads(Mechanism::multi_head_attention);
  const Source query{.stage = Stage::queries, .row = 1, .col = 1};
  EXPECT_EQ(step_in_diagram(config, query, 0, 0, 1), (Source{.stage = Stage::queries, .head = 1, .row = 1, .col = 0}));
}

TEST(DiagramSteps, FollowWhatIsShownWhereTheMatrixIsTurned) {
  const AttentionConfig config = dropped_heads(Mechanism::multi_head_attention);
  const Source query{.stage = Stage::queries, .row = 0, .col = 0};
  const std::optional<Source> weight = step_in_diagram(config, query, 0, -1, 0);
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->stage, Stage::query_weight);
  EXPECT_EQ(weight->col, 2) << "the last input dimension, which stands in the last row";
  EXPECT_EQ(step_in_diagram(config, *weight, 0, 1, 0)->stage, Stage::queries);
}

// Whoever has no mouse gets everywhere.
TEST(DiagramSteps, ReachEveryMatrixOfEveryMechanism) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    if (mechanism.weight_style == WeightStyle::none && mechanism.mechanism != Mechanism::simple_self_attention)
      continue;
    for (const double dropout : {0.0, 0.5}) {
      const AttentionConfig config = dropped_heads(mechanism.mechanism, dropout);
      const std::set<Stage> reached = reached_from(config, {.stage = Stage::weights});
      for (const DiagramMatrix& matrix : diagram_matrices(config)) {
        if (!matrix.is_present) continue;
        EXPECT_TRUE(reached.contains(matrix.stage)) << mechanism.id << " " << info(matrix.stage).id;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope
