#include "view/diagram.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>
#include <vector>

#include "diagram_rules.h"

namespace attnscope::test {
namespace {

// A document with dropout, as it stands in a window.
class Steps {
public:
  explicit Steps(Mechanism mechanism, double dropout = 0.5) {
    config_.inputs = RandnInputs{6, 3};
    config_.mechanism = mechanism;
    config_.mask = MaskRoute::causal;
    config_.d_out = 4;
    config_.num_heads = 2;
    config_.dropout = dropout;
    const std::vector<std::string> names = {"Your", "journey", "starts", "with", "one", "step"};
    shape_ = scene::diagram_shape(evaluate(config_), names, {}, {});
    layout_ = *scene::layout_diagram(shape_, window_canvas(1440, 900), letter_width);
  }

  std::optional<Source> step(const Source& from, int rows, int columns) const {
    return scene::step_in_diagram(layout_, config_, from, rows, columns);
  }
  const scene::DiagramLayout& layout() const { return layout_; }

  // The stages that the arrows lead to, cell by cell.
  std::set<Stage> reached_from(const Source& start) const {
    std::set<Stage> stages;
    std::set<std::tuple<Stage, Index, Index, Index>> seen;
    std::vector<Source> open{start};
    while (!open.empty()) {
      const Source at = open.back();
      open.pop_back();
      stages.insert(at.stage);
      for (const auto& [rows, columns] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const std::optional<Source> next = step(at, rows, columns);
        if (next && seen.insert({next->stage, next->head, next->row, next->col}).second) open.push_back(*next);
      }
    }
    return stages;
  }

private:
  AttentionConfig config_;
  scene::DiagramShape shape_;
  scene::DiagramLayout layout_;
};

TEST(DiagramSteps, GoFromCellToCell) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source weight{.stage = Stage::weights, .row = 2, .col = 1};
  EXPECT_EQ(steps.step(weight, 1, 0), (Source{.stage = Stage::weights, .row = 3, .col = 1}));
  EXPECT_EQ(steps.step(weight, 0, -1), (Source{.stage = Stage::weights, .row = 2, .col = 0}));
}

TEST(DiagramSteps, KeepTheRowFromMatrixToMatrixOfALine) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source score{.stage = Stage::scores, .row = 3, .col = 5};
  EXPECT_EQ(steps.step(score, 0, 1), (Source{.stage = Stage::masked_scores, .row = 3, .col = 0}));
  const Source masked{.stage = Stage::masked_scores, .row = 3, .col = 0};
  EXPECT_EQ(steps.step(masked, 0, -1), score);
  const Source input{.stage = Stage::inputs, .row = 4, .col = 2};
  EXPECT_EQ(steps.step(input, 0, 1), (Source{.stage = Stage::queries, .row = 4, .col = 0}));
}

TEST(DiagramSteps, GoThroughTheHeadsOfAProjection) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source query{.stage = Stage::queries, .row = 1, .col = 1};
  EXPECT_EQ(steps.step(query, 0, 1), (Source{.stage = Stage::queries, .head = 1, .row = 1, .col = 0}));
}

TEST(DiagramSteps, GoOnWithinTheirHeadAndItsEntry) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source query{.stage = Stage::queries, .batch = 1, .head = 1, .row = 1, .col = 0};
  EXPECT_EQ(steps.step(query, 1, 0), (Source{.stage = Stage::queries, .batch = 1, .head = 1, .row = 2, .col = 0}));
  EXPECT_EQ(steps.step(query, 0, 1), (Source{.stage = Stage::queries, .batch = 1, .head = 1, .row = 1, .col = 1}));
  EXPECT_EQ(steps.step(query, 0, -1), (Source{.stage = Stage::queries, .batch = 1, .head = 0, .row = 1, .col = 1}));
}

TEST(DiagramSteps, IntoAProjectionLeadToTheHeadThatIsLookedAt) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source weight{.stage = Stage::weights, .row = 1, .col = 0};
  EXPECT_EQ(steps.step(weight, 0, -1), (Source{.stage = Stage::values, .row = 1, .col = 1}));
  for (const scene::PlacedMatrix& matrix : steps.layout().matrices) {
    for (const auto& [rows, columns] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const std::optional<Source> next = steps.step({.stage = matrix.stage}, rows, columns);
      const bool is_entered = next && next->stage != matrix.stage;
      EXPECT_TRUE(!is_entered || next->head == 0) << info(matrix.stage).id;
    }
  }
}

TEST(DiagramSteps, FollowWhatIsShownWhereTheMatrixIsTurned) {
  const Steps steps(Mechanism::multi_head_attention);
  const Source query{.stage = Stage::queries, .row = 0, .col = 0};
  const std::optional<Source> weight = steps.step(query, -1, 0);
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->stage, Stage::query_weight);
  EXPECT_EQ(weight->col, 2) << "the last input dimension, which stands in the last row";
  EXPECT_EQ(steps.step(*weight, 1, 0)->stage, Stage::queries);
}

TEST(DiagramSteps, EndAtTheEdgeOfTheDiagram) {
  const Steps steps(Mechanism::multi_head_attention);
  EXPECT_FALSE(steps.step({.stage = Stage::inputs, .row = 2, .col = 0}, 0, -1));
  EXPECT_FALSE(steps.step({.stage = Stage::renormalized_weights}, 1, 0)) << "a stage that is not there";
}

// Whoever has no mouse gets everywhere.
TEST(DiagramSteps, ReachEveryMatrixOfEveryMechanism) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const double dropout : {0.0, 0.5}) {
      const Steps steps(mechanism.mechanism, dropout);
      const std::set<Stage> reached = steps.reached_from({.stage = Stage::weights});
      for (const scene::PlacedMatrix& matrix : steps.layout().matrices)
        EXPECT_TRUE(reached.contains(matrix.stage)) << mechanism.id << " " << info(matrix.stage).id;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
