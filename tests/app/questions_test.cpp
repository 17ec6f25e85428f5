#include "study/questions.h"

#include <gtest/gtest.h>

#include <set>

#include "document/builtin.h"
#include "document/json.h"

namespace attnscope::test {
namespace {

std::string answer(const ReaderQuestion& question, const Document& document, Index query = 1) {
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  return answer_of(question, {result, labels, 0, 0, query, {}});
}

TEST(Questions, AreFourteenAndEachOpensAView) {
  EXPECT_EQ(questions().size(), 14U);
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

TEST(Questions, AreFoundByTheirWordsAndByOthers) {
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
