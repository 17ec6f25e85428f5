// Teaching views of shapes, weight matrices and draws: whatever they show is computed.

#include "teach/teaching_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "boards.h"
#include "core/text.h"
#include "document/edit.h"
#include "studied.h"
#include "tests/support/small_model.h"

namespace attnscope::test {
namespace {

TEST(SplittingStudy, HeadsAreTheQueriesAndTheWrongOnesMixTokens) {
  Document document = default_document();
  document.config.d_out = 4;
  const Studied of(document);
  const Board board = of.board({.id = "splitting"});
  const std::vector<BoardMoving> all = shown_items<BoardMoving>(board);
  ASSERT_EQ(all.size(), 2U);
  const Tensor queries = of.stage(Stage::queries);
  const auto at = [](const BoardMoving& moving, std::size_t step, Index row, Index col) {
    const auto& places = moving.arrangements[step].places;
    const auto found = std::ranges::find_if(
        places, [&](const BoardMoving::Place& place) { return place.row == row && place.col == col; });
    return moving.numbers[static_cast<std::size_t>(found - places.begin())];
  };
  for (Index head = 0; head < 2; ++head) {
    for (Index token = 0; token < 6; ++token) {
      for (Index i = 0; i < 2; ++i) {
        EXPECT_EQ(at(all[0], 1, token, head * 2 + i).value, queries.matrix(head)(token, i));
        EXPECT_EQ(at(all[0], 2, head * 6 + token, i).value, queries.matrix(head)(token, i));
        EXPECT_EQ(at(all[0], 2, head * 6 + token, i).head, head);
      }
    }
  }
  const BoardMoving::Number second_row = at(all[1], 1, 1, 0);
  EXPECT_EQ(second_row.token, 0) << "the second row is of the first token still";
  EXPECT_EQ(second_row.value, queries.matrix(1)(0, 0)) << "and of its second head";
  expect_first_head(shown_matrix(board, "right split"), of.stage(Stage::weights));
}

TEST(ShapesStudy, DoublesAllThatIsOfTheText) {
  Document document = default_document();
  Tensor bias({6, 6});
  bias.values.assign(36, 1);
  document.config.bias = bias;
  for (const BoardTable& table : shown_items<BoardTable>(Studied(document).board({.id = "shapes"}))) {
    for (const std::vector<std::string>& row : table.rows) {
      if (row.front() != "T") continue;
      document.config.bias = Tensor();
      double bytes[2] = {};
      for (const Index tokens : {6, 12}) {
        AttentionConfig config = document.config;
        config.inputs = RandnInputs{tokens, 3};
        for (const StageInfo& stage : stages())
          if (has_stage(config, stage.stage))
            bytes[tokens / 6 - 1] += static_cast<double>(element_count(stage_shape(config, stage.stage)));
      }
      EXPECT_EQ(row.back(), "× " + format_fixed(bytes[1] / bytes[0], 2));
      return;
    }
  }
  FAIL() << "no row of T";
}

TEST(ShapesStudy, CountsTheMultiplicationsOfHiddenKeys) {
  const Board board = Studied(example("who_is_it")).board({.id = "shapes"});
  int found = 0;
  for (const BoardTable& table : shown_items<BoardTable>(board)) {
    for (const std::vector<std::string>& row : table.rows) {
      if (row.front() != "scores" && row.front() != "head context") continue;
      EXPECT_EQ(row[4], "144") << row.front() << ": 2 heads × 6 × 6 × 2";
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
  EXPECT_NE(board.details.find("672 multiplications, 120 of these for hidden keys"), std::string::npos)
      << board.details;
}

// Its picture is a product that can be recomputed, and columns have the numbers of their heads: colours are of numbers.
TEST(ShapesStudy, InputsTimesWeightsAreTheQueriesOfAllHeads) {
  Document document = default_document();
  document.config.d_out = 4;
  const Studied of(document);
  const Board board = of.board({.id = "shapes"});
  const BoardMatrix inputs = shown_matrix(board, "inputs");
  const BoardMatrix weight = shown_matrix(board, "W_query");
  const BoardMatrix queries = shown_matrix(board, "queries");
  const Tensor expected = of.stage(Stage::queries);
  ASSERT_EQ(queries.cols, 4);
  EXPECT_EQ(queries.column_labels, (std::vector<std::string>{"head 1", "head 1", "head 2", "head 2"}));
  EXPECT_TRUE(queries.tints.empty() && weight.tints.empty());
  for (Index row = 0; row < queries.rows; ++row) {
    for (Index col = 0; col < queries.cols; ++col) {
      const auto cell = static_cast<std::size_t>(row * queries.cols + col);
      float sum = 0;
      for (Index in = 0; in < inputs.cols; ++in)
        sum += inputs.values[static_cast<std::size_t>(row * inputs.cols + in)] *
               weight.values[static_cast<std::size_t>(in * weight.cols + col)];
      EXPECT_NEAR(queries.values[cell], sum, 1e-6);
      EXPECT_EQ(queries.values[cell], expected.matrix(col / 2)(row, col % 2));
    }
  }
}

// As PyTorch prints them: a class with one head has no axis for it.
TEST(ShapesStudy, AreThoseOfTheClass) {
  Document document = default_document();
  document.config.batch_size = 2;
  for (const auto& [mechanism, shape] : {std::pair(Mechanism::causal_attention, "(2, 6, 6)"),
                                         std::pair(Mechanism::multi_head_attention, "(2, 2, 6, 6)")}) {
    set_mechanism(document, mechanism);
    const BoardTable table = shown_items<BoardTable>(Studied(document).board({.id = "shapes"})).front();
    const auto scores = std::ranges::find(table.rows, "scores", [](const auto& row) { return row[0]; });
    ASSERT_NE(scores, table.rows.end());
    EXPECT_EQ((*scores)[2], shape);
    EXPECT_EQ((*scores)[1], mechanism == Mechanism::causal_attention ? "(B, T, T)" : "(B, H, T, T)");
  }
}

TEST(ShapesStudy, CountsWhatThereIs) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.batch_size = 3;
  const Studied of(document);
  const std::vector<BoardTable> tables = shown_items<BoardTable>(of.board({.id = "shapes"}));
  ASSERT_EQ(tables.size(), 2U);
  std::size_t stages_there = 0;
  for (const StageInfo& stage : stages()) stages_there += has_stage(document.config, stage.stage) ? 1 : 0;
  EXPECT_EQ(tables[0].rows.size(), stages_there + 2) << "with the queries before and after view";
  const auto viewed = std::ranges::find(tables[0].rows, "(B, T, H, head_dim)", [](const auto& row) { return row[1]; });
  ASSERT_NE(viewed, tables[0].rows.end());
  EXPECT_EQ((*viewed)[2], "(3, 6, 2, 2)");
  EXPECT_EQ((*(viewed + 1))[2], "(3, 2, 6, 2)") << "the next row is transposed";
  const auto twice = std::ranges::find(tables[1].rows, "B", [](const auto& row) { return row[0]; });
  ASSERT_NE(twice, tables[1].rows.end());
  EXPECT_EQ((*twice)[1], "× 1.00") << "a batch needs no more weights";
}

TEST(DrawsStudy, AWordThrownAwayShiftsEverythingAndNoneNothing) {
  const Studied of(default_document());
  const auto differing = [&](double inserted) {
    Index count = 0;
    for (const BoardMark& mark :
         shown_matrix(of.board({.id = "draws", .values = {{"inserted", inserted}}}), "changed").marks)
      count += mark.differs ? 1 : 0;
    return count;
  };
  EXPECT_EQ(differing(0), 0);
  EXPECT_GT(differing(1), 0);
}

TEST(DrawsStudy, SaysThatWeightsThatAreSetAreNotDrawn) {
  Document document = opening_document();
  const auto headline = [&] { return Studied(document).board({.id = "draws"}).headline; };
  EXPECT_EQ(headline(), "This document draws nothing: all of its weights are set, not drawn.");
  document.config.dropout = 0.5;
  EXPECT_EQ(headline(), "This document draws only the dropout mask: all of its weights are set, not drawn.");
  document.config.weight_overrides.erase("W_key.weight");
  EXPECT_NE(headline().find("of 5 weight tensors get other numbers"), std::string::npos) << headline();
}

TEST(DrawsStudy, CountsTheDrawsFromOne) {
  const Board board = Studied(default_document()).board({.id = "draws"});
  const BoardMatrix strip = shown_matrix(board, "this document");
  ASSERT_GE(strip.row_labels.size(), 2U);
  EXPECT_EQ(strip.row_labels[0], "1");
  EXPECT_EQ(strip.row_labels[1], std::to_string(strip.cols + 1));
}

// Intel's generator takes one word to begin, PyTorch's own two for each weight.
TEST(DrawsStudy, CountsTheWordsOfDropout) {
  Document document = default_document();
  document.config.dropout = 0.5;
  document.config.batch_size = 3;
  const auto words = [&](DropoutKernel kernel) {
    document.config.dropout_kernel = kernel;
    const BoardTable table = shown_items<BoardTable>(Studied(document).board({.id = "draws"})).front();
    for (const std::vector<std::string>& row : table.rows) {
      if (row[0] == "dropout mask") return row[2];
    }
    return std::string();
  };
  EXPECT_EQ(words(DropoutKernel::mkl), "1");
  EXPECT_EQ(words(DropoutKernel::standard), "432") << "3 entries, 2 heads, 6 queries and 6 keys";
}

TEST(LinearStudy, BothStoragesGiveTheQueries) {
  for (const char* const id : {"self_attention_v1", "self_attention_v2"}) {
    const Studied of(example(id));
    const Board board = of.board({.id = "linear"});
    const BoardMatrix product = shown_matrix(board, "x @ W of the query");
    for (Index out = 0; out < product.cols; ++out)
      EXPECT_NEAR(product.values[static_cast<std::size_t>(out)], of.stage(Stage::queries).matrix()(1, out), 1e-5) << id;
    const BoardMatrix plain = shown_matrix(board, "as x @ W");
    const BoardMatrix stored = shown_matrix(board, "nn.Linear stores");
    EXPECT_EQ(plain.values[1], stored.values[static_cast<std::size_t>(stored.cols)]);
  }
}

TEST(Draws, AreNoneInATrainedModel) {
  const Result result = evaluate(small_layer(small_model(), 1));
  EXPECT_EQ(obstacle_to(*study_named("draws"), result),
            "Nothing is drawn here: the weights are those of a trained model.");
}

// The heads of a list and the one class are computed each by itself.
TEST(ListOrClass, GivesTheSameContextsOfOneLargeMatrixAndOfItsParts) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "wrapper"}, 4);
  EXPECT_EQ(board.headline, "With equal weights, a list of heads and one class give the same contexts.");
  for (const char* const name : {"context", "W_query"}) {
    const BoardMatrix whole = shown_matrix(board, std::string(name) + " of the class");
    for (Index head = 0; head < 2; ++head) {
      const BoardMatrix part = shown_matrix(board, fmt::format("{}, head {}", name, head + 1));
      ASSERT_EQ(2 * part.cols, whole.cols);
      ASSERT_EQ(part.rows, whole.rows);
      EXPECT_EQ(part.high, whole.high) << "the same number has the same colour";
      for (Index row = 0; row < part.rows; ++row)
        for (Index col = 0; col < part.cols; ++col)
          EXPECT_FLOAT_EQ(part.values[static_cast<std::size_t>(row * part.cols + col)],
                          whole.values[static_cast<std::size_t>(row * whole.cols + head * part.cols + col)]);
    }
  }
  expect_first_head(shown_matrix(board, "context, head 1"), of.stage(Stage::head_context));
}

TEST(ListOrClass, NeedsHeads) {
  Document document = opening_document();
  document.config.num_heads = 1;
  EXPECT_NE(obstacle_to(*study_named("wrapper"), Studied(document).result), "");
}

TEST(WhatChanges, FramesTheNumbersThatAnotherInputChanges) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "changes"}, 4);  // the largest number of "it" is its pronoun
  const auto framed = [&](std::string_view title) {
    const BoardMatrix shown = shown_matrix(board, title);
    std::set<std::pair<Index, Index>> cells;
    for (std::size_t i = 0; i < shown.marks.size(); ++i)
      if (shown.marks[i].differs) cells.emplace(static_cast<Index>(i) / shown.cols, static_cast<Index>(i) % shown.cols);
    return cells;
  };
  EXPECT_EQ(framed("inputs"), (std::set<std::pair<Index, Index>>{{4, 2}}));
  for (const auto& [row, col] : framed("scores")) EXPECT_TRUE(row == 4 || col == 4);
  EXPECT_FALSE(framed("scores").empty());
  EXPECT_EQ(framed("attention weights"), (std::set<std::pair<Index, Index>>{{4, 0}, {4, 1}, {4, 2}, {4, 3}, {4, 4}}));
  for (const auto& [row, col] : framed("context")) EXPECT_GE(row, 4) << "the mask hides it from the words before it";
  Document changed = of.document;
  set_input(changed, 4, 2, 1.0F);
  expect_first_head(shown_matrix(board, "attention weights"), Studied(changed).stage(Stage::weights));
}

TEST(TrainedOrRandom, ShowsTheWeightsThatTheSeedDrawsBesideThoseThatWereSet) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "trained"}, 4);
  const std::vector<BoardMatrix> shown = shown_items<BoardMatrix>(board);
  ASSERT_EQ(shown.size(), 4U);
  expect_first_head(shown[0], of.stage(Stage::weights));
  Document drawn = of.document;
  drawn.config.weight_overrides.clear();
  expect_first_head(shown[1], Studied(drawn).stage(Stage::weights));
  EXPECT_NE(shown[2].values, shown[3].values);
  EXPECT_EQ(shown_items<BoardMatrix>(Studied(drawn).board({.id = "trained"}, 4)).size(), 2U) << "nothing was set";
}

TEST(TrainedOrRandom, SaysWhatMadeAModel) {
  const Result result = evaluate(small_layer(small_model(), 1));
  const std::vector<std::string> labels(static_cast<std::size_t>(key_count(result.config)), "word");
  const TeachingViewChoice choice{.id = "trained"};
  EXPECT_EQ(make_board({result, labels, 0, 0, 1, choice}).headline, "Training found the weights of this model.");
}

}  // namespace
}  // namespace attnscope::test
