// What is written of a result with two batch entries and three heads: files, code and tables are of the entry and head
// that are asked for.

#include <fmt/format.h>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "files/array_files.h"
#include "files/code.h"
#include "files/result_file.h"
#include "support.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

using Shape = std::vector<Index>;

Shape shape_of(const Result& result, Stage stage, const ResultPart& part) {
  return WrittenArray(result, stage, part).shape();
}

TEST(HardResults, AreWrittenOfTheEntryAndHeadThatAreAskedFor) {
  for (const Document& document : {hard_document(), hard_given(3, 5), hard_given(5, 3)}) {
    const Result result = evaluate(document.config);
    for (Index batch = 0; batch < hard_entries; ++batch) {
      for (Index head = 0; head < hard_heads; ++head) {
        const WrittenArray array(result, Stage::dropped_weights, {.batch = batch, .head = head});
        const Index keys = key_count(document.config);
        ASSERT_EQ(array.shape(), (Shape{query_count(document.config), keys}));
        std::vector<float> cells(static_cast<std::size_t>(array.rows() * keys));
        ASSERT_EQ(array.read(cells, 0), array.rows());
        for (Index row = 0; row < array.rows(); ++row) {
          for (Index col = 0; col < keys; ++col) {
            const Source cell{.stage = Stage::dropped_weights, .batch = batch, .head = head, .row = row, .col = col};
            ASSERT_EQ(cells[static_cast<std::size_t>(row * keys + col)], value_at(result, cell));
          }
        }
      }
    }
  }
}

TEST(HardResults, HaveTheAxesThatAreLeft) {
  const Result result = evaluate(hard_document().config);
  EXPECT_EQ(shape_of(result, Stage::weights, {}), (Shape{2, 3, 6, 6}));
  EXPECT_EQ(shape_of(result, Stage::weights, {.batch = 1}), (Shape{3, 6, 6}));
  EXPECT_EQ(shape_of(result, Stage::weights, {.head = 2}), (Shape{2, 6, 6}));
  EXPECT_EQ(shape_of(result, Stage::output, {.batch = 1, .head = 2}), (Shape{6, 6}));
  EXPECT_EQ(shape_of(result, Stage::mask, {.batch = 1, .head = 2}), (Shape{6, 6}));
}

TEST(HardResults, AsLatexCountHeadsFromOneAndScaleByTheWidthOfKeys) {
  Document document = hard_document();
  document.config.heads_off = {0, 2};
  const std::string text = code_of(document, CodeLanguage::latex);
  for (const char* const part :
       {"C^{(1)} \\;\\; C^{(2)} \\;\\; C^{(3)}", "switched off: 1, 3", "\\sqrt{2}", "1 / (1 - 0.5)", "^{(2,3)}"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("(3,2)"), std::string::npos) << "there is no third batch entry";
  EXPECT_NE(code_of(hard_given(3, 5), CodeLanguage::latex).find("\\sqrt{2}"), std::string::npos);
}

TEST(HardResults, AsNumpyNameTheAxesOfTheirHeads) {
  const std::string split = code_of(hard_document(), CodeLanguage::numpy);
  EXPECT_NE(split.find("head_dim)"), std::string::npos) << split;
  Document wrapper = hard_document();
  wrapper.config.mechanism = Mechanism::multi_head_attention_wrapper;
  wrapper.config.d_out = 2;
  const std::string own = code_of(wrapper, CodeLanguage::numpy);
  EXPECT_NE(own.find("H, T, d_out)"), std::string::npos) << own;
}

TEST(HardResults, AsTablesNameQueriesKeysAndFeatures) {
  const std::vector<std::string> tokens = {"a", "b", "c"};
  const LabelledMatrix weights = labelled_matrix(Stage::weights, tokens, 3, 3);
  EXPECT_EQ(weights.corner, "query");
  EXPECT_EQ(weights.row_names, tokens);
  EXPECT_EQ(weights.column_names, tokens);
  const LabelledMatrix context = labelled_matrix(Stage::context, tokens, 3, 2);
  EXPECT_EQ(context.corner, "token");
  EXPECT_EQ(context.column_names, (std::vector<std::string>{"d1", "d2"}));
}

}  // namespace
}  // namespace attnscope::test
