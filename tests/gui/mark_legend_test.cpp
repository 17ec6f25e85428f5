// The legend of hatches, crosses and other marks, which names those that are on the screen.

#include "features/shared/panel/calls.h"
#include "features/stages/panel/stage_sheet.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "headless_app.h"

namespace attnscope::test {
namespace {

// The marks of a part of a stage of a document.
std::set<CellMark> marks_of(const std::string& document, Stage stage, const CellWindow& window) {
  UiState now;
  now.document = parse_document(document);
  now.evaluation.result = std::make_shared<const Result>(evaluate(now.document.config));
  now.evaluation.summaries = std::make_shared<const Summaries>(now.evaluation.result);
  std::set<CellMark> marks;
  ViewContext context(now, {});
  context.marks = &marks;
  const std::optional<StageView> view = stage_view(context, stage, 0);
  if (view) {
    note_marks(context, *view,
               CellGrid{{.box = {0, 0, 60, 60}, .rows = view->rows, .cols = view->cols, .window = window}});
  }
  return marks;
}

TEST(MarkLegend, NamesWhatIsInSight) {
  const CellWindow all = {0, 0, 6, 6};
  const CellWindow lower_left = {3, 0, 3, 3};
  EXPECT_EQ(marks_of("{}", Stage::weights, all), std::set{CellMark::masked});
  EXPECT_EQ(marks_of("{}", Stage::mask, all), std::set{CellMark::masked});
  EXPECT_TRUE(marks_of("{}", Stage::weights, lower_left).empty());
  EXPECT_TRUE(marks_of("{}", Stage::scores, all).empty());
  EXPECT_EQ(marks_of(R"({"dropout": 0.5})", Stage::dropped_weights, all),
            (std::set{CellMark::masked, CellMark::dropped}));
  EXPECT_EQ(marks_of(R"({"dropout": 0.5, "mask": "none"})", Stage::dropped_weights, all), std::set{CellMark::dropped});
  EXPECT_TRUE(marks_of(R"({"dropout": 0.0, "mask": "none"})", Stage::dropped_weights, all).empty());
}

TEST(MarkLegend, NamesNumbersThatAreNone) {
  const std::string overflow = R"({"mechanism": "simple_self_attention", "tokens": ["a", "b"],
    "inputs": [[1e30, 0], [1e30, 1]]})";
  EXPECT_TRUE(marks_of(overflow, Stage::scores, {0, 0, 2, 2}).contains(CellMark::infinite));
  EXPECT_TRUE(marks_of(overflow, Stage::weights, {0, 0, 2, 2}).contains(CellMark::not_a_number));
}

TEST(MarkLegend, StandsInTheStatusLineWhileThereAreMarks) {
  HeadlessApp app;
  app.settle();
  EXPECT_TRUE(app.shows("status/marks"));
  app.edit({"mask", [](Document& document) { document.config.mask = MaskRoute::none; }});
  EXPECT_FALSE(app.shows("status/marks"));
}

}  // namespace
}  // namespace attnscope::test
