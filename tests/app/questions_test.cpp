#include "study/questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/cells.h"
#include "document/builtin.h"
#include "document/json.h"

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

TEST(Questions, AreFifteenAndEachOpensAView) {
  EXPECT_EQ(questions().size(), 15U);
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
