// Figures that are exported from the dialog: files, clipboard, errors.

#include "document/document.h"
#include "document/json.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "figure_dialog_app.h"
#include "files/document_file.h"
#include "files/image.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

class FigureExport : public FigureDialogApp {};

TEST_F(FigureExport, WritesFilesOfEveryKindThatAreDocuments) {
  for (const char* const name : {"a.png", "a.svg", "a.PDF"}) {
    open();
    app_.click("figure/footer");
    export_as(name);
    EXPECT_EQ(dialog().kind, Kind::figure);  // for the next one
    EXPECT_TRUE(says(app_.session().shown().figure.said, {"Exported ", name})) << dialog().error;
    EXPECT_TRUE(says(app_.message(), {"Exported ", name}));
    EXPECT_EQ(load_document(folder_ / name), app_.document()) << name;
  }
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"a.PDF", "a.png", "a.svg"}));
  EXPECT_EQ(text_of(folder_ / "a.PDF").substr(0, 5), "%PDF-");
  EXPECT_FALSE(app_.session().shown().is_modified);
}

class ModelFigureExport : public FigureDialogApp {
protected:
  ModelFigureExport()
      : FigureDialogApp(
            parse_document(R"({"model": "example:stories", "text": "Mia puts the ball", "heads_off": [2]})")) {}
};

TEST_F(ModelFigureExport, BeginsWithAllHeadsOfAllLayersWhereTheseAreShown) {
  app_.press_control('6');
  app_.settle();
  open();
  ASSERT_TRUE(preview());
  EXPECT_EQ(preview()->error, "");
  EXPECT_EQ(dialog().name, "stories-weights.png");
  app_.choose("figure/size", "paper-page");
  app_.choose("figure/head", "1");
  EXPECT_EQ(dialog().name, "stories-layer1-weights.png");
  app_.choose("figure/head", "all");
  export_as("all.svg");
  for (const char* const text : {"Layer 4, head 2<", "Layer 1, head 3 (off)<"})
    EXPECT_NE(text_of(folder_ / "all.svg").find(text), std::string::npos) << text;
  app_.choose("figure/head", "1");
  export_as("one.svg");
  EXPECT_NE(text_of(folder_ / "one.svg").find("Layer 1 of 4, head 2 of 4<"), std::string::npos);
  app_.choose("figure/head", "all");
  app_.choose("figure/stage", "inputs");
  export_as("inputs.svg");
  EXPECT_NE(text_of(folder_ / "inputs.svg").find("Layer 1 of 4<"), std::string::npos) << "which no head has";
}

TEST_F(FigureExport, FooterIsThatOfScreenshots) {
  open();
  app_.click("figure/footer");
  export_as("a.svg");
  EXPECT_NE(text_of(folder_ / "a.svg").find(footer_text(app_.document())), std::string::npos);
}

TEST_F(FigureExport, ScaleIsThatOfThePng) {
  open();
  app_.click("figure/scale", {0, 0.5f});
  const std::shared_ptr<const FigurePreview> shown = preview();
  export_as("a.png");
  EXPECT_EQ(read_png(folder_ / "a.png").width, std::lround(shown->width));
}

TEST_F(FigureExport, NameFollowsTheStageUntilOneIsTyped) {
  open();
  EXPECT_EQ(dialog().name, "attention-weights.png");
  app_.choose("figure/stage", "scores");
  EXPECT_EQ(dialog().name, "attention-scores.png");
  app_.replace_text("dialog/name", "mine.svg");
  app_.choose("figure/stage", "keys");
  EXPECT_EQ(dialog().name, "mine.svg");
}

TEST_F(FigureExport, FormatsHaveButtons) {
  open();
  app_.click("figure/format/svg");
  EXPECT_EQ(dialog().name, "attention-weights.svg");
  app_.choose("figure/stage", "scores");
  EXPECT_EQ(dialog().name, "attention-scores.svg");
  app_.click("figure/format/pdf");
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"attention-scores.pdf"});
}

TEST_F(FigureExport, SizesHaveNames) {
  open();
  app_.choose("figure/size", "slide-16x9");
  EXPECT_EQ(options().font_size, 14);
  app_.click("figure/scale", {0, 0.5f});
  export_as("a.png");
  EXPECT_EQ(read_png(folder_ / "a.png").width, 1280);
  EXPECT_EQ(read_png(folder_ / "a.png").height, 720);
  app_.replace_text("figure/width", "90");  // the height follows again
  EXPECT_EQ(options().height, 0);
}

TEST_F(FigureExport, ThePinnedCellIsMarkedWithItsArithmetic) {
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 1, .col = 0}; });
  open();
  export_as("plain.svg");
  app_.click("figure/pinned");
  app_.click("figure/arithmetic");
  export_as("marked.svg");
  EXPECT_EQ(text_of(folder_ / "plain.svg").find("exp("), std::string::npos);
  EXPECT_NE(text_of(folder_ / "marked.svg").find("exp("), std::string::npos);
}

TEST_F(FigureExport, ReopensWithTheViewThatItShows) {
  app_.change_view([](ViewState& view) { view.range = RangeMode::own; });
  open();
  app_.choose("figure/stage", "queries");
  app_.choose("figure/head", "1");
  export_as("a.svg");
  app_.click("dialog/cancel");
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::diagram;
    view.stage = Stage::weights;
    view.head = 0;
    view.range = RangeMode::automatic;
  });
  app_.session().open_file((folder_ / "a.svg").string());
  app_.settle();
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_EQ(app_.view().stage, Stage::queries);
  EXPECT_EQ(app_.view().head, 1);
  EXPECT_EQ(app_.view().range, RangeMode::own);
}

TEST_F(FigureExport, ReopensWithThePinnedCell) {
  const Source cell = {.stage = Stage::scores, .row = 3, .col = 2};
  app_.change_view([&](ViewState& view) { view.pinned = cell; });
  open();
  app_.click("figure/pinned");
  export_as("a.png");
  app_.click("dialog/cancel");
  app_.change_view([](ViewState& view) { view.pinned.reset(); });
  app_.session().open_file((folder_ / "a.png").string());
  app_.settle();
  EXPECT_EQ(app_.view().pinned, cell);
}

TEST_F(FigureExport, RemembersFolderEndingAndChoices) {
  std::filesystem::create_directory(folder_ / "slides");
  open();
  app_.replace_text("figure/width", "90");
  export_as("slides/a.svg");
  EXPECT_EQ(app_.view().figure_folder, folder_ / "slides");
  open();
  EXPECT_EQ(dialog().folder, folder_ / "slides");
  EXPECT_EQ(dialog().name, "attention-weights.svg");
  EXPECT_EQ(options().width.length, 90);
}

TEST_F(FigureExport, WalksThroughFolders) {
  std::filesystem::create_directory(folder_ / "slides");
  put_text(folder_ / "old.png", "");
  put_text(folder_ / "old.json", "");
  open();
  app_.click("figure/folder");
  EXPECT_TRUE(app_.shows("dialog/entry/old.png"));
  EXPECT_FALSE(app_.shows("dialog/entry/old.json"));
  app_.click("dialog/entry/slides");
  EXPECT_EQ(dialog().name, "attention-weights.png");
  app_.click("figure/folder");
  EXPECT_TRUE(app_.shows("figure/preview"));
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(load_document(folder_ / "slides" / "attention-weights.png"), app_.document());
}

TEST_F(FigureExport, AsksBeforeItReplacesAFile) {
  put_text(folder_ / "a.png", "old");
  open();
  EXPECT_EQ(app_.text().find("Replace"), std::string::npos);
  app_.replace_text("dialog/name", "a.png");
  EXPECT_NE(app_.text().find("Replace"), std::string::npos);
  EXPECT_EQ(text_of(folder_ / "a.png"), "old");
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(load_document(folder_ / "a.png"), app_.document());
}

TEST_F(FigureExport, SaysWhatIsWrongWithANameAndKeepsEveryChoice) {
  open();
  app_.replace_text("figure/caption", "kept");
  const auto refused = [&](const std::string& name, const std::vector<std::string>& fragments) {
    export_as(name);
    EXPECT_EQ(dialog().kind, Kind::figure) << name;
    EXPECT_TRUE(says(dialog().error, fragments)) << name;
  };
  refused("a.jpg", {"a.jpg", ".png, .svg or .pdf"});
  refused("no/such/a.png", {"no/such", "no folder"});
  refused("", {"Type", "file name"});
  EXPECT_EQ(options().caption, "kept");
  EXPECT_TRUE(folder_.names().empty());
  export_as("a.png");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.png"});
}

TEST_F(FigureExport, SaysThatAFileCannotBeWritten) {
  std::filesystem::create_directory(folder_ / "a.png");
  put_text(folder_ / "a.png" / "inside", "");
  open();
  app_.call([this](const Controllers& to) { to.figures.export_to(folder_ / "a.png"); });
  app_.settle();
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(dialog().error, {"a.png"}));
  EXPECT_TRUE(app_.session().shown().messages.back().is_error);
}

TEST_F(FigureExport, CopiesAPngThatIsTheDocument) {
  std::string copied;
  app_.copy_pictures_with([&](const std::string& png, const std::stop_token&) { copied = png; });
  open();
  app_.click("figure/copy");
  app_.settle();
  put_text(folder_ / "copied.png", copied);
  EXPECT_EQ(load_document(folder_ / "copied.png"), app_.document());
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_NE(app_.text().find("Copied the figure as PNG."), std::string::npos);
  export_as("exported.png");
  EXPECT_EQ(text_of(folder_ / "exported.png"), copied);
}

TEST_F(FigureExport, SaysWhyNothingWasCopied) {
  app_.copy_pictures_with([](const std::string&, const std::stop_token&) { throw Error("There is no clipboard."); });
  open();
  app_.click("figure/copy");
  app_.settle();
  EXPECT_EQ(dialog().error, "There is no clipboard.");
}

TEST_F(FigureExport, AWindowIsCopiedWithoutAFolder) {
  app_.press_control('C', true);
  const std::optional<ScreenshotRequest> request = app_.session().take_screenshot_request();
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->is_for_clipboard);
  EXPECT_EQ(dialog().kind, Kind::none);
  app_.click("menu/edit");
  app_.click("menu/edit/copy");
  app_.click("menu/edit/copy_picture");
  EXPECT_TRUE(app_.session().take_screenshot_request()->is_for_clipboard);
}

}  // namespace
}  // namespace attnscope::test
