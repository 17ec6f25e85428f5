#include "look/diagram_words.h"

#include "support.h"

namespace attnscope::test {
namespace {

float width_of(std::string_view text) { return static_cast<float>(text.size()); }

DiagramHeader header_of(Stage stage) {
  const Result result = evaluate(default_document().config);
  for (const DiagramMatrix& matrix : diagram_matrices(result.config)) {
    if (matrix.stage == stage) return diagram_header(result, matrix, 0);
  }
  return {};
}

TEST(DiagramWords, SayOfEveryMatrixOfQueriesAndKeysWhatItsRowsAndColumnsAre) {
  for (const Stage stage : {Stage::scores, Stage::mask, Stage::masked_scores, Stage::weights}) {
    const DiagramHeader header = header_of(stage);
    EXPECT_EQ(header.axes, "query ↓  key →") << info(stage).id;
    for (const bool is_small : {false, true}) {
      for (const float room : {1000.0F, 40.0F, width_of(header.axes)})
        EXPECT_NE(fitted_line(header, is_small, room, width_of).find(header.axes), std::string::npos) << room;
    }
  }
  EXPECT_EQ(header_of(Stage::inputs).axes, "");
}

TEST(DiagramWords, LeaveOutFirstTheFormulaThenTheShape) {
  const DiagramHeader header = header_of(Stage::scores);
  EXPECT_EQ(fitted_line(header, false, 1000, width_of), "S = Q Kᵀ  (6, 6)   query ↓  key →");
  EXPECT_EQ(fitted_line(header, true, 1000, width_of), "(6, 6)   query ↓  key →");
  EXPECT_EQ(fitted_line(header, false, 30, width_of), "(6, 6)   query ↓  key →");
  EXPECT_EQ(fitted_line(header, false, 20, width_of), "query ↓  key →");
  EXPECT_EQ(fitted_line(header, true, 3, width_of), "");
}

}  // namespace
}  // namespace attnscope::test
