#include "core/evaluate.h"
#include "support.h"

#include <set>

namespace attnscope::test {
namespace {

TEST(StageTable, HasOneFullRowForEachStage) {
  std::set<std::string_view> ids;
  for (const StageInfo& stage : stages()) {
    EXPECT_EQ(&info(stage.stage), &stage);
    EXPECT_EQ(stage_named(stage.id), stage.stage);
    EXPECT_TRUE(ids.insert(stage.id).second) << stage.id;
    for (const std::string_view text :
         {stage.id, stage.title, stage.symbol, stage.latex, stage.formula, stage.pytorch}) {
      EXPECT_FALSE(text.empty()) << stage.id;
    }
  }
}

TEST(MechanismTable, HasOneFullRowForEachMechanismInOrder) {
  ASSERT_EQ(mechanisms().size(), 6U);
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < mechanisms().size(); ++i) {
    const MechanismInfo& mechanism = mechanisms()[i];
    EXPECT_EQ(static_cast<std::size_t>(mechanism.mechanism), i);
    EXPECT_EQ(&info(mechanism.mechanism), &mechanism);
    EXPECT_TRUE(ids.insert(mechanism.id).second) << mechanism.id;
    EXPECT_FALSE(mechanism.title.empty());
    EXPECT_EQ(mechanism.adds.back(), '.') << mechanism.id;
    EXPECT_EQ(mechanism.notebook_class.empty(), mechanism.weight_style == WeightStyle::none);
  }
}

TEST(MechanismTable, OnlyTheLastSplitsHeadsAndProjectsTheOutput) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    const bool is_last = mechanism.mechanism == Mechanism::multi_head_attention;
    EXPECT_EQ(mechanism.splits_heads, is_last);
    EXPECT_EQ(mechanism.has_output_projection, is_last);
    EXPECT_EQ(mechanism.has_dropout, mechanism.has_mask_by_default);
  }
}

}  // namespace
}  // namespace attnscope::test
