// The dialog that exports figures: choices, preview, files, clipboard, errors.

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "desk.h"
#include "desk_input.h"
#include "document/footer.h"
#include "interchange/document_file.h"
#include "interchange/image.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

class FigureDialog : public testing::Test {
protected:
  explicit FigureDialog(Document document = default_document())
      : desk_(std::move(document), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    view.layout = Layout::focus;
    return view;
  }
  void open() {
    desk_.press_control('E');
    desk_.frames(2);
    desk_.settle();
    ASSERT_EQ(dialog().kind, Kind::figure);
  }
  void export_as(const std::string& name) {
    desk_.replace_text("dialog/name", name);
    desk_.click("dialog/accept");
    desk_.settle();
  }
  const DialogState& dialog() { return desk_.session().dialog(); }
  const FigureOptions& options() { return dialog().figure.options; }
  std::shared_ptr<const FigurePreview> preview() {
    desk_.settle();
    return desk_.session().figure().preview;
  }

  TemporaryFolder folder_;
  Desk desk_;
};

TEST_F(FigureDialog, OpensOnWhatTheWindowShows) {
  desk_.session().view().stage = Stage::scores;
  desk_.session().view().head = 1;
  desk_.click("menu/file");
  desk_.click("menu/file/figure");
  desk_.settle();
  EXPECT_EQ(options().stage, Stage::scores);
  EXPECT_EQ(options().head, 1);
  EXPECT_EQ(dialog().name, "attention-scores.png");
  EXPECT_EQ(dialog().folder, folder_.path());
  ASSERT_TRUE(preview());
  EXPECT_EQ(preview()->error, "");
}

TEST_F(FigureDialog, OpensOnThePipelineAndOnAllHeads) {
  desk_.session().view().layout = Layout::pipeline;
  open();
  EXPECT_EQ(options().stage, std::nullopt);
  desk_.click("dialog/cancel");
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_FALSE(desk_.session().figure().preview);
  desk_.session().view().layout = Layout::heads;
  open();
  EXPECT_EQ(options().stage, Stage::weights);
  EXPECT_EQ(options().head, std::nullopt);
}

TEST_F(FigureDialog, PreviewIsTheFigureItselfAsLargeAsThereIsRoom) {
  open();
  const FigureChoices& choices = dialog().figure;
  const std::shared_ptr<const FigurePreview> shown = preview();
  const Figure figure =
      make_figure(desk_.session().evaluation().result, token_labels(desk_.document().tokens), options());
  const double scale =
      std::min(choices.preview_width / figure.layout.width, choices.preview_height / figure.layout.height);
  EXPECT_EQ(shown->image.pixels, render_image(figure, scale).pixels);
  EXPECT_EQ(shown->width, figure.layout.width);
  const WidgetRegistry::Entry room = desk_.widget("figure/preview");
  EXPECT_LE(static_cast<float>(shown->image.width), room.max_screen.x - room.min_screen.x);
  EXPECT_LE(static_cast<float>(shown->image.height), room.max_screen.y - room.min_screen.y);
}

TEST_F(FigureDialog, EveryChoiceIsSeenInThePreview) {
  open();
  std::vector<std::function<void()>> choices = {[&] { desk_.choose("figure/stage", "scores"); },
                                                [&] { desk_.choose("figure/head", "1"); },
                                                [&] { desk_.choose("figure/head", "all"); },
                                                [&] { desk_.choose("figure/stage", "pipeline"); },
                                                [&] { desk_.choose("figure/stage", "weights"); },
                                                [&] { desk_.replace_text("figure/width", "90"); },
                                                [&] { desk_.click("figure/width/px"); },
                                                [&] {
                                                  desk_.click("figure/font_size", {0.5f, 0.5f});
                                                },
                                                [&] { desk_.click("figure/dark"); },
                                                [&] { desk_.click("figure/transparent"); },
                                                [&] { desk_.choose("figure/colormap", "2"); },
                                                [&] { desk_.choose("figure/range", "2"); },
                                                [&] { desk_.choose("figure/range", "fixed"); },
                                                [&] { desk_.replace_text("figure/range/high", "0.5"); },
                                                [&] {
                                                  desk_.click("figure/decimals", {0.99f, 0.5f});
                                                },
                                                [&] { desk_.click("figure/row_sums"); },
                                                [&] { desk_.replace_text("figure/title", "A title"); },
                                                [&] { desk_.replace_text("figure/caption", "A caption"); },
                                                [&] { desk_.click("figure/footer"); }};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::shared_ptr<const FigurePreview> before = preview();
    choices[i]();
    const std::shared_ptr<const FigurePreview> after = preview();
    ASSERT_TRUE(after);
    EXPECT_EQ(after->error, "") << i;
    EXPECT_TRUE(after->image.pixels != before->image.pixels || after->width != before->width) << i;
  }
  EXPECT_EQ(options().stage, Stage::weights);
  EXPECT_EQ(options().width.unit, LengthUnit::pixels);
  EXPECT_EQ(options().fixed_range, (FixedRange{0, 0.5F}));
  EXPECT_EQ(options().decimals, 4);
  EXPECT_EQ(options().title, "A title");
}

TEST_F(FigureDialog, DrawsNothingAnewWhereNothingChanges) {
  open();
  const std::shared_ptr<const FigurePreview> before = preview();
  desk_.frames(5);
  EXPECT_EQ(preview(), before);
}

TEST_F(FigureDialog, WritesFilesOfEveryKindThatAreDocuments) {
  for (const char* const name : {"a.png", "a.svg", "a.PDF"}) {
    open();
    desk_.click("figure/footer");
    export_as(name);
    EXPECT_EQ(dialog().kind, Kind::none) << dialog().error;
    EXPECT_TRUE(says(desk_.message(), {"Exported ", name}));
    EXPECT_EQ(load_document(folder_ / name), desk_.document()) << name;
  }
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"a.PDF", "a.png", "a.svg"}));
  EXPECT_EQ(text_of(folder_ / "a.PDF").substr(0, 5), "%PDF-");
  EXPECT_FALSE(desk_.session().is_modified());
}

TEST_F(FigureDialog, FooterIsThatOfScreenshots) {
  open();
  desk_.click("figure/footer");
  export_as("a.svg");
  EXPECT_NE(text_of(folder_ / "a.svg").find(footer_text(desk_.document())), std::string::npos);
}

TEST_F(FigureDialog, ScaleIsThatOfThePng) {
  open();
  desk_.click("figure/scale", {0, 0.5f});
  const std::shared_ptr<const FigurePreview> shown = preview();
  export_as("a.png");
  EXPECT_EQ(read_png(folder_ / "a.png").width, std::lround(shown->width));
}

TEST_F(FigureDialog, NameFollowsTheStageUntilOneIsTyped) {
  open();
  EXPECT_EQ(dialog().name, "attention-weights.png");
  desk_.choose("figure/stage", "scores");
  EXPECT_EQ(dialog().name, "attention-scores.png");
  desk_.replace_text("dialog/name", "mine.svg");
  desk_.choose("figure/stage", "keys");
  EXPECT_EQ(dialog().name, "mine.svg");
}

TEST_F(FigureDialog, RemembersFolderEndingAndChoices) {
  std::filesystem::create_directory(folder_ / "slides");
  open();
  desk_.replace_text("figure/width", "90");
  export_as("slides/a.svg");
  EXPECT_EQ(desk_.view().figure_folder, folder_ / "slides");
  open();
  EXPECT_EQ(dialog().folder, folder_ / "slides");
  EXPECT_EQ(dialog().name, "attention-weights.svg");
  EXPECT_EQ(options().width.length, 90);
}

TEST_F(FigureDialog, WalksThroughFolders) {
  std::filesystem::create_directory(folder_ / "slides");
  put_text(folder_ / "old.png", "");
  put_text(folder_ / "old.json", "");
  open();
  desk_.click("figure/folder");
  EXPECT_TRUE(desk_.shows("dialog/entry/old.png"));
  EXPECT_FALSE(desk_.shows("dialog/entry/old.json"));
  desk_.click("dialog/entry/slides");
  EXPECT_EQ(dialog().name, "attention-weights.png");
  desk_.click("figure/folder");
  EXPECT_TRUE(desk_.shows("figure/preview"));
  desk_.click("dialog/accept");
  desk_.settle();
  EXPECT_EQ(load_document(folder_ / "slides" / "attention-weights.png"), desk_.document());
}

TEST_F(FigureDialog, AsksBeforeItReplacesAFile) {
  put_text(folder_ / "a.png", "old");
  open();
  EXPECT_EQ(desk_.text().find("Replace"), std::string::npos);
  desk_.replace_text("dialog/name", "a.png");
  EXPECT_NE(desk_.text().find("Replace"), std::string::npos);
  EXPECT_EQ(text_of(folder_ / "a.png"), "old");
  desk_.click("dialog/accept");
  desk_.settle();
  EXPECT_EQ(load_document(folder_ / "a.png"), desk_.document());
}

TEST_F(FigureDialog, SaysWhatIsWrongWithANameAndKeepsEveryChoice) {
  open();
  desk_.replace_text("figure/caption", "kept");
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

TEST_F(FigureDialog, SaysThatAFileCannotBeWritten) {
  std::filesystem::create_directory(folder_ / "a.png");
  put_text(folder_ / "a.png" / "inside", "");
  open();
  desk_.session().push(ExportFigure{folder_ / "a.png"});
  desk_.frames(2);
  desk_.settle();
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(dialog().error, {"a.png"}));
  EXPECT_TRUE(desk_.session().messages().back().is_error);
}

TEST_F(FigureDialog, ChoicesThatCannotWorkKeepThePreviewAndSayWhy) {
  open();
  const FigureImage before = preview()->image;
  desk_.replace_text("figure/width", "5");
  desk_.move_away();
  EXPECT_TRUE(says(preview()->error, {"width", "5", "30 to 1000 mm"}));
  EXPECT_EQ(preview()->image.pixels, before.pixels);
  EXPECT_NE(desk_.text().find("The width of a figure is 5"), std::string::npos);
  export_as("a.png");
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(dialog().error, {"width", "30 to 1000 mm"}));
  EXPECT_TRUE(folder_.names().empty());
  desk_.replace_text("figure/width", "160");
  EXPECT_EQ(preview()->error, "");
  EXPECT_EQ(dialog().error, "");
}

TEST_F(FigureDialog, EscapeLeavesEverythingAsItWas) {
  open();
  desk_.click("figure/dark");
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_TRUE(folder_.names().empty());
  EXPECT_FALSE(desk_.session().is_modified());
  open();
  EXPECT_EQ(options().theme, FigureTheme::dark);  // what was chosen is still there
}

TEST_F(FigureDialog, EscapeClosesAListBeforeTheDialog) {
  open();
  desk_.click("figure/stage");
  ASSERT_TRUE(desk_.shows("figure/stage/scores"));
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk_.shows("figure/stage/scores"));
  EXPECT_EQ(dialog().kind, Kind::figure);
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
}

TEST_F(FigureDialog, CopiesAPngThatIsTheDocument) {
  std::string copied;
  desk_.session().copy_pictures_with([&](const std::string& png, const std::stop_token&) { copied = png; });
  open();
  desk_.click("figure/copy");
  desk_.settle();
  put_text(folder_ / "copied.png", copied);
  EXPECT_EQ(load_document(folder_ / "copied.png"), desk_.document());
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_NE(desk_.text().find("Copied the figure as PNG."), std::string::npos);
  export_as("exported.png");
  EXPECT_EQ(text_of(folder_ / "exported.png"), copied);
}

TEST_F(FigureDialog, SaysWhyNothingWasCopied) {
  desk_.session().copy_pictures_with(
      [](const std::string&, const std::stop_token&) { throw Error("There is no clipboard."); });
  open();
  desk_.click("figure/copy");
  desk_.settle();
  EXPECT_EQ(dialog().error, "There is no clipboard.");
}

// A clipboard that takes nothing until it is told to, or until the export is stopped.
class SlowClipboard {
public:
  void copy(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    is_asked_ = true;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return is_released_; });
    if (stop.stop_requested()) throw Cancelled{};
  }
  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_asked_; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_asked_ = false;
  bool is_released_ = false;
};

class LongExport : public FigureDialog {
protected:
  LongExport() {
    desk_.session().copy_pictures_with(
        [clipboard = clipboard_](const std::string&, const std::stop_token& stop) { clipboard->copy(stop); });
    open();
    desk_.click("figure/copy");
    clipboard_->wait_until_asked();
    desk_.frames(2);
  }

  std::shared_ptr<SlowClipboard> clipboard_ = std::make_shared<SlowClipboard>();
};

TEST_F(LongExport, ShowsThatItRunsAndLetsTheWindowGoOn) {
  EXPECT_TRUE(desk_.session().figure().under_way);
  EXPECT_FALSE(desk_.enables("dialog/accept"));
  EXPECT_FALSE(desk_.enables("figure/copy"));
  EXPECT_LE(desk_.session().seconds_to_next_change(ImGui::GetTime()), 0.1);
  desk_.click("figure/dark");
  EXPECT_EQ(options().theme, FigureTheme::dark);
  clipboard_->release();
  desk_.settle();
  EXPECT_FALSE(desk_.session().figure().under_way);
  EXPECT_TRUE(desk_.enables("dialog/accept"));
}

TEST_F(LongExport, IsStoppedByItsButton) {
  desk_.click("dialog/cancel");
  EXPECT_FALSE(desk_.session().figure().under_way);
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(desk_.message(), {"Stopped", "nothing was written"}));
  desk_.settle();
  EXPECT_EQ(desk_.session().figure().said, "");
  export_as("after.png");
  EXPECT_EQ(load_document(folder_ / "after.png"), desk_.document());
}

TEST_F(LongExport, IsStoppedWhenTheDialogIsClosed) {
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_FALSE(desk_.session().figure().under_way);
}

TEST_F(LongExport, IsStoppedByTheEndOfTheProgram) { SUCCEED(); }  // and does not hold it up

class FigureOfABatch : public FigureDialog {
protected:
  static Document batch() {
    Document document = default_document();
    document.config.batch_size = 2;
    document.config.dropout = 0.5;
    return document;
  }
  FigureOfABatch() : FigureDialog(batch()) {}
};

TEST_F(FigureOfABatch, HasAnEntryToChoose) {
  desk_.session().view().stage = Stage::dropped_weights;
  open();
  const std::shared_ptr<const FigurePreview> before = preview();
  desk_.click("figure/batch", {0.99f, 0.5f});
  EXPECT_EQ(options().batch, 1);
  EXPECT_NE(preview()->image.pixels, before->image.pixels);
}

TEST_F(FigureDialog, AWindowIsCopiedWithoutAFolder) {
  desk_.press_control('C', true);
  const std::optional<ScreenshotRequest> request = desk_.session().take_screenshot_request();
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->is_for_clipboard);
  EXPECT_EQ(dialog().kind, Kind::none);
  desk_.click("menu/edit");
  desk_.click("menu/edit/copy_picture");
  EXPECT_TRUE(desk_.session().take_screenshot_request()->is_for_clipboard);
}

}  // namespace
}  // namespace attnscope::test
