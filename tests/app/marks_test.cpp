#include "view/picture.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "tests/support/dependencies.h"

namespace attnscope {
namespace {

using test::dependencies;

AttentionConfig two_heads() {
  AttentionConfig config;
  config.inputs = RandnInputs{6, 3};
  config.mechanism = Mechanism::multi_head_attention;
  config.mask = MaskRoute::causal;
  config.d_out = 4;
  config.num_heads = 2;
  config.dropout = 0.5;
  return config;
}

// Rows of `stage` that the number follows from, over any number of steps.
std::set<Index> rows_it_follows_from(const AttentionConfig& config, const Source& source, Stage stage) {
  std::set<Index> rows;
  std::set<std::tuple<Stage, Index, Index, Index, SourceKind>> seen;
  std::vector<Source> open{source};
  while (!open.empty()) {
    const Source at = open.back();
    open.pop_back();
    if (at.stage == stage) rows.insert(at.row);
    for (const Source& next : test::dependencies(config, at)) {
      if (seen.insert({next.stage, next.head, next.row, next.col, next.kind}).second) open.push_back(next);
    }
  }
  return rows;
}

std::set<Index> marked_rows(const AttentionConfig& config, const Source& of, Stage in) {
  const MarkedLines lines = marked_lines(config, of, in);
  std::set<Index> rows{lines.row, lines.second_row};
  rows.erase(-1);
  return rows;
}

TEST(Marks, OfAPairAreTheRowsThatItsScoreFollowsFrom) {
  const AttentionConfig config = two_heads();
  for (Index query = 0; query < 6; ++query) {
    for (Index key = 0; key < 6; ++key) {
      const Source score{.stage = Stage::scores, .head = 1, .row = query, .col = key};
      for (const Stage stage : {Stage::queries, Stage::keys, Stage::inputs})
        EXPECT_EQ(marked_rows(config, score, stage), rows_it_follows_from(config, score, stage)) << info(stage).id;
    }
  }
}

TEST(Marks, OfATokenAreInWhatItFollowsFromAndNotOnItsOtherSide) {
  const AttentionConfig config = two_heads();
  for (const Stage pinned : {Stage::queries, Stage::keys, Stage::values}) {
    const Source source{.stage = pinned, .row = 2, .col = 1};
    EXPECT_EQ(marked_rows(config, source, Stage::inputs), rows_it_follows_from(config, source, Stage::inputs));
    EXPECT_EQ(marked_rows(config, source, pinned), std::set<Index>{2});
  }
  const Source key{.stage = Stage::keys, .row = 2, .col = 1};
  EXPECT_EQ(marked_lines(config, key, Stage::queries), MarkedLines());
  EXPECT_EQ(marked_lines(config, key, Stage::head_context), MarkedLines());
  EXPECT_EQ(marked_lines(config, key, Stage::scores), MarkedLines{.col = 2});
  const Source query{.stage = Stage::queries, .row = 2, .col = 1};
  EXPECT_EQ(marked_lines(config, query, Stage::keys), MarkedLines());
  EXPECT_EQ(marked_lines(config, query, Stage::scores), MarkedLines{.row = 2});
}

TEST(Marks, KeysAndValuesHaveTheRowOfTheKeyAndTheContextThatOfTheQuery) {
  const AttentionConfig config = two_heads();
  const Source weight{.stage = Stage::weights, .row = 3, .col = 2};
  EXPECT_EQ(marked_lines(config, weight, Stage::keys), MarkedLines{.row = 2});
  EXPECT_EQ(marked_lines(config, weight, Stage::values), MarkedLines{.row = 2});
  EXPECT_EQ(marked_lines(config, weight, Stage::head_context), MarkedLines{.row = 3});
  EXPECT_EQ(marked_lines(config, weight, Stage::inputs), (MarkedLines{.row = 3, .second_row = 2}));
  EXPECT_EQ(marked_lines(config, weight, Stage::mask), (MarkedLines{.row = 3, .col = 2}));
}

TEST(Marks, OfAnInputAreThoseOfItsTokenAsQueryAndAsKey) {
  const AttentionConfig config = two_heads();
  const Source input{.stage = Stage::inputs, .row = 4, .col = 1};
  EXPECT_EQ(marked_lines(config, input, Stage::scores), (MarkedLines{.row = 4, .col = 4}));
  EXPECT_EQ(marked_lines(config, input, Stage::keys), MarkedLines{.row = 4});
  EXPECT_EQ(marked_lines(config, input, Stage::inputs), MarkedLines{.row = 4});
}

TEST(Marks, OfWeightsAreTheLinesThatANumberIsComputedFrom) {
  const AttentionConfig config = two_heads();
  const Source query{.stage = Stage::queries, .head = 1, .row = 2, .col = 1};
  EXPECT_EQ(marked_lines(config, query, Stage::query_weight), MarkedLines{.row = 3});
  EXPECT_EQ(marked_lines(config, query, Stage::key_weight), MarkedLines());
}

}  // namespace
}  // namespace attnscope
