// Attention of other programs in the window: what it shows and what it says.

#include <fmt/format.h>

#include <cmath>

#include "core/results.h"
#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "features/import/import_controller.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/shared/app_services.h"
#include "features/shared/panel/calls.h"
#include "features/stages/panel/stage_view.h"
#include "files/array_files.h"
#include "headless_app_input.h"
#include "tests/support/patience.h"
#include "view/number_words.h"
#include "view/view_address.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

TEST_F(ImportedFiles, ADroppedFileIsShownHeadByHead) {
  open({4, 3, 6, 6});
  EXPECT_TRUE(says(app_.message(), {"Attention from attn.npy: 4 layers, 3 heads, 6 tokens."})) << app_.message();
  EXPECT_EQ(app_.view().mode, ViewMode::layers);
  app_.click("view/heads");
  for (int head = 0; head < 3; ++head) EXPECT_TRUE(app_.shows(fmt::format("stages/weights/{}", head)));
  EXPECT_FALSE(app_.shows("setup/mechanism/causal_attention"));
  EXPECT_FALSE(app_.shows("setup/seed"));
  EXPECT_FALSE(app_.session().shown().is_modified);
  EXPECT_EQ(app_.session().window_title(), "attn.npy – attnscope");
  EXPECT_EQ(app_.document().tokens, numbered_tokens(6));
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(2)(5, 1));
}

TEST_F(ImportedFiles, TheSliderChoosesTheLayerAndWhatIsPinnedStays) {
  open({4, 3, 6, 6});
  change_view(app_.session().queue(), [](ViewState& view) {
    view.pinned = Source{Stage::weights, 0, 2, 5, 1};
    view.range = RangeMode::own;
  });
  app_.drag("viewing/layer", 0.05F, 0.95F);
  app_.move_away();
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(3 * 3 + 2)(5, 1));
  EXPECT_EQ(app_.view().pinned, (Source{Stage::weights, 0, 2, 5, 1}));
  EXPECT_NE(app_.text().find("Layer 4 of 4"), std::string::npos) << app_.text();
  EXPECT_NE(app_.text().find("[3, 2, 5, 1]"), std::string::npos) << app_.text();
  EXPECT_NE(app_.text().find("layer 4 of 4"), std::string::npos) << app_.text();
}

TEST_F(ImportedFiles, ASingleMatrixHasNothingElseToChoose) {
  open({6, 6});
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_FALSE(app_.enables("viewing/layer"));
  EXPECT_FALSE(app_.enables("viewing/axes"));
  EXPECT_FALSE(app_.shows("viewing/tensor"));
}

TEST_F(ImportedFiles, TheFirstAxisBecomesTheBatch) {
  open({4, 3, 6, 6});
  app_.choose("viewing/axes", "1");
  settle();
  EXPECT_EQ(viewing()->layers, 1);
  EXPECT_EQ(result().config.batch_size, 4);
  EXPECT_TRUE(app_.shows("view/batch"));
  EXPECT_EQ(value_at(result(), {Stage::weights, 3, 2, 5, 1}), numbers().matrix(11)(5, 1));
}

TEST_F(ImportedFiles, BeginAtTheirMostTellingWeight) {
  put_text(folder_ / "attn.csv", "1,0,0\n0.5,0.5,0\n0.1,0.8,0.1\n");
  app_.session().push(
      [this](const Controllers& to) { to.reading.open_arrays(folder_ / "attn.csv", ArraysAs::attention); });
  settle();
  EXPECT_EQ(app_.view().pinned, (Source{.stage = Stage::weights, .row = 2, .col = 1})) << app_.message();
  open({4, 3, 6, 6});
  ASSERT_TRUE(most_telling_cell(result(), 0));
  EXPECT_EQ(app_.view().pinned, most_telling_cell(result(), 0));
  EXPECT_EQ(app_.view().head, 0);
}

// A cell that was pinned would be another number, or none.
TEST_F(ImportedFiles, OtherAxesBeginAtTheirMostTellingCell) {
  open({4, 3, 6, 6});
  app_.change_view([](ViewState& view) {
    view.pinned = Source{Stage::weights, 0, 2, 5, 1};
    view.head = 2;
  });
  app_.choose("viewing/axes", "1");
  settle();
  EXPECT_EQ(app_.view().pinned, most_telling_cell(result(), 0));
  EXPECT_EQ(app_.view().head, 0);
}

TEST_F(ImportedFiles, RowSumsAreComputed) {
  open({2, 40, 40});
  const auto& summaries = app_.session().shown().evaluation.summaries;
  PictureCache& heads = app_.session().picture_cache();
  const auto shown = app_.session().shown().evaluation.result;
  wait_until([&] {
    heads.begin_frame();
    heads.summarize(shown, Stage::weights, 1, true);
    return !heads.wait();
  });
  const SummaryPtr sums = summaries->of(Stage::weights);
  EXPECT_TRUE(sums->is_exact);
  for (const float sum : sums->row_sums) EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_F(ImportedFiles, EveryNumberSaysWhereItStands) {
  open({2, 6, 6});
  app_.click("view/focus");
  app_.click_cell(Stage::weights, 4, 2);
  app_.move_away();
  const std::string text = app_.text();
  for (const char* const said :
       {"Head 1 of 2", "query 5 x5", "key 3 x3", "Read from attn.npy", "[0, 4, 2]", "Σ 1.0000"})
    EXPECT_NE(text.find(said), std::string::npos) << said << " in\n" << text;
}

TEST_F(ImportedFiles, TheSumOfARowIsMadeOfItsNumbersInTheFile) {
  open({2, 6, 6});
  const Source sum{.stage = Stage::weights, .row = 4, .kind = SourceKind::row_sum};
  const std::vector<ExplanationLine> lines = explanation_lines(result(), sum, RowNames(std::vector<std::string>{}), 16);
  ASSERT_GE(lines.size(), 7U);
  EXPECT_EQ(lines.front().text, "The weights of query 5 in the file, added up.");
  EXPECT_EQ(lines.back().text, "= 1.0000");
  EXPECT_EQ(lines[2].source, (Source{.stage = Stage::weights, .row = 4}));
}

TEST_F(ImportedFiles, TheDiagramShowsTheWeightsInTheirPlaceAndSaysWhyItHasNoOthers) {
  open({2, 6, 6});
  EXPECT_FALSE(app_.shows("view/layers")) << "it has one";
  app_.click("view/diagram");
  app_.move_away();
  EXPECT_TRUE(app_.shows("stages/weights"));
  EXPECT_FALSE(app_.shows("stages/scores"));
}

TEST_F(ImportedFiles, LayersAndHeadsAreThumbnailsAndAClickShowsOneLarge) {
  open({4, 3, 6, 6});
  ASSERT_EQ(app_.view().mode, ViewMode::layers);
  EXPECT_TRUE(app_.shows("layers/0/0"));
  EXPECT_FALSE(app_.shows("layers/4/0"));
  EXPECT_FALSE(app_.shows("layers/0/3"));
  app_.click("layers/3/1");
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(app_.view().head, 1);
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_EQ(cell(1, 2, 0), numbers().values[static_cast<std::size_t>((3 * 3 + 1) * 36 + 2 * 6)]);
  for (const Evaluation& layer : app_.session().shown().layers) EXPECT_TRUE(layer.result);
  EXPECT_EQ(app_.session().shown().layers[3].result, app_.session().shown().evaluation.result);
}

TEST_F(ImportedFiles, ArrowsLeadFromPictureToPictureOfLayersAndEnterShowsOneLarge) {
  open({4, 3, 6, 6});
  const auto press = [&](ImGuiKey key) { app_.press_key(keys::named(key)); };
  press(ImGuiKey_DownArrow);  // shows where the keys are
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{0, 0}));
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{2, 1}));
  for (int times = 0; times < 5; ++times) press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{2, 2})) << "the last head";
  press(ImGuiKey_Enter);
  settle();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(app_.view().head, 2);
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
}

// Who shows another layer does not wait for the file: what was read of it with the file is what is shown.
TEST_F(ImportedFiles, LayersAreReadWithTheirFile) {
  open({4, 3, 6, 6});
  const auto before = app_.session().shown().layers;
  ASSERT_EQ(before.size(), 4U);
  app_.session().push(
      [](const Controllers& to) { to.viewing.change([](attnscope::ImportedView& viewing) { viewing.layer = 2; }); });
  settle();
  EXPECT_EQ(app_.session().shown().evaluation.result, before[2].result);
  for (std::size_t layer = 0; layer < 4; ++layer)
    EXPECT_EQ(app_.session().shown().layers[layer].result, before[layer].result) << layer;
}

TEST_F(ImportedFiles, LayersSayWhatTheirColoursStandForAndWhatIsNotShown) {
  open({2, 2, 6, 6});
  EXPECT_NE(app_.text().find("attention weights: 2 layers."), std::string::npos) << app_.text();
  EXPECT_TRUE(app_.shows("layers/colours"));
  open({300, 1, 4, 4});
  EXPECT_NE(app_.text().find("300 layers, here the first 256"), std::string::npos) << app_.text();
}

TEST_F(ImportedFiles, EveryPictureOfLayersIsAMatrixWithATitleAndLabels) {
  open({3, 2, 6, 6});
  const auto& matrices = app_.widgets().matrices;
  ASSERT_EQ(matrices.size(), 6U);
  EXPECT_EQ(matrices[3].name, "layers/1/1");
  EXPECT_EQ(matrices[3].title, "attention weights, layer 2, head 2");
  EXPECT_EQ(matrices[3].row_labels.size(), 6U);
  EXPECT_TRUE(matrices[3].has_cells);
  EXPECT_EQ(matrices[3].result, app_.session().shown().layers[1].result);
}

// A script or the settings may ask for it all the same.
TEST_F(ImportedFiles, LayersSayWhyThereIsNothing) {
  open({2, 6, 6});
  change_view(app_.session().queue(), [](ViewState& view) { view.mode = ViewMode::layers; });
  app_.frames(2);
  EXPECT_NE(app_.text().find("holds several of them"), std::string::npos) << app_.text();
}

TEST_F(ImportedFiles, WhatTakesInputsIsRefusedWithASentence) {
  open({2, 6, 6});
  const Document before = app_.document();
  const std::vector<std::pair<Call, std::string>> calls = {
      {[this](const Controllers& to) { to.exchange.write_weights(folder_ / "x.safetensors"); }, "no weight matrices"},
      {[](const Controllers& to) { to.dialogs.show(DialogState::Kind::export_weights); }, "no weight matrices"},
      {[](const Controllers& to) { to.exchange.copy_code(CodeLanguage::pytorch); }, "nothing to write as code"},
      {[](const Controllers& to) { to.documents.paste_numbers(); }, "no embeddings"},
      {[](const Controllers& to) {
         to.documents.edit({"seed", [](Document& document) { document.config.seed = 7; }});
       },
       "nothing to compute anew"}};
  for (const auto& [call, why] : calls) {
    app_.call(call);
    EXPECT_TRUE(says(app_.message(), {why, "attn.npy"})) << app_.message();
    EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  }
  EXPECT_EQ(app_.document(), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"attn.npy"});
}

TEST_F(ImportedFiles, MenusOfAComputedDocumentAreDisabled) {
  open({2, 6, 6});
  app_.click("menu/file");
  EXPECT_TRUE(app_.enables("menu/file/save"));
  app_.click("menu/file/export");
  EXPECT_FALSE(app_.enables("menu/file/export_weights"));
  EXPECT_FALSE(app_.enables("menu/file/page"));
}

TEST_F(ImportedFiles, TokensAreTypedInOneGo) {
  open({2, 3, 3});
  app_.replace_text("viewing/names", "the cat sat");
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_TRUE(app_.session().shown().is_modified);
  app_.replace_text("viewing/names", "the cat");
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_TRUE(says(app_.message(), {"2 words", "3 tokens"})) << app_.message();
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
}

TEST_F(ImportedFiles, TokensAreTypedOneByOneAndUndoTakesThemBack) {
  open({2, 3, 3});
  app_.replace_text("viewing/name/1", "cat");
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"x1", "cat", "x3"}));
  app_.press_control('Z');
  EXPECT_EQ(app_.document().tokens, numbered_tokens(3));
}

TEST_F(ImportedFiles, TokensArePasted) {
  open({2, 3, 3});
  app_.clipboard() = "[\"the\", \" cat\", \" sat\"]";
  app_.click("viewing/paste");
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"the", " cat", " sat"}));
}

TEST_F(ImportedFiles, TokensComeFromAChosenTextFile) {
  open({2, 3, 3});
  put_text(folder_ / "tokens.txt", "the\ncat\nsat\n");
  put_text(folder_ / "short.txt", "the\ncat\n");
  app_.click("viewing/open_names");
  app_.double_click("dialog/entry/short.txt");
  settle();
  EXPECT_TRUE(says(app_.session().shown().dialog.error, {"short.txt", "2 lines", "3 tokens"}));
  app_.double_click("dialog/entry/tokens.txt");
  settle();
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  app_.session().push([](const Controllers& to) {
    to.viewing.change([](attnscope::ImportedView& state) { state.takes_other_axes = true; });
  });
  settle();
  EXPECT_EQ(viewing()->layers, 2);
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
}

TEST_F(ImportedFiles, FindGoesToTokensLargestWeightsAndTheFirstColumn) {
  open({2, 6, 6});
  app_.click("view/focus");
  app_.session().push([](const Controllers& to) { to.viewing.name_tokens("the cat sat on a mat"); });
  app_.press_control('F');
  app_.replace_text("go_to/text", "sat");
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app_.view().pinned->col, 2);
  app_.click("go_to/largest");
  settle();
  EXPECT_EQ(app_.view().pinned, (Source{Stage::weights, 0, 0, 0, 0}));
  EXPECT_NE(app_.session().shown().go_to.status.find("1 of 20"), std::string::npos)
      << app_.session().shown().go_to.status;
  app_.click("go_to/diagonal");
  app_.click("go_to/first_column");
  EXPECT_EQ(app_.view().pinned->col, 0);
}

TEST_F(ImportedFiles, TheShownMatrixIsCopied) {
  open({2, 3, 3});
  app_.call([](const Controllers& to) { to.exchange.copy_stage(MatrixForm::table); });
  EXPECT_TRUE(app_.clipboard().starts_with("query\tx1\tx2\tx3\nx1\t1\t0\t0\n")) << app_.clipboard();
}

constexpr const char* cross_table =
    ",le,chat,noir,dort\nthe,0.7,0.1,0.1,0.1\ncat,0.1,0.8,0.05,0.05\nsleeps,0.05,0.15,0.1,0.7\n";

TEST_F(ImportedFiles, RowsAndColumnsCanBeOtherTokens) {
  put_text(folder_ / "cross.csv", cross_table);
  drop("cross.csv");
  EXPECT_TRUE(says(app_.message(), {"Attention from cross.csv: 3 queries, 4 keys."})) << app_.message();
  EXPECT_EQ(app_.view().pinned, (Source{Stage::weights, 0, 0, 1, 1})) << "its most telling weight";
  app_.click_cell(Stage::weights, 2, 3);
  app_.move_away();
  for (const char* const said : {"query 3 sleeps", "key 4 dort", "[2, 3]", "Σ 1.0000"})
    EXPECT_NE(app_.text().find(said), std::string::npos) << said << " in\n" << app_.text();
  app_.call([](const Controllers& to) { to.exchange.copy_stage(MatrixForm::table); });
  EXPECT_TRUE(app_.clipboard().starts_with("query\tle\tchat\tnoir\tdort\nthe\t0.7\t")) << app_.clipboard();
  app_.session().push([](const Controllers& to) { to.search.go_to(GoToState::Target::largest); });
  settle();
  EXPECT_EQ(app_.view().pinned, (Source{Stage::weights, 0, 0, 1, 1}));
  for (const char* const view : {"view/heads", "view/diagram", "view/focus"}) {
    if (!app_.shows(view)) continue;
    app_.click(view);
    EXPECT_TRUE(app_.shows("stages/weights") || app_.shows("stages/weights/0")) << view;
  }
}

TEST_F(ImportedFiles, BothSidesAreNamedAndSavedAndNamesAreUndone) {
  put_text(folder_ / "cross.csv", cross_table);
  drop("cross.csv");
  app_.session().push([](const Controllers& to) { to.viewing.name_tokens("a b c d"); });
  app_.session().push([](const Controllers& to) { to.viewing.name_tokens("u v w", true); });
  app_.call([](const Controllers& to) { to.viewing.name_tokens("u v", true); });
  EXPECT_TRUE(says(app_.message(), {"2 words", "3 queries"})) << app_.message();
  put_text(folder_ / "rows.txt", "eins zwei drei");
  drop("rows.txt");
  using Names = std::vector<std::string>;
  EXPECT_EQ(app_.document().query_tokens, (Names{"eins", "zwei", "drei"}));
  EXPECT_EQ(app_.document().tokens, (Names{"a", "b", "c", "d"}));
  app_.call([](const Controllers& to) { to.documents.undo(); });
  EXPECT_EQ(app_.document().query_tokens, (Names{"u", "v", "w"}));
  app_.call([this](const Controllers& to) { to.files.save(folder_ / "saved.json"); });
  drop("cross.csv");
  EXPECT_EQ(app_.document().query_tokens, (Names{"the", "cat", "sleeps"}));
  drop("saved.json");
  EXPECT_EQ(app_.document().query_tokens, (Names{"u", "v", "w"})) << app_.message();
  EXPECT_EQ(app_.document().tokens, (Names{"a", "b", "c", "d"}));
}

TEST_F(ImportedFiles, NumbersAreReadAsSomebodyChooses) {
  put_text(folder_ / "counts.csv", "6,2\n1,1\n");
  app_.session().push(
      [this](const Controllers& to) { to.reading.open_arrays(folder_ / "counts.csv", ArraysAs::shares); });
  settle();
  EXPECT_EQ(app_.view().stage, Stage::weights);
  EXPECT_EQ(cell(0, 0, 0), 0.75F);
  app_.choose("viewing/numbers", "1");
  settle();
  EXPECT_EQ(app_.view().stage, Stage::scores);
  EXPECT_EQ(cell(0, 0, 0), 6);
}

TEST_F(ImportedFiles, WhatNothingSaysIsAsked) {
  const Tensor counts({2, 2}, {6, 2, 1, 1});
  write_safetensors({{"a", counts}, {"b", counts}}, {}, folder_ / "two.safetensors");
  app_.session().push(
      [this](const Controllers& to) { to.reading.open_arrays(folder_ / "two.safetensors", ArraysAs::attention); });
  settle();
  ASSERT_EQ(app_.session().shown().dialog.answers.size(), 2U) << app_.message();
  app_.click("dialog/answer/1");
  settle();
  EXPECT_EQ(app_.view().stage, Stage::weights) << app_.message();
  EXPECT_EQ(cell(0, 0, 0), 0.75F) << "shares";
}

TEST_F(ImportedFiles, ScoresAreFoundLikeWeights) {
  put_text(folder_ / "attn.npy",
           npy_header("<f4", {1, 2, 2}) + std::string("\0\0\x80\xBF\0\0\0\x40\0\0\xA0\x40\0\0\0\0", 16));
  app_.session().push(
      [this](const Controllers& to) { to.reading.open_arrays(folder_ / "attn.npy", ArraysAs::attention); });
  settle();
  EXPECT_EQ(app_.view().stage, Stage::scores);
  EXPECT_NE(app_.message().find("shown as scores"), std::string::npos) << app_.message();
  EXPECT_EQ(cell(0, 0, 0), -1);
  app_.session().push([](const Controllers& to) { to.search.go_to(GoToState::Target::largest); });
  settle();
  EXPECT_EQ(app_.view().pinned, (Source{Stage::scores, 0, 0, 1, 0}));
  app_.press_key(keys::equal());
}

}  // namespace
}  // namespace attnscope::test
