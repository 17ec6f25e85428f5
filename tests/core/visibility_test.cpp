#include "core/visibility.h"

#include "support.h"

namespace attnscope::test {
namespace {

TEST(Visibility, WithoutAMaskEveryKeyIsSeen) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  EXPECT_EQ(visibility(config).of(0), (KeyRange{0, 6}));
  EXPECT_FALSE(visibility(config).hides_any(6));
}

TEST(Visibility, EveryMaskShowsTheKeysUpToTheQuery) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  for (const MaskRoute mask : {MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    config.mask = mask;
    for (Index query = 0; query < 6; ++query) EXPECT_EQ(visibility(config).of(query), (KeyRange{0, query + 1}));
    EXPECT_TRUE(visibility(config).hides_any(6));
    EXPECT_TRUE(visibility(config).hides(2, 3));
    EXPECT_FALSE(visibility(config).hides(3, 3));
  }
}

TEST(Visibility, StagesBehindTheMaskHideKeys) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  EXPECT_EQ(visibility(config, Stage::scores).of(0), (KeyRange{0, 6}));
  EXPECT_EQ(visibility(config, Stage::masked_scores).of(0), (KeyRange{0, 1}));
  EXPECT_EQ(visibility(config, Stage::weights).of(0), (KeyRange{0, 1}));
  EXPECT_EQ(visibility(config, Stage::dropout_factors).of(0), (KeyRange{0, 6}));
  config.mask = MaskRoute::causal_after_softmax;
  EXPECT_EQ(visibility(config, Stage::weights).of(0), (KeyRange{0, 6}));
  EXPECT_EQ(visibility(config, Stage::masked_weights).of(0), (KeyRange{0, 1}));
}

// Three keys back, seen by more queries than there are keys: the first and the last see fewer, or none.
TEST(Visibility, WindowsEndWhereTheKeysEnd) {
  const Visibility window{.keys = 4, .first = -2, .last = 1};
  EXPECT_EQ(window.of(0), (KeyRange{0, 1}));
  EXPECT_EQ(window.of(3), (KeyRange{1, 4}));
  EXPECT_EQ(window.of(5), (KeyRange{3, 4}));
  EXPECT_EQ(window.of(6), (KeyRange{4, 4}));
  const Visibility lower_right{.keys = 2, .last = -1};  // of four queries, the last sees both keys
  EXPECT_EQ(lower_right.of(1), (KeyRange{0, 0}));
  EXPECT_EQ(lower_right.of(3), (KeyRange{0, 2}));
}

// Counted in closed form as one by one: full triangles, windows, fewer keys than queries, no mask.
TEST(Visibility, CountsThePairsThatAreSeen) {
  for (const Visibility& seen :
       {Visibility{.keys = 9, .last = 1}, Visibility{.keys = 9}, Visibility{.keys = 9, .first = -2, .last = 2},
        Visibility{.keys = 4, .last = -1}, Visibility{.keys = 4, .first = -1, .last = 1}}) {
    for (const Index first : {0, 3, 8}) {
      double expected = 0;
      for (Index query = first; query < 9; ++query) expected += static_cast<double>(seen.of(query).count());
      EXPECT_EQ(seen.pairs(first, 9), expected) << seen.first << " " << seen.last << " from " << first;
    }
  }
}

TEST(Visibility, OfSeveralQueriesReachesFromTheFirstToTheLastKey) {
  const Visibility window{.keys = 4, .first = -2, .last = 1};
  EXPECT_EQ(window.of_any(1, 3), (KeyRange{0, 4}));
  EXPECT_EQ(window.of_any(4, 2), (KeyRange{2, 4}));
  EXPECT_TRUE(window.of_any(1, 0).is_empty());
}

TEST(Visibility, KnowsWhichQueryIsTheFirstToSeeAKeyOrALaterOne) {
  EXPECT_EQ((Visibility{.keys = 9, .last = 1}.first_query_of(5)), 5);
  EXPECT_EQ((Visibility{.keys = 9, .last = -1}.first_query_of(5)), 7);
  EXPECT_EQ(Visibility{.keys = 9}.first_query_of(5), 0);
}

}  // namespace
}  // namespace attnscope::test
