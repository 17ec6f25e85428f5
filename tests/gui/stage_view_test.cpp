// Which result a view of a stage reads its cells from.

#include "views/stage_view.h"

#include <gtest/gtest.h>

#include "core/head_alone.h"
#include "document/json.h"
#include "views/dialog.h"
#include "views/figure_dialog.h"
#include "views/go_to.h"

namespace attnscope::test {
namespace {

Document document_of(int seed) {
  return parse_document(R"({"inputs": {"randn": [20, 6]}, "d_out": 8, "num_heads": 4, "seed": )" +
                        std::to_string(seed) + "}");
}

// What came of a document, and of head 2 of the next one, whose evaluation is still under way.
struct Scene {
  Document document = document_of(1);
  std::vector<std::string> labels;
  Evaluation evaluation;
  Result next;  // all of it

  Scene() {
    evaluation.result = std::make_shared<const Result>(evaluate_by_engine(document.config, {}, nullptr));
    evaluation.summaries = std::make_shared<const Summaries>(evaluation.result);
    Engine engine;
    evaluation.head_matrix = 2;
    const HeadFirst first = {2, &engine,
                             [&](Result head) { evaluation.head = std::make_shared<const Result>(std::move(head)); }};
    next = evaluate_by_engine(document_of(2).config, {}, nullptr, nullptr, &first);
  }

  ViewContext context() const {
    ViewContext context;
    context.document = document;
    context.labels = labels;
    context.evaluation = evaluation;
    return context;
  }
};

float value_of(const Result& result, Stage stage, Index head) {
  StageView view;
  view.info = &info(stage);
  view.result = std::shared_ptr<const Result>(&result, [](const Result*) {});
  view.matrix = head;
  return cell_value(view, 7, 1);
}

TEST(StageView, ReadsThePublishedHeadWhereItStands) {
  const Scene scene;
  for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::scores, Stage::weights}) {
    const std::optional<StageView> published = stage_view(scene.context(), stage, 2);
    ASSERT_TRUE(published);
    EXPECT_EQ(cell_value(*published, 7, 1), value_of(scene.next, stage, 2)) << info(stage).id;
    EXPECT_EQ(published->head, 2);
    EXPECT_EQ(published->summarized, 2);
    const std::optional<StageView> other = stage_view(scene.context(), stage, 1);
    ASSERT_TRUE(other);
    EXPECT_EQ(cell_value(*other, 7, 1), value_of(*scene.evaluation.result, stage, 1)) << info(stage).id;
  }
}

TEST(StageView, WhatIsOfAllHeadsWaitsForThem) {
  const Scene scene;
  for (const Stage stage : {Stage::head_context, Stage::context, Stage::output}) {
    const std::optional<StageView> view = stage_view(scene.context(), stage, 2);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->result, scene.evaluation.result) << info(stage).id;
  }
}

}  // namespace
}  // namespace attnscope::test
