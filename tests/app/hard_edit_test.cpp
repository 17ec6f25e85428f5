// Edits and ready pairs of documents with two batch entries, three heads, a mask beside dropout and a bias.

#include <fmt/format.h>

#include "core/evaluate.h"
#include "core/visibility.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/sweep.h"
#include "support.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

float at(const Result& result, Stage stage, Index batch, Index head, Index row, Index col) {
  return value_at(result, {.stage = stage, .batch = batch, .head = head, .row = row, .col = col});
}

// The document whose dropout is set by hand for the pairs (query, key) of tokens.
Document with_dropout_by_hand() {
  Document document = hard_document();
  document.config.bias = Tensor();  // which is of six tokens
  for (const auto& [query, key] : {std::pair{1, 0}, {3, 2}, {4, 2}, {5, 0}, {5, 4}})
    set_dropout_edit(document, {1, 2, query, key, true});
  return document;
}

// "journey → Your": the pairs of tokens whose dropout is set by hand.
Names pairs_by_hand(const Document& document) {
  Names pairs;
  for (const DropoutEdit& edit : document.config.dropout_edits) {
    EXPECT_EQ(edit.batch, 1);
    EXPECT_EQ(edit.head, 2);
    pairs.push_back(fmt::format("{} → {}", document.tokens[static_cast<std::size_t>(edit.query)],
                                document.tokens[static_cast<std::size_t>(edit.key)]));
  }
  std::ranges::sort(pairs);
  return pairs;
}

TEST(HardEdits, DropoutByHandStaysWithItsTokens) {
  const Document before = with_dropout_by_hand();
  for (Index from = 0; from < 6; ++from) {
    for (Index to = 0; to < 6; ++to) {
      Document moved = before;
      move_token(moved, from, to);
      EXPECT_EQ(pairs_by_hand(moved), pairs_by_hand(before)) << from << " to " << to;
    }
    Document longer = before;
    duplicate_token(longer, from);
    longer.tokens = [&] {
      Names names(longer.tokens.begin(), longer.tokens.end());
      names[static_cast<std::size_t>(from + 1)] = "copy";
      return names;
    }();
    EXPECT_EQ(pairs_by_hand(longer), pairs_by_hand(before)) << "copy of " << from;
    Document shorter = before;
    delete_token(shorter, from);
    Names left = pairs_by_hand(before);
    const std::string gone = before.tokens[static_cast<std::size_t>(from)];
    std::erase_if(left, [&](const std::string& pair) { return pair.starts_with(gone) || pair.ends_with(gone); });
    EXPECT_EQ(pairs_by_hand(shorter), left) << "without " << gone;
  }
}

TEST(HardEdits, ABiasByDistanceIsZeroBesideTheLastKey) {
  for (const auto& [queries, keys] : {std::pair<Index, Index>{3, 5}, {5, 3}}) {
    Document document = hard_given(queries, keys);
    set_distance_bias(document, 0.5F);
    for (Index query = 0; query < queries; ++query) {
      for (Index key = 0; key < keys; ++key) {
        const auto distance = static_cast<float>(std::abs((queries - 1 - query) - (keys - 1 - key)));
        EXPECT_EQ(document.config.bias.row(query)[static_cast<std::size_t>(key)], distance == 0 ? 0 : -0.5F * distance);
      }
    }
  }
}

TEST(HardEdits, AHeadIsCopiedToItsPlaceInEveryWeight) {
  for (const Stage stage : {Stage::query_weight, Stage::value_weight, Stage::key_bias, Stage::output_weight}) {
    SCOPED_TRACE(info(stage).id);
    Document document = hard_document();
    const Tensor before = read_stage(evaluate(document.config), stage);
    copy_weights_of_head(document, stage, 2, 1);
    const Tensor after = read_stage(evaluate(document.config), stage);
    const bool are_rows = stage == Stage::query_weight || stage == Stage::value_weight;
    for (Index row = 0; row < after.rows(); ++row) {
      for (Index col = 0; col < after.cols(); ++col) {
        const Index along = are_rows ? row : col;
        const bool is_copy = along / 2 == 1;
        const Index from = is_copy ? along + 2 : along;
        EXPECT_EQ(after.matrix()(row, col), are_rows ? before.matrix()(from, col) : before.matrix()(row, from));
      }
    }
  }
}

TEST(HardEdits, ThePairOfHeadsHasTheNextHeadAndAfterTheLastTheFirst) {
  for (Index head = 0; head < hard_heads; ++head) {
    Document document = hard_document();
    document.config.bias = Tensor();
    const auto pair = std::ranges::find(ready_pairs(), "heads", &ReadyPair::id);
    make_pair(document, *pair, head);
    const Result before = evaluate(document.compared->config);
    const Result now = evaluate(document.config);
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col)
        EXPECT_NEAR(at(before, Stage::scores, 1, head, row, col),
                    at(now, Stage::scores, 1, (head + 1) % hard_heads, row, col), 1e-6);
    }
  }
}

// Whatever one of both mechanisms has alone is in neither: shared keys, and positions.
TEST(HardEdits, ThePairOfWrapperAndSplitHasTheSameContexts) {
  Document document = hard_document();
  document.config.bias = Tensor();
  document.config.dropout = 0;
  document.config.d_out = 4 * hard_heads;
  document.config.num_kv_heads = 1;
  document.config.rope.emplace();
  make_pair(document, *std::ranges::find(ready_pairs(), "wrapper_split", &ReadyPair::id), 0);
  const Tensor wrapper = read_stage(evaluate(document.compared->config), Stage::context);
  const Tensor split = read_stage(evaluate(document.config), Stage::context);
  ASSERT_EQ(wrapper.shape, split.shape);
  for (std::size_t i = 0; i < wrapper.values.size(); ++i) EXPECT_NEAR(wrapper.values[i], split.values[i], 1e-6);
}

TEST(HardEdits, PairsDifferInWhatTheyAreNamedFor) {
  const auto made = [](std::string_view id) {
    Document document = hard_document();
    make_pair(document, *std::ranges::find(ready_pairs(), id, &ReadyPair::id), 0);
    return document;
  };
  EXPECT_TRUE(made("training").compared->config.training);
  EXPECT_FALSE(made("training").config.training);
  EXPECT_EQ(made("dropout").compared->config.dropout, 0);
  EXPECT_EQ(made("dropout").config.dropout, 0.5);
  EXPECT_EQ(made("two_seeds").config.seed, made("two_seeds").compared->config.seed + 1);
  EXPECT_EQ(made("kernels").compared->config.dropout_kernel, DropoutKernel::mkl);
  EXPECT_EQ(made("kernels").config.dropout_kernel, DropoutKernel::standard);
  EXPECT_TRUE(made("scaling").compared->config.scale);
  EXPECT_FALSE(made("scaling").config.scale);
}

TEST(HardEdits, FramesAreNamedAsTheyAreCounted) {
  Document document = hard_document();
  document.config.bias = Tensor();  // which is of three heads
  const auto name = [&](const std::string& text, std::size_t frame) {
    return frame_name(document, parse_sweep(text, document), frame);
  };
  EXPECT_EQ(name("num_heads=1,2,3", 0), "1 head");
  EXPECT_EQ(name("num_heads=1,2,3", 2), "3 heads");
  EXPECT_EQ(name("tokens=1..6", 0), "1 token");
  EXPECT_EQ(name("tokens=1..6", 3), "4 tokens");
  EXPECT_EQ(name("dropout=0.1,0.5", 1), "dropout 0.5");
  EXPECT_EQ(name("seed=3..5", 1), "seed 4");
  EXPECT_EQ(name("embedding[3,2]=0..1", 0), "starts, dimension 2: 0.00");
}

TEST(HardEdits, StepsOfHeadsBeginAtTheFirstOne) {
  Document document = hard_document();
  document.config.bias = Tensor();
  document.config.d_out = 12;
  EXPECT_EQ(parse_sweep("num_heads=1..6:2", document).values, (Names{"1", "3"})) << "5 does not divide 12";
  EXPECT_EQ(parse_sweep("num_heads=2..6:2", document).values, (Names{"2", "4", "6"}));
}

TEST(HardEdits, BoundsOfAWindowAreThoseOfKeys) {
  Document document = hard_given(3, 5);
  set_mask_preset(document, {.preset = MaskPreset::window, .amount = 5});
  EXPECT_TRUE(says(error_of([&] { set_mask_preset(document, {.preset = MaskPreset::window, .amount = 6}); }).what(),
                   {"The window is 6", "from 1 to 5"}));
  document.query_tokens = {"a", "b", "c", "d"};
  EXPECT_TRUE(says(error_of([&] { check(document); }).what(), {"4 names", "3 queries"}));
}

// With fewer queries than keys, the first query stands at the first key in one alignment, and the last at the last in
// the other.
TEST(HardEdits, AWindowFollowsTheAlignmentOfTheMask) {
  for (const auto& [alignment, own] : {std::pair{MaskAlignment::upper_left, 0}, {MaskAlignment::lower_right, 2}}) {
    Document document = hard_given(3, 5);
    document.config.mask_alignment = alignment;
    set_mask_preset(document, {.preset = MaskPreset::window, .amount = 1, .is_causal = true});
    const Visibility seen = visibility(document.config);
    for (Index key = 0; key < 5; ++key) EXPECT_EQ(seen.hides(0, key), key != own) << own << " " << key;
  }
}

}  // namespace
}  // namespace attnscope::test
