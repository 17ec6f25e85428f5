// Which result a view of a stage reads its cells from.

#include "features/stages/panel/stage_view.h"

#include <gtest/gtest.h>

#include "core/evaluate.h"
#include "document/json.h"
#include "features/shared/panel/panels.h"
#include "session/figure_state.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

Document document_of(int seed) {
  return parse_document(R"({"inputs": {"randn": [20, 6]}, "d_out": 8, "num_heads": 4, "seed": )" +
                        std::to_string(seed) + "}");
}

// What came of a document, and of head 2 of the next one, whose other heads are still to be computed.
struct Scene {
  Document document = document_of(1);
  std::vector<std::string> labels;
  Evaluation evaluation;
  Result next;  // all of it

  Scene() {
    show(std::make_shared<const Result>(evaluate_by_engine(document.config)));
    const HeadFirst first = {2,
                             [&](Result head) { evaluation.newer = std::make_shared<const Result>(std::move(head)); }};
    next = evaluate_by_engine(document_of(2).config, {}, nullptr, nullptr, &first);
  }

  void show(std::shared_ptr<const Result> result) {
    evaluation.result = std::move(result);
    evaluation.summaries = std::make_shared<const Summaries>(evaluation.result);
  }

  UiState moment() const {
    UiState now;
    now.document = document;
    now.labels = labels;
    now.evaluation = evaluation;
    return now;
  }
};

float value_of(const Result& result, Stage stage, Index head) {
  const std::shared_ptr<const Result> shared(&result, [](const Result*) {});
  return cell_value({picture::matrix_of(shared, stage, 0, head)}, 7, 1);
}

TEST(StageView, ReadsThePublishedHeadWhereItStands) {
  const Scene scene;
  for (const Stage stage : {Stage::queries, Stage::scores, Stage::weights, Stage::head_context}) {
    const std::optional<StageView> published = stage_view({scene.moment(), {}}, stage, 2);
    ASSERT_TRUE(published);
    EXPECT_EQ(cell_value(*published, 7, 1), value_of(scene.next, stage, 2)) << info(stage).id;
    EXPECT_EQ(published->head, 2);
    const std::optional<StageView> other = stage_view({scene.moment(), {}}, stage, 1);
    ASSERT_TRUE(other);
    EXPECT_EQ(cell_value(*other, 7, 1), value_of(*scene.evaluation.result, stage, 1)) << info(stage).id;
  }
}

TEST(StageView, WhatIsOfAllHeadsWaitsForThem) {
  const Scene scene;
  for (const Stage stage : {Stage::context, Stage::output}) {
    const std::optional<StageView> view = stage_view({scene.moment(), {}}, stage, 2);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->result, scene.evaluation.result) << info(stage).id;
  }
}

TEST(StageView, IsOfNoHeadThatIsStillComputed) {
  Scene scene;
  scene.show(std::exchange(scene.evaluation.newer, nullptr));
  const UiState now = scene.moment();
  const ViewContext context(now, {});
  for (const Stage stage : {Stage::queries, Stage::weights, Stage::head_context}) {
    EXPECT_FALSE(stage_view(context, stage, 1)) << info(stage).id;
    const std::optional<StageView> view = stage_view(context, stage, 2);
    ASSERT_TRUE(view) << info(stage).id;
    EXPECT_EQ(cell_value(*view, 7, 1), value_of(scene.next, stage, 2)) << info(stage).id;
    EXPECT_LT(view->summary->matrices[2].low, view->summary->matrices[2].high) << info(stage).id;
  }
  EXPECT_TRUE(stage_view(context, Stage::inputs, 1));
  EXPECT_FALSE(stage_view(context, Stage::output, 2));
  EXPECT_EQ(why_missing(context, Stage::output), "This is still being computed.");
  EXPECT_NE(why_missing(context, Stage::masked_weights).find("no such stage"), std::string::npos);
}

TEST(StageWording, OfWeightsNamesWhatSoftmaxReads) {
  AttentionConfig config = document_of(1).config;
  config.mask = MaskRoute::none;
  config.scale = false;
  EXPECT_EQ(wording(config, Stage::weights).formula, "A = softmax(S), row by row");
  config.softcap = 5;
  EXPECT_EQ(wording(config, Stage::weights).formula, "A = softmax(c·tanh(S/c)), row by row");
}

TEST(StageWording, OfProjectionsIsThatOfTheModuleInUse) {
  AttentionConfig config = document_of(1).config;
  config.qkv_bias = false;
  config.mechanism = Mechanism::self_attention_v1;
  EXPECT_EQ(wording(config, Stage::queries).formula, "Q = X · W_query");
  EXPECT_EQ(wording(config, Stage::queries).pytorch, "queries = x @ self.W_query");
  EXPECT_EQ(wording(config, Stage::scores).pytorch, "attn_scores = queries @ keys.T");
  config.mechanism = Mechanism::causal_attention;
  EXPECT_EQ(wording(config, Stage::values).formula, "V = X · W_valueᵀ");
  EXPECT_EQ(wording(config, Stage::values).pytorch, "values = self.W_value(x)");
  config.qkv_bias = true;
  EXPECT_EQ(wording(config, Stage::keys).formula, "K = X · W_keyᵀ + b");
  config.mechanism = Mechanism::multi_head_attention;
  EXPECT_EQ(wording(config, Stage::output).formula, "O = Z · out_projᵀ + b");
  EXPECT_NE(wording(config, Stage::keys).pytorch.find(".view(B, T, H, head_dim)"), std::string::npos);
}

TEST(StageWording, SaysTheShapesOfAProduct) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = 6, .features = 3};
  config.d_out = 4;
  config.num_heads = 2;
  config.mechanism = Mechanism::self_attention_v1;
  EXPECT_EQ(product_shapes(config, Stage::queries), "(6, 3) · (3, 4) = (6, 4)");
  config.mechanism = Mechanism::self_attention_v2;
  config.qkv_bias = true;
  EXPECT_EQ(product_shapes(config, Stage::queries), "(6, 3) · (4, 3)ᵀ + (4,) = (6, 4)");
  config.mechanism = Mechanism::multi_head_attention;
  config.qkv_bias = false;
  EXPECT_EQ(product_shapes(config, Stage::queries), "(6, 3) · (4, 3)ᵀ = (6, 4), 2 of them a head");
  EXPECT_EQ(product_shapes(config, Stage::scores), "(6, 2) · (6, 2)ᵀ = (6, 6)");
  EXPECT_EQ(product_shapes(config, Stage::head_context), "(6, 6) · (6, 2) = (6, 2)");
  EXPECT_EQ(product_shapes(config, Stage::weights), "");
  config.d_out = 8;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  EXPECT_EQ(product_shapes(config, Stage::queries), "(6, 3) · (8, 3)ᵀ = (6, 8), 2 of them a head");
  EXPECT_EQ(product_shapes(config, Stage::keys), "(6, 3) · (4, 3)ᵀ = (6, 4), 2 of them a head") << "of two heads";
}

TEST(ShapeInClass, HasOneAxisForABias) {
  AttentionConfig config;
  config.d_out = 4;
  config.num_heads = 2;
  config.mechanism = Mechanism::multi_head_attention;
  EXPECT_EQ(format_shape(shape_in_class(config, Stage::output_bias)), "(4,)");  // torch.nn.Linear(4, 4).bias.shape
  EXPECT_EQ(shape_letters_in_class(config, Stage::output_bias), "(d_out,)");
  EXPECT_EQ(shape_letters_in_class(config, Stage::query_gain), "(head_dim,)");
  EXPECT_EQ(shape_letters_in_class(config, Stage::output_weight), "(d_out, d_out)");
  config.mechanism = Mechanism::multi_head_attention_wrapper;
  EXPECT_EQ(shape_letters_in_class(config, Stage::query_bias), "(H, d_out)") << "one bias a module";
}

}  // namespace
}  // namespace attnscope::test
