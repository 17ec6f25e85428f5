#include "look/diagram_words.h"

#include <set>
#include <string>

#include "document/edit.h"
#include "document/sweep.h"
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
    for (const HeaderSize size : {HeaderSize::small, HeaderSize::usual, HeaderSize::roomy}) {
      for (const float room : {1000.0F, 40.0F, width_of(header.axes)})
        EXPECT_NE(fitted_lines(header, size, room, width_of).back().find(header.axes), std::string::npos) << room;
    }
  }
  EXPECT_EQ(header_of(Stage::inputs).axes, "");
}

TEST(DiagramWords, SayWhatHappensInEveryStageThatIsShown) {
  Document document = default_document();
  document.config.softcap = 30;
  for (const MechanismInfo& mechanism : mechanisms()) {
    set_mechanism(document, mechanism.mechanism);
    std::set<std::string> lines;
    for (const Stage stage : stages_one_by_one(document.config)) {
      const std::string line = about(document.config, stage);
      EXPECT_NE(line, info(stage).formula) << info(stage).id;
      EXPECT_TRUE(lines.insert(line).second) << info(stage).id << " says what another one says";
    }
  }
}

TEST(DiagramWords, LeaveOutFirstTheFormulaThenTheShape) {
  const DiagramHeader header = header_of(Stage::scores);
  using Lines = std::vector<std::string>;
  EXPECT_EQ(fitted_lines(header, HeaderSize::usual, 1000, width_of), Lines{"S = Q Kᵀ  (6, 6)   query ↓  key →"});
  EXPECT_EQ(fitted_lines(header, HeaderSize::small, 1000, width_of), Lines{"(6, 6)   query ↓  key →"});
  EXPECT_EQ(fitted_lines(header, HeaderSize::usual, 30, width_of), Lines{"(6, 6)   query ↓  key →"});
  EXPECT_EQ(fitted_lines(header, HeaderSize::usual, 20, width_of), Lines{"query ↓  key →"});
  EXPECT_EQ(fitted_lines(header, HeaderSize::small, 3, width_of), Lines{""});
}

TEST(DiagramWords, OfARoomyHeaderAreTheFormulaAndBelowItWhatRowsAndColumnsAre) {
  using Lines = std::vector<std::string>;
  const DiagramHeader header = header_of(Stage::masked_scores);
  EXPECT_EQ(fitted_lines(header, HeaderSize::roomy, 80, width_of), (Lines{header.line, "query ↓  key →"}));
  EXPECT_NE(header.line.find("where M = 1"), std::string::npos);
  EXPECT_EQ(fitted_lines(header, HeaderSize::roomy, 20, width_of), (Lines{"(6, 6)", "query ↓  key →"}));
  EXPECT_EQ(fitted_lines(header_of(Stage::inputs), HeaderSize::roomy, 40, width_of), Lines{"X (6, 3)"});
}

}  // namespace
}  // namespace attnscope::test
