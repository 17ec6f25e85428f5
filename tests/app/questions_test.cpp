#include "teach/questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "tests/support/small_model.h"

namespace attnscope::test {
namespace {

// Of an example, where the document has nothing of what is asked about.
std::string answer(const ReaderQuestion& question, const Document& document, Index query = 1) {
  const Result own = evaluate(document.config);
  const std::optional<AttentionConfig> example = example_for(question, own);
  const Result result = example ? evaluate(*example) : own;
  const std::vector<std::string> labels = token_labels(document.tokens);
  return answer_of(question, {result, labels, 0, 0, query, {}});
}

TEST(Questions, AreTwentyOneAndEachOpensAView) {
  EXPECT_EQ(questions().size(), 21U);
  std::set<std::string_view> ids;
  for (const ReaderQuestion& question : questions()) {
    EXPECT_TRUE(ids.insert(question.id).second) << question.id;
    EXPECT_NE(study_named(question.study), nullptr) << question.id;
  }
}

TEST(Questions, AreAnsweredWithNumbersOfEveryExample) {
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    const Document document = parse_document(builtin.json);
    for (const ReaderQuestion& question : questions()) {
      SCOPED_TRACE(std::string(builtin.id) + ", " + std::string(question.id));
      for (const Index query : {0, 1}) {
        const std::string text = answer(question, document, query);
        EXPECT_GT(text.size(), 40U);
        EXPECT_EQ(text.find("NaN in"), std::string::npos);
        EXPECT_EQ(text.find("{"), std::string::npos) << text;
      }
    }
  }
}

TEST(Questions, FollowTheDocument) {
  Document document = default_document();
  document.config.dropout = 0.25;
  for (const char* const id : {"row_sums", "scaling", "d_out", "average_heads", "draws", "other_mask"}) {
    const ReaderQuestion& question = *question_named(id);
    Document other = document;
    other.config.seed = 7;
    other.config.d_out = 4;
    other.config.dropout = 0.5;
    other.config.dropout_kernel = DropoutKernel::standard;
    EXPECT_NE(answer(question, document), answer(question, other)) << id;
  }
}

// Every document but a viewed file has what a question asks about, or a change gives it that.
TEST(Questions, HaveAnExampleWhereADocumentHasNothingOfThem) {
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    const Document document = parse_document(builtin.json);
    const Result own = evaluate(document.config);
    for (const ReaderQuestion& question : questions()) {
      SCOPED_TRACE(std::string(builtin.id) + ", " + std::string(question.id));
      const std::optional<AttentionConfig> example = example_for(question, own);
      if (!question.example) {
        EXPECT_FALSE(example);
        continue;
      }
      EXPECT_NE(example.has_value(), question.example->is_there(document.config));
      if (!example) continue;
      EXPECT_TRUE(question.example->is_there(*example));
      const Result result = evaluate(*example);
      const std::vector<std::string> labels = token_labels(document.tokens);
      const Index query = row_for(question, result, 0, 0, {});
      const std::string text = answer_of(question, {result, labels, 0, 0, query, {}});
      EXPECT_EQ(text.find("has no"), std::string::npos) << text;
    }
  }
}

// "?" beside a stage asks what the stage is.
TEST(Questions, OfAStageAreItsOwnFirst) {
  const std::pair<Stage, const char*> own[] = {{Stage::inputs, "embedding"}, {Stage::queries, "query"},
                                               {Stage::keys, "key"},         {Stage::values, "value"},
                                               {Stage::output, "out_proj"},  {Stage::output_weight, "out_proj"}};
  for (const auto& [stage, id] : own) {
    const ReaderQuestion* const question = question_at(stage);
    ASSERT_NE(question, nullptr) << id;
    EXPECT_EQ(question->id, id);
  }
}

// The view beside the answer has the numbers of the stage that was asked about: of the pinned row, or of its weights.
TEST(Questions, OfAStageShowItsNumbers) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  const auto larger = [](float a, float b) { return std::abs(a) < std::abs(b); };
  for (const Stage stage : {Stage::inputs, Stage::query_weight, Stage::queries, Stage::keys, Stage::values,
                            Stage::scores, Stage::weights, Stage::context, Stage::output, Stage::output_weight}) {
    const ReaderQuestion* const question = question_at(stage);
    ASSERT_NE(question, nullptr) << info(stage).id;
    const Tensor numbers = read_stage(result, stage);
    const std::span<const float> row =
        is_parameter(info(stage).axes) ? std::span<const float>(numbers.values) : numbers.matrix(0).row(4);
    const float largest = std::ranges::max(row, larger);
    const TeachingViewChoice choice{.id = std::string(question->study)};
    const Board board = make_board({result, labels, 0, 0, 4, choice});
    bool is_there = false;
    for (const std::vector<BoardItem>& line : board.lines) {
      for (const BoardItem& item : line) {
        const auto* const matrix = std::get_if<BoardMatrix>(&item);
        is_there |= matrix && std::ranges::find(matrix->values, largest) != matrix->values.end();
      }
    }
    EXPECT_TRUE(is_there) << info(stage).id << ": " << largest << " in " << question->study;
  }
}

TEST(Questions, SayWhatAQueryAKeyAndAValueAreWithTheDocumentsNumbers) {
  const Document document = opening_document();
  const Index it = 4;
  const Result result = evaluate(document.config);
  const std::string score = fmt::format("{:.2f}", result.find(Stage::scores)->matrix()(it, 1));
  const std::string weight = fmt::format("{:.2f}", result.find(Stage::weights)->matrix()(it, 1));
  const std::string query = answer(*question_named("query"), document, it);
  EXPECT_NE(query.find("“it” has the query (3.60, 1.80)"), std::string::npos) << query;
  EXPECT_NE(query.find("with “cat” the score is 3.60 × 1.80 + 1.80 × 0.00 = " + score), std::string::npos) << query;
  EXPECT_NE(query.find("gets " + weight + " of its attention"), std::string::npos) << query;
  const std::string key = answer(*question_named("key"), document, it);
  EXPECT_NE(key.find("“cat” has the key (1.80, 0.00)"), std::string::npos) << key;
  EXPECT_NE(key.find("“it” with the score " + score), std::string::npos) << key;
  const std::string value = answer(*question_named("value"), document, it);
  EXPECT_NE(value.find("“cat” has the value (0.90, 0.00)"), std::string::npos) << value;
  EXPECT_NE(value.find("“it” takes " + weight + " times this value"), std::string::npos) << value;
  const std::string embedding = answer(*question_named("embedding"), document, it);
  EXPECT_NE(embedding.find("thing 0.30"), std::string::npos) << embedding;
}

// The products of the first number of the output, and their sum.
TEST(Questions, TheArithmeticOfOutProjIsRight) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.num_heads = 2;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("out_proj"), document, 1);
  const std::string first = format_fixed(static_cast<double>(result.find(Stage::output)->matrix()(1, 0)), 2);
  EXPECT_NE(text.find("= " + first), std::string::npos) << text;
  EXPECT_NE(text.find("of the bias"), std::string::npos) << text;
}

// Readers recompute it: (0.240 + 0.253) × 2.00 is the sum of the row.
TEST(Questions, TheArithmeticOfRowSumsIsRight) {
  Document document = default_document();
  document.config.dropout = 0.5;
  const Result result = evaluate(document.config);
  const Index query = row_for(*question_named("row_sums"), result, 0, 0, 0);
  const std::string text = answer(*question_named("row_sums"), document, query);
  const std::size_t open = text.find("give (");
  ASSERT_NE(open, std::string::npos) << text;
  double sum = 0;
  std::size_t at = open + 6;
  while (true) {
    std::size_t used = 0;
    sum += std::stod(text.substr(at), &used);
    at += used;
    if (text[at] == ')') break;
    at += 3;  // " + "
  }
  EXPECT_NEAR(2 * sum, std::stod(text.substr(text.find("= ", at) + 2)), 0.005) << text;
  const Tensor dropped = read_stage(result, Stage::dropped_weights);
  double row = 0;
  for (const float weight : dropped.matrix(0).row(query)) row += static_cast<double>(weight);
  EXPECT_NEAR(2 * sum, row, 0.005);
}

TEST(Questions, PositionsNameTheScoreWithAndWithoutThem) {
  Document document = default_document();
  document.config.d_out = 8;
  document.config.rope = Rope{.base = 10};
  const std::string text = answer(*question_named("positions"), document, 3);
  const auto score = [&](const AttentionConfig& config) {
    return fmt::format("{:.3f}", std::abs(evaluate(config).find(Stage::scores)->matrix()(3, 0)));
  };
  EXPECT_NE(text.find(score(document.config)), std::string::npos) << text;
  document.config.rope.reset();
  EXPECT_NE(text.find(score(document.config)), std::string::npos) << text;
  EXPECT_NE(text.find("stand 3 apart"), std::string::npos) << text;
}

TEST(Questions, PositionsOfAModelThatLearnedThemAreThoseOfItsEmbeddings) {
  const Result result = evaluate(small_layer(small_model(), 1));
  const ReaderQuestion& question = *question_named("positions");
  EXPECT_FALSE(example_for(question, result)) << "it has positions of its own";
  const std::vector<std::string> labels(static_cast<std::size_t>(token_count(result.config)), "a");
  const std::string text = answer_of(question, {result, labels, 0, 0, 3, {}});
  const std::size_t at = text.find("In dimension ");
  ASSERT_NE(at, std::string::npos) << text;
  const Index dimension = std::stoi(text.substr(at + 13)) - 1;
  const NormalizedNumber third = normalized_number(*result.below, 3, dimension);
  const NormalizedNumber first = normalized_number(*result.below, 0, dimension);
  for (const double each : {third.embedding, third.position, first.position})
    EXPECT_NE(text.find(format_fixed(each, 3)), std::string::npos) << each << " in " << text;
}

// An example with other weights is not the same document.
TEST(Questions, SayWhatElseIsDifferentInAnExample) {
  const auto words = [](std::string_view id, const AttentionConfig& own) {
    const ReaderQuestion& question = *question_named(id);
    return example_words(question, own, example_for(question, evaluate(own)).value());
  };
  AttentionConfig own = default_document().config;
  own.d_out = 4;
  EXPECT_EQ(words("positions", own),
            "This document has no rotary positions, so this is the same document with rotary positions.");
  own.mechanism = Mechanism::causal_attention;
  EXPECT_EQ(words("positions", own),
            "This document has no rotary positions, so this is another document of the same tokens, with rotary "
            "positions: Multi-head attention, d_out = 4, 2 heads, and weights of its own.");
  EXPECT_EQ(words("row_sums", own), "This document has no dropout, so this is the same document with p = 0.50.");
  own.mechanism = Mechanism::simple_self_attention;
  own.mask = MaskRoute::none;
  own.normalization = Normalization::sum;
  EXPECT_EQ(words("mask_when", own),
            "This document has no mask, so this is the same document with a causal mask and softmax.");
}

TEST(Questions, KeepTypedWeightsInAnExampleOfTheSameSizes) {
  AttentionConfig own = default_document().config;
  own.d_out = 4;
  own.weight_overrides["W_query.weight"] = Tensor({4, 3});
  const std::optional<AttentionConfig> example = example_for(*question_named("positions"), evaluate(own));
  ASSERT_TRUE(example);
  EXPECT_TRUE(example->weight_overrides.contains("W_query.weight"));
}

// Of twenty weights of which one is large, the sum shows that one, and what the others come to.
TEST(Questions, ALongSumShowsItsLargestTerms) {
  Document document;
  document.config.inputs = RandnInputs{20, 3};
  document.tokens = numbered_tokens(20);
  document.config.mechanism = Mechanism::causal_attention;
  document.config.d_out = 3;
  document.config.mask = MaskRoute::causal;
  document.config.scale_factor = 30;
  document.config.dropout = 0.5;
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  for (Index row = 10; row < 20; ++row) {
    const std::string text = answer_of(*question_named("row_sums"), {result, labels, 0, 0, row, {}});
    const Tensor weights = read_stage(result, Stage::weights);
    const Tensor dropped = read_stage(result, Stage::dropped_weights);
    float largest = 0;
    double sum = 0;
    for (Index key = 0; key < 20; ++key) {
      if (dropped.matrix(0)(row, key) > 0) largest = std::max(largest, weights.matrix(0)(row, key));
      sum += static_cast<double>(dropped.matrix(0)(row, key));
    }
    const std::size_t open = text.find("give (");
    ASSERT_NE(open, std::string::npos) << text;
    const std::string terms = text.substr(open, text.find(')', open) - open);
    EXPECT_NE(terms.find(format_fixed(static_cast<double>(largest), 3)), std::string::npos) << text;
    const Index kept = std::ranges::count_if(dropped.matrix(0).row(row), [](float each) { return each > 0; });
    EXPECT_EQ(terms.find(fmt::format(" of {} more", kept - 4)) != std::string::npos, kept > 4) << text;
    EXPECT_NE(text.find("× 2.00 = " + format_fixed(sum, 3)), std::string::npos) << text;
  }
}

// After softmax a mask hides nothing from it: the denominator has every key.
TEST(Questions, ScoresAndWeightsDivideByAllThatSoftmaxReads) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("scores_weights"), document, 1);
  const double weight = static_cast<double>(read_stage(result, Stage::weights).matrix(0)(1, 0));
  EXPECT_NE(text.find("= " + format_fixed(weight, 3) + ": e to its power"), std::string::npos) << text;
  document.config.mask = MaskRoute::causal;
  document.config.scale_factor = 1e4;  // e to such a score is infinite
  const std::string large = answer(*question_named("scores_weights"), document, 5);
  EXPECT_EQ(large.find("NaN"), std::string::npos) << large;
  EXPECT_EQ(large.find("∞"), std::string::npos) << large;
}

TEST(Questions, OrderOfDrawsBeginsWithWhatIsDrawnFirst) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 3};
  document.config.skip_draws = 2;
  document.config.qk_norm = QkNorm::rms;
  const std::string text = answer(*question_named("draws"), document, 1);
  EXPECT_NE(text.find("draws thrown away (2), then inputs, randn ("), std::string::npos) << text;
  EXPECT_EQ(text.find("norm"), std::string::npos) << "gains are not drawn: " << text;
  document.config.weight_order = {Projection::key, Projection::query, Projection::value};
  EXPECT_NE(answer(*question_named("draws"), document, 1).find("Declared as query, key, value, 2 of its"),
            std::string::npos);
}

TEST(Questions, EqualSharesComeOfScoresThatLieCloseTogether) {
  const ReaderQuestion& question = *question_named("equal_shares");
  const std::string random = answer(question, notebook_document(), 5);
  EXPECT_NE(random.find("small numbers in give small scores out"), std::string::npos) << random;
  const std::string telling = answer(question, opening_document(), 4);
  EXPECT_NE(telling.find("The scores of “it” lie 5.73 apart"), std::string::npos) << telling;
  EXPECT_NE(telling.find("These are not equal."), std::string::npos);
  EXPECT_TRUE(question.remedy(evaluate(notebook_document().config)));
  EXPECT_FALSE(question.remedy(evaluate(opening_document().config))) << "there is nothing to mend";
}

TEST(Questions, AreFoundByTheirWordsAndByOthers) {
  EXPECT_EQ(find_questions("key before query").front()->id, "draws");
  EXPECT_EQ(find_questions("").size(), questions().size());
  ASSERT_EQ(find_questions("MKL").size(), 1U);
  EXPECT_EQ(find_questions("mkl").front()->id, "other_mask");
  EXPECT_EQ(find_questions("row masked").front()->id, "masked_row");
  EXPECT_TRUE(find_questions("zebra").empty());
}

TEST(Questions, AreAskedWhereTheyComeUp) {
  EXPECT_EQ(question_at(Stage::dropped_weights)->id, "row_sums");
  EXPECT_EQ(question_at(Stage::mask)->id, "hide_or_show");
  EXPECT_EQ(question_at(Stage::capped_scores), nullptr);
  EXPECT_EQ(question_at_control("d_out")->id, "d_out");
  EXPECT_EQ(question_at_control("threads"), nullptr);
}

}  // namespace
}  // namespace attnscope::test
