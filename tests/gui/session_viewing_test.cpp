// Attention of other programs in the window: what it shows and what it says.

#include <fmt/format.h>

#include <cmath>

#include "core/external_attention.h"
#include "desk_input.h"
#include "features/stages/panel/stage_view.h"
#include "interchange/array_files.h"
#include "tests/support/patience.h"
#include "viewing_controller.h"

namespace attnscope::test {
namespace {

TEST_F(Viewing, ADroppedFileIsShownHeadByHead) {
  open({4, 3, 6, 6});
  EXPECT_TRUE(says(desk_.message(), {"Attention from attn.npy: 4 layers, 3 heads, 6 tokens."})) << desk_.message();
  EXPECT_EQ(desk_.view().layout, Layout::layers);
  desk_.click("view/heads");
  for (int head = 0; head < 3; ++head) EXPECT_TRUE(desk_.shows(fmt::format("stages/weights/{}", head)));
  EXPECT_FALSE(desk_.shows("setup/mechanism/causal_attention"));
  EXPECT_FALSE(desk_.shows("setup/seed"));
  EXPECT_FALSE(desk_.session().shown().is_modified);
  EXPECT_EQ(desk_.session().window_title(), "attn.npy – attnscope");
  EXPECT_EQ(desk_.document().tokens, numbered_tokens(6));
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(2)(5, 1));
}

TEST_F(Viewing, TheSliderChoosesTheLayerAndWhatIsPinnedStays) {
  open({4, 3, 6, 6});
  desk_.session().push(UpdateView{[](ViewState& view) {
    view.pinned = Source{Stage::weights, 0, 2, 5, 1};
    view.range = RangeMode::own;
  }});
  desk_.drag("viewing/layer", 0.05F, 0.95F);
  desk_.move_away();
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(3 * 3 + 2)(5, 1));
  EXPECT_EQ(desk_.view().pinned, (Source{Stage::weights, 0, 2, 5, 1}));
  EXPECT_NE(desk_.text().find("Layer 4 of 4"), std::string::npos) << desk_.text();
  EXPECT_NE(desk_.text().find("[3, 2, 5, 1]"), std::string::npos) << desk_.text();
  EXPECT_NE(desk_.text().find("layer 4 of 4"), std::string::npos) << desk_.text();
}

TEST_F(Viewing, ASingleMatrixHasNothingElseToChoose) {
  open({6, 6});
  EXPECT_EQ(desk_.view().layout, Layout::focus);
  EXPECT_FALSE(desk_.enables("viewing/layer"));
  EXPECT_FALSE(desk_.enables("viewing/axes"));
  EXPECT_FALSE(desk_.shows("viewing/tensor"));
}

TEST_F(Viewing, TheFirstAxisBecomesTheBatch) {
  open({4, 3, 6, 6});
  desk_.choose("viewing/axes", "1");
  settle();
  EXPECT_EQ(viewing()->layers, 1);
  EXPECT_EQ(result().config.batch_size, 4);
  EXPECT_TRUE(desk_.shows("view/batch"));
  EXPECT_EQ(value_at(result(), {Stage::weights, 3, 2, 5, 1}), numbers().matrix(11)(5, 1));
}

// A cell that was pinned would be another number, or none.
TEST_F(Viewing, OtherAxesBeginAtTheirFirstCell) {
  open({4, 3, 6, 6});
  desk_.change_view([](ViewState& view) {
    view.pinned = Source{Stage::weights, 0, 2, 5, 1};
    view.head = 2;
  });
  desk_.choose("viewing/axes", "1");
  settle();
  EXPECT_EQ(desk_.view().pinned, (Source{.stage = Stage::weights, .row = 1}));
  EXPECT_EQ(desk_.view().head, 0);
}

TEST_F(Viewing, RowSumsAreComputed) {
  open({2, 40, 40});
  const auto& summaries = desk_.session().shown().evaluation.summaries;
  HeadCache& heads = desk_.session().head_cache();
  const auto shown = desk_.session().shown().evaluation.result;
  wait_until([&] {
    heads.begin_frame();
    heads.summarize(shown, Stage::weights, 1, true);
    return !heads.wait();
  });
  const SummaryPtr sums = summaries->of(Stage::weights);
  EXPECT_TRUE(sums->is_exact);
  for (const float sum : sums->row_sums) EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_F(Viewing, EveryNumberSaysWhereItStands) {
  open({2, 6, 6});
  desk_.click("view/focus");
  desk_.click_cell(Stage::weights, 4, 2);
  desk_.move_away();
  desk_.frames(2);
  const std::string text = desk_.text();
  for (const char* const said :
       {"Head 1 of 2", "query 5 x5", "key 3 x3", "Read from attn.npy", "[0, 4, 2]", "Σ 1.0000"})
    EXPECT_NE(text.find(said), std::string::npos) << said << " in\n" << text;
}

TEST_F(Viewing, TheDiagramShowsTheWeightsInTheirPlaceAndSaysWhyItHasNoOthers) {
  open({2, 6, 6});
  EXPECT_FALSE(desk_.shows("view/layers")) << "it has one";
  desk_.click("view/diagram");
  desk_.move_away();
  desk_.frames(2);
  EXPECT_TRUE(desk_.shows("stages/weights"));
  EXPECT_FALSE(desk_.shows("stages/scores"));
}

TEST_F(Viewing, LayersAndHeadsAreThumbnailsAndAClickShowsOneLarge) {
  open({4, 3, 6, 6});
  ASSERT_EQ(desk_.view().layout, Layout::layers);
  EXPECT_TRUE(desk_.shows("layers/0/0"));
  EXPECT_FALSE(desk_.shows("layers/4/0"));
  EXPECT_FALSE(desk_.shows("layers/0/3"));
  desk_.click("layers/3/1");
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(desk_.view().head, 1);
  EXPECT_EQ(desk_.view().layout, Layout::focus);
  EXPECT_EQ(cell(1, 2, 0), numbers().values[static_cast<std::size_t>((3 * 3 + 1) * 36 + 2 * 6)]);
  for (const Evaluation& layer : desk_.session().shown().layers) EXPECT_TRUE(layer.result);
  EXPECT_EQ(desk_.session().shown().layers[3].result, desk_.session().shown().evaluation.result);
}

TEST_F(Viewing, ArrowsLeadFromPictureToPictureOfLayersAndEnterShowsOneLarge) {
  open({4, 3, 6, 6});
  const auto press = [&](ImGuiKey key) {
    desk_.press_key(keys::named(key));
    desk_.frames(2);
  };
  press(ImGuiKey_DownArrow);  // shows where the keys are
  EXPECT_EQ(desk_.view().passing.picture, (LayerPicture{0, 0}));
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(desk_.view().passing.picture, (LayerPicture{2, 1}));
  for (int times = 0; times < 5; ++times) press(ImGuiKey_RightArrow);
  EXPECT_EQ(desk_.view().passing.picture, (LayerPicture{2, 2})) << "the last head";
  press(ImGuiKey_Enter);
  settle();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(desk_.view().head, 2);
  EXPECT_EQ(desk_.view().layout, Layout::focus);
}

// Who shows another layer does not wait for the file: what was read of it with the file is what is shown.
TEST_F(Viewing, LayersAreReadWithTheirFile) {
  open({4, 3, 6, 6});
  const auto before = desk_.session().shown().layers;
  ASSERT_EQ(before.size(), 4U);
  desk_.session().push(UpdateViewing{[](attnscope::Viewing& viewing) { viewing.layer = 2; }});
  settle();
  EXPECT_EQ(desk_.session().shown().evaluation.result, before[2].result);
  for (std::size_t layer = 0; layer < 4; ++layer)
    EXPECT_EQ(desk_.session().shown().layers[layer].result, before[layer].result) << layer;
}

TEST_F(Viewing, LayersSayWhatTheirColoursStandForAndWhatIsNotShown) {
  open({2, 2, 6, 6});
  EXPECT_NE(desk_.text().find("attention weights: 2 layers."), std::string::npos) << desk_.text();
  EXPECT_TRUE(desk_.shows("layers/colours"));
  open({300, 1, 4, 4});
  EXPECT_NE(desk_.text().find("300 layers, here the first 256"), std::string::npos) << desk_.text();
}

TEST_F(Viewing, EveryPictureOfLayersIsAMatrixWithATitleAndLabels) {
  open({3, 2, 6, 6});
  const auto& matrices = desk_.widgets().matrices;
  ASSERT_EQ(matrices.size(), 6U);
  EXPECT_EQ(matrices[3].name, "layers/1/1");
  EXPECT_EQ(matrices[3].title, "attention weights, layer 2, head 2");
  EXPECT_EQ(matrices[3].row_labels.size(), 6U);
  EXPECT_TRUE(matrices[3].has_cells);
  EXPECT_EQ(matrices[3].result, desk_.session().shown().layers[1].result);
}

// A script or the settings may ask for it all the same.
TEST_F(Viewing, LayersSayWhyThereIsNothing) {
  open({2, 6, 6});
  desk_.session().push(UpdateView{[](ViewState& view) { view.layout = Layout::layers; }});
  desk_.frames(2);
  EXPECT_NE(desk_.text().find("holds several of them"), std::string::npos) << desk_.text();
}

TEST_F(Viewing, WhatTakesInputsIsRefusedWithASentence) {
  open({2, 6, 6});
  const Document before = desk_.document();
  const std::vector<std::pair<Command, std::string>> commands = {
      {ExportWeights{folder_ / "x.safetensors"}, "no weight matrices"},
      {ShowDialog{ShowDialog::Kind::export_weights}, "no weight matrices"},
      {CopyCode{CopyCode::Language::pytorch}, "nothing to write as code"},
      {PasteNumbers{}, "no embeddings"},
      {EditDocument{"seed", [](Document& document) { document.config.seed = 7; }}, "nothing to compute anew"}};
  for (const auto& [command, why] : commands) {
    desk_.session().push(command);
    desk_.frames(2);
    EXPECT_TRUE(says(desk_.message(), {why, "attn.npy"})) << desk_.message();
    EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::none);
  }
  EXPECT_EQ(desk_.document(), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"attn.npy"});
}

TEST_F(Viewing, MenusOfAComputedDocumentAreDisabled) {
  open({2, 6, 6});
  desk_.click("menu/file");
  EXPECT_TRUE(desk_.enables("menu/file/save"));
  EXPECT_FALSE(desk_.enables("menu/file/export_weights"));
}

TEST_F(Viewing, TokensAreTypedInOneGo) {
  open({2, 3, 3});
  desk_.replace_text("viewing/names", "the cat sat");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_TRUE(desk_.session().shown().is_modified);
  desk_.replace_text("viewing/names", "the cat");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_TRUE(says(desk_.message(), {"2 words", "3 tokens"})) << desk_.message();
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
}

TEST_F(Viewing, TokensAreTypedOneByOneAndUndoTakesThemBack) {
  open({2, 3, 3});
  desk_.replace_text("viewing/name/1", "cat");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  desk_.frames(2);
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"x1", "cat", "x3"}));
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document().tokens, numbered_tokens(3));
}

TEST_F(Viewing, TokensArePasted) {
  open({2, 3, 3});
  desk_.clipboard() = "[\"the\", \" cat\", \" sat\"]";
  desk_.click("viewing/paste");
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", " cat", " sat"}));
}

TEST_F(Viewing, TokensComeFromAChosenTextFile) {
  open({2, 3, 3});
  put_text(folder_ / "tokens.txt", "the\ncat\nsat\n");
  put_text(folder_ / "short.txt", "the\ncat\n");
  desk_.click("viewing/open_names");
  desk_.double_click("dialog/entry/short.txt");
  settle();
  EXPECT_TRUE(says(desk_.session().shown().dialog.error, {"short.txt", "2 lines", "3 tokens"}));
  desk_.double_click("dialog/entry/tokens.txt");
  settle();
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::none);
  desk_.session().push(UpdateViewing{[](attnscope::Viewing& state) { state.takes_other_axes = true; }});
  settle();
  EXPECT_EQ(viewing()->layers, 2);
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
}

TEST_F(Viewing, FindGoesToTokensLargestWeightsAndTheFirstColumn) {
  open({2, 6, 6});
  desk_.click("view/focus");
  desk_.session().push(NameTokens{"the cat sat on a mat"});
  desk_.press_control('F');
  desk_.replace_text("go_to/text", "sat");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  desk_.frames(2);
  EXPECT_EQ(desk_.view().pinned->col, 2);
  desk_.click("go_to/largest");
  settle();
  EXPECT_EQ(desk_.view().pinned, (Source{Stage::weights, 0, 0, 0, 0}));
  EXPECT_NE(desk_.session().shown().go_to.status.find("1 of 20"), std::string::npos)
      << desk_.session().shown().go_to.status;
  desk_.click("go_to/diagonal");
  desk_.click("go_to/first_column");
  desk_.frames(2);
  EXPECT_EQ(desk_.view().pinned->col, 0);
}

TEST_F(Viewing, TheShownMatrixIsCopied) {
  open({2, 3, 3});
  desk_.session().push(CopyStage{CopyStage::Form::table});
  desk_.frames(2);
  EXPECT_TRUE(desk_.clipboard().starts_with("query\tx1\tx2\tx3\nx1\t1\t0\t0\n")) << desk_.clipboard();
}

TEST_F(Viewing, ScoresAreFoundLikeWeights) {
  put_text(folder_ / "attn.npy",
           npy_header("<f4", {1, 2, 2}) + std::string("\0\0\x80\xBF\0\0\0\x40\0\0\xA0\x40\0\0\0\0", 16));
  desk_.session().push(OpenArrays{folder_ / "attn.npy", OpenArrays::As::attention});
  settle();
  EXPECT_EQ(desk_.view().stage, Stage::scores);
  EXPECT_NE(desk_.message().find("shown as scores"), std::string::npos) << desk_.message();
  EXPECT_EQ(cell(0, 0, 0), -1);
  desk_.session().push(GoTo{GoTo::Target::largest});
  settle();
  EXPECT_EQ(desk_.view().pinned, (Source{Stage::scores, 0, 0, 1, 0}));
  desk_.press_key(keys::equal());
  desk_.frames(2);
}

}  // namespace
}  // namespace attnscope::test
