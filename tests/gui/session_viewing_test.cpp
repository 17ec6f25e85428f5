// Attention of other programs in the window.

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "core/given.h"
#include "desk.h"
#include "desk_input.h"
#include "interchange/npy.h"
#include "support.h"
#include "views/stage_view.h"

namespace attnscope::test {
namespace {

// Shares of 1 in every row up to the diagonal, others in every matrix.
std::string weights_npy(const std::vector<Index>& shape) {
  Index matrices = 1;
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrices *= shape[axis];
  const Index T = shape.back();
  std::vector<float> numbers;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index row = 0; row < T; ++row) {
      float sum = 0;
      for (Index col = 0; col <= row; ++col) sum += static_cast<float>((matrix + row + col * col) % 7 + 1);
      for (Index col = 0; col < T; ++col)
        numbers.push_back(col > row ? 0 : static_cast<float>((matrix + row + col * col) % 7 + 1) / sum);
    }
  }
  return npy_header("<f4", shape) + std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
}

class Viewing : public testing::Test {
protected:
  Viewing() : desk_(default_document(), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
  void drop(const std::string& name) {
    desk_.session().push(OpenFile{folder_ / name});
    settle();
  }
  void open(const std::vector<Index>& shape) {
    put_text(folder_ / "attn.npy", weights_npy(shape));
    drop("attn.npy");
    ASSERT_NE(viewing(), nullptr) << desk_.message();
  }
  void settle() {
    desk_.frames(2);
    desk_.session().wait_for_evaluation();
    desk_.frames(2);
  }
  const attnscope::Viewing* viewing() { return desk_.session().viewing(); }
  const Result& result() { return *desk_.session().evaluation().result; }
  float cell(Index head, Index row, Index col) { return value_at(result(), {desk_.view().stage, 0, head, row, col}); }
  Tensor numbers() { return to_tensor(read_arrays(folder_ / "attn.npy").arrays.front()); }
  std::string path() const { return (folder_ / "attn.npy").string(); }

  TemporaryFolder folder_;
  Desk desk_;
};

TEST_F(Viewing, ADroppedFileIsShownHeadByHead) {
  open({4, 3, 6, 6});
  EXPECT_TRUE(says(desk_.message(), {"Attention from attn.npy: 4 layers, 3 heads, 6 tokens."})) << desk_.message();
  EXPECT_EQ(desk_.view().layout, Layout::heads);
  for (int head = 0; head < 3; ++head) EXPECT_TRUE(desk_.shows(fmt::format("stages/weights/{}", head)));
  EXPECT_FALSE(desk_.shows("setup/mechanism/causal_attention"));
  EXPECT_FALSE(desk_.shows("setup/seed"));
  EXPECT_FALSE(desk_.session().is_modified());
  EXPECT_EQ(desk_.session().window_title(), "attn.npy – attnscope");
  EXPECT_EQ(desk_.document().tokens, numbered_tokens(6));
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(2)(5, 1));
}

TEST_F(Viewing, TheSliderChoosesTheLayerAndWhatIsPinnedStays) {
  open({4, 3, 6, 6});
  desk_.session().push(UpdateView{[](ViewState& view) {
    view.pinned = Cell{Stage::weights, 0, 2, 5, 1};
    view.range = RangeMode::own;
  }});
  desk_.drag("viewing/layer", 0.05F, 0.95F);
  desk_.move_away();
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(cell(2, 5, 1), numbers().matrix(3 * 3 + 2)(5, 1));
  EXPECT_EQ(desk_.view().pinned, (Cell{Stage::weights, 0, 2, 5, 1}));
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

TEST_F(Viewing, RowSumsAreComputed) {
  open({2, 40, 40});
  const SummaryPtr& estimate = desk_.session().evaluation().summaries->at(static_cast<std::size_t>(Stage::weights));
  EXPECT_FALSE(estimate->is_exact);
  TileStore& tiles = desk_.session().tiles();
  const auto shown = desk_.session().evaluation().result;
  SummaryPtr sums;
  while (true) {
    tiles.begin_frame();
    sums = tiles.summary(shown, Stage::weights, estimate, 1, true);
    if (!tiles.wait()) break;
  }
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

TEST_F(Viewing, ThePipelineSaysWhyItIsEmpty) {
  open({2, 6, 6});
  desk_.click("view/pipeline");
  desk_.move_away();
  desk_.frames(2);
  EXPECT_NE(desk_.text().find("are not in the file"), std::string::npos) << desk_.text();
  EXPECT_FALSE(desk_.shows("stages/weights"));
}

TEST_F(Viewing, WhatTakesInputsIsRefusedWithASentence) {
  open({2, 6, 6});
  const Document before = desk_.document();
  const std::vector<std::pair<Command, std::string>> commands = {
      {SaveFile{folder_ / "x.json"}, "no document to save"},
      {ShowDialog{ShowDialog::Kind::save_as}, "no document to save"},
      {ExportWeights{folder_ / "x.safetensors"}, "no weight matrices"},
      {ShowDialog{ShowDialog::Kind::export_weights}, "no weight matrices"},
      {CopyCode{CopyCode::Language::pytorch}, "nothing to write as code"},
      {MeasureBackends{}, "nothing to evaluate"},
      {PasteNumbers{}, "no embeddings"},
      {EditDocument{"seed", [](Document& document) { document.config.seed = 7; }}, "nothing to compute anew"}};
  for (const auto& [command, why] : commands) {
    desk_.session().push(command);
    desk_.frames(2);
    EXPECT_TRUE(says(desk_.message(), {why, "attn.npy"})) << desk_.message();
    EXPECT_EQ(desk_.session().dialog().kind, DialogState::Kind::none);
  }
  EXPECT_EQ(desk_.document(), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"attn.npy"});
}

TEST_F(Viewing, MenusOfAComputedDocumentAreDisabled) {
  open({2, 6, 6});
  desk_.click("menu/file");
  EXPECT_FALSE(desk_.enables("menu/file/save"));
  EXPECT_FALSE(desk_.enables("menu/file/save_as"));
  EXPECT_FALSE(desk_.enables("menu/file/export_weights"));
}

TEST_F(Viewing, TokensAreTypedInOneGo) {
  open({2, 3, 3});
  desk_.replace_text("viewing/names", "the cat sat");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_FALSE(desk_.session().is_modified());
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
  EXPECT_TRUE(says(desk_.session().dialog().error, {"short.txt", "2 lines", "3 tokens"}));
  desk_.double_click("dialog/entry/tokens.txt");
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"the", "cat", "sat"}));
  EXPECT_EQ(desk_.session().dialog().kind, DialogState::Kind::none);
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
  EXPECT_EQ(desk_.view().pinned, (Cell{Stage::weights, 0, 0, 0, 0}));
  EXPECT_NE(desk_.session().go_to().status.find("1 of 20"), std::string::npos) << desk_.session().go_to().status;
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
  EXPECT_EQ(desk_.view().pinned, (Cell{Stage::scores, 0, 0, 1, 0}));
  desk_.press_key(keys::equal());
  desk_.frames(2);
}

TEST_F(Viewing, ASquareTableIsReadTheOtherWayOnRequest) {
  open({6, 6});
  desk_.click("menu/file");
  desk_.click("menu/file/arrays");
  desk_.click("menu/file/arrays/inputs");
  desk_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(inputs_of(desk_.document()), numbers());
  EXPECT_NE(desk_.message().find("If it is attention: File, Read again as."), std::string::npos) << desk_.message();
  desk_.session().push(FinishEdit{});
  desk_.click("menu/file");
  desk_.click("menu/file/arrays");
  desk_.click("menu/file/arrays/attention");
  EXPECT_EQ(desk_.session().dialog().kind, DialogState::Kind::unsaved);
  desk_.click("dialog/discard");
  settle();
  EXPECT_NE(viewing(), nullptr);
}

TEST_F(Viewing, UnsavedChangesAreAskedForFirst) {
  desk_.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 7; }});
  desk_.frames(2);
  put_text(folder_ / "attn.npy", weights_npy({2, 6, 6}));
  drop("attn.npy");
  EXPECT_EQ(desk_.session().dialog().kind, DialogState::Kind::unsaved);
  EXPECT_EQ(viewing(), nullptr);
  desk_.click("dialog/cancel");
  EXPECT_EQ(desk_.config().seed, 7U);
}

TEST_F(Viewing, AnotherDocumentIsComputedAsBefore) {
  const ViewState before = desk_.view();
  open({2, 6, 6});
  desk_.session().push(NewDocument{});
  desk_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(desk_.view().layout, before.layout);
  EXPECT_EQ(desk_.view().stage, before.stage);
  EXPECT_TRUE(same_bits(*desk_.result().find(Stage::output), *evaluate(default_document().config).find(Stage::output)));
  EXPECT_TRUE(desk_.shows("setup/seed"));
  EXPECT_EQ(desk_.session().performance().newest()->workload.tokens, 6);
}

TEST_F(Viewing, WhatCannotBeViewedChangesNothing) {
  put_text(folder_ / "wide.npy", npy_header("<f4", {1, 1, 2, 3}) + std::string(24, '\0'));
  desk_.session().push(OpenArrays{folder_ / "wide.npy", OpenArrays::As::attention});
  desk_.frames(2);
  EXPECT_TRUE(says(desk_.message(), {"wide.npy: There is no attention in it", "(1, 1, 2, 3)"})) << desk_.message();
  EXPECT_EQ(desk_.document(), default_document());
  EXPECT_EQ(viewing(), nullptr);
}

TEST_F(Viewing, AFailedChoiceLeavesWhatIsShown) {
  put_text(folder_ / "attn.npy", weights_npy({130, 2, 2}));
  desk_.session().push(OpenArrays{folder_ / "attn.npy", OpenArrays::As::attention});
  desk_.frames(2);
  EXPECT_NE(desk_.message().find("130 heads"), std::string::npos) << desk_.message();
  EXPECT_EQ(viewing(), nullptr);
}

std::size_t anonymous_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8));
  }
  return 0;
}

// 600 MB, without a byte on the disk: a hole is all zeros.
TEST_F(Viewing, AFileOf600MegabytesTakesNoMemory) {
  const std::vector<Index> shape = {12, 12, 1024, 1024};
  put_text(folder_ / "attn.npy", npy_header("<f4", shape));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 144 * 1024 * 1024);
  const std::size_t before = anonymous_kilobytes();
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << desk_.message();
  for (Index layer = 0; layer < 12; ++layer) {
    desk_.session().push(UpdateViewing{[layer](attnscope::Viewing& state) { state.layer = layer; }});
    desk_.frames(3);
    while (desk_.session().tiles().wait()) desk_.frames(1);
  }
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t most_megabytes = 400;  // the sanitizer holds back 256 MB of what was freed
#else
  constexpr std::size_t most_megabytes = 64;
#endif
  EXPECT_LT(anonymous_kilobytes(), before + most_megabytes * 1024);
}

TEST_F(Viewing, AFileThatIsCutWhileItIsShownIsToldOf) {
  put_text(folder_ / "attn.npy", npy_header("<f4", {2, 3000, 3000}));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 2 * 3000 * 3000);
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << desk_.message();
  std::filesystem::resize_file(path(), 100);
  desk_.frames(3);
  EXPECT_TRUE(says(desk_.message(), {"was made shorter by another program"})) << desk_.message();
  EXPECT_TRUE(std::isnan(cell(1, 2999, 0)));
}

}  // namespace
}  // namespace attnscope::test
