// The dialog that exports figures: its choices and its preview.

#include <functional>

#include "figure_dialog_app.h"
#include "paint/file/figure.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

class FigureDialog : public FigureDialogApp {};

TEST_F(FigureDialog, OpensOnWhatTheWindowShows) {
  app_.change_view([&](ViewState& view) { view.stage = Stage::scores; });
  app_.change_view([&](ViewState& view) { view.head = 1; });
  app_.click("menu/file");
  app_.click("menu/file/figure");
  app_.settle();
  EXPECT_EQ(options().stage, Stage::scores);
  EXPECT_EQ(options().head, 1);
  EXPECT_EQ(dialog().name, "attention-scores.png");
  EXPECT_EQ(dialog().folder, folder_.path());
  ASSERT_TRUE(preview());
  EXPECT_EQ(preview()->error, "");
}

TEST_F(FigureDialog, OpensOnThePipelineAndOnAllHeads) {
  app_.change_view([&](ViewState& view) {
    view.mode = ViewMode::diagram;
    view.pinned.reset();
  });
  open();
  EXPECT_EQ(options().stage, std::nullopt);
  app_.click("dialog/cancel");
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_FALSE(app_.session().shown().figure.preview);
  app_.change_view([&](ViewState& view) { view.mode = ViewMode::heads; });
  open();
  EXPECT_EQ(options().stage, Stage::weights);
  EXPECT_EQ(options().head, std::nullopt);
}

TEST_F(FigureDialog, OpensOnTheStageOfThePinnedNumber) {
  app_.change_view([&](ViewState& view) {
    view.mode = ViewMode::diagram;
    view.pinned = Source{.stage = Stage::scores, .row = 2, .col = 1};
  });
  open();
  EXPECT_EQ(options().stage, Stage::scores);
}

TEST_F(FigureDialog, RowSumsAreTickedWhereTheyAreDrawn) {
  open();
  EXPECT_EQ(app_.widget("figure/row_sums").is_on, true) << "of the weights alone";
  app_.choose("figure/stage", "pipeline");
  EXPECT_EQ(app_.widget("figure/row_sums").is_on, true) << "of the weights in the pipeline";
  app_.choose("figure/stage", "scores");
  EXPECT_EQ(app_.widget("figure/row_sums").is_on, false);
  app_.change_view([&](ViewState& view) { view.mode = ViewMode::study; });
  open();
  EXPECT_FALSE(app_.enables("figure/row_sums"));
}

TEST_F(FigureDialog, PreviewIsTheFigureItselfAsLargeAsThereIsRoom) {
  open();
  const FigureChoices& choices = dialog().figure;
  const std::shared_ptr<const FigurePreview> shown = preview();
  const Figure figure =
      make_figure(app_.session().shown().evaluation.result, token_labels(app_.document().tokens), options());
  const double scale = std::min(choices.preview_width / figure.width, choices.preview_height / figure.height);
  EXPECT_EQ(shown->image.pixels, render_image(figure, scale).pixels);
  EXPECT_EQ(shown->width, figure.width);
  const WidgetRegistry::Entry room = app_.widget("figure/preview");
  EXPECT_LE(static_cast<float>(shown->image.width), room.max_screen.x - room.min_screen.x);
  EXPECT_LE(static_cast<float>(shown->image.height), room.max_screen.y - room.min_screen.y);
}

TEST_F(FigureDialog, EveryChoiceIsSeenInThePreview) {
  using Step = std::function<void()>;
  const auto choose = [&](const char* list, const char* item) -> Step {
    return [=, this] { app_.choose(list, item); };
  };
  const auto click = [&](const char* widget, float across = 0.5f) -> Step {
    return [=, this] { app_.click(widget, {across, 0.5f}); };
  };
  const auto type = [&](const char* field, const char* text) -> Step {
    return [=, this] { app_.replace_text(field, text); };
  };
  const Step fix_range = [&] {
    app_.choose("figure/range", "two_numbers");
    app_.replace_text("figure/range/high", "0.5");
  };
  const std::vector<Step> steps = {choose("figure/stage", "scores"),
                                   choose("figure/head", "1"),
                                   choose("figure/head", "all"),
                                   choose("figure/stage", "pipeline"),
                                   choose("figure/stage", "weights"),
                                   type("figure/width", "90"),
                                   click("figure/width/px"),
                                   click("figure/font_size", 0.25f),
                                   click("figure/dark"),
                                   click("figure/transparent"),
                                   choose("figure/colormap", "diverging"),
                                   choose("figure/colormap", "two_colours"),
                                   choose("figure/range", "own"),
                                   fix_range,
                                   [&] { app_.drag("figure/decimals", 0.05f, 0.99f); },
                                   click("figure/row_sums"),
                                   type("figure/title", "A title"),
                                   type("figure/caption", "A caption"),
                                   click("figure/footer")};
  open();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::shared_ptr<const FigurePreview> before = preview();
    steps[i]();
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
  app_.frames(5);
  EXPECT_EQ(preview(), before);
}

TEST_F(FigureDialog, ChoicesThatCannotWorkKeepThePreviewAndSayWhy) {
  open();
  const FigureImage before = preview()->image;
  app_.replace_text("figure/width", "5");
  app_.move_away();
  EXPECT_TRUE(says(preview()->error, {"width", "5", "30 to 1000 mm"}));
  EXPECT_EQ(preview()->image.pixels, before.pixels);
  EXPECT_NE(app_.text().find("The width of a figure is 5"), std::string::npos);
  export_as("a.png");
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(dialog().error, {"width", "30 to 1000 mm"}));
  EXPECT_TRUE(folder_.names().empty());
  app_.replace_text("figure/width", "160");
  EXPECT_EQ(preview()->error, "");
  EXPECT_EQ(dialog().error, "");
}

TEST_F(FigureDialog, EscapeLeavesEverythingAsItWas) {
  open();
  app_.click("figure/dark");
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_TRUE(folder_.names().empty());
  EXPECT_FALSE(app_.session().shown().is_modified);
  open();
  EXPECT_EQ(options().theme, FigureTheme::dark);  // what was chosen is still there
}

TEST_F(FigureDialog, EscapeClosesAListBeforeTheDialog) {
  open();
  app_.click("figure/stage");
  ASSERT_TRUE(app_.shows("figure/stage/scores"));
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app_.shows("figure/stage/scores"));
  EXPECT_EQ(dialog().kind, Kind::figure);
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
}

struct Screen {
  ImVec2 size;
  float scale = 1;
};
void PrintTo(const Screen& screen, std::ostream* out) {
  *out << screen.size.x << "x" << screen.size.y << " at scale " << screen.scale;
}
class FigureDialogOnScreens : public testing::TestWithParam<Screen> {};

// With a batch, a range of two numbers and the sweep of an embedding: all the rows that there can be.
TEST_P(FigureDialogOnScreens, HasRoomForAllChoicesAtOnce) {
  Document document = default_document();
  document.config.batch_size = 2;
  ViewState view;
  view.interface_scale = GetParam().scale;
  view.figure = FigureChoices();
  view.figure->options.fixed_range = FixedRange();
  view.figure->sweep.is_on = true;
  view.figure->sweep.parameter = "embedding";
  HeadlessApp app(document, GetParam().size, view);
  app.press_control('E');
  app.settle();
  const float end = app.widget("figure/folder").min_screen.y;
  const float right = app.widget("dialog/cancel").max_screen.x;
  for (const char* const name :
       {"figure/stage", "figure/batch", "figure/caption", "figure/footer", "figure/range", "figure/range/high",
        "figure/transparent", "figure/width/px", "figure/token", "figure/sweep/step", "figure/rate", "figure/frame"}) {
    EXPECT_LE(app.widget(name).max_screen.y, end) << name;
    EXPECT_LE(app.widget(name).max_screen.x, right + 1) << name;
  }
  const ImVec2 min = app.widget("figure/preview").min_screen;
  const ImVec2 max = app.widget("figure/preview").max_screen;
  EXPECT_GE(max.x - min.x, 250 * GetParam().scale);
  EXPECT_GE(max.y - min.y, 150 * GetParam().scale);
  for (const char* const name : {"figure/caption", "figure/range/high", "figure/transparent", "figure/width/px"})
    EXPECT_LE(app.widget(name).max_screen.x, min.x) << name;
}
INSTANTIATE_TEST_SUITE_P(Usual, FigureDialogOnScreens,
                         testing::Values(Screen{{1280, 720}, 1}, Screen{{1920, 1080}, 1}, Screen{{1920, 1080}, 2},
                                         Screen{{1366, 768}, 1.25F}));

class FigureOfABatch : public FigureDialogApp {
protected:
  static Document batch() {
    Document document = default_document();
    document.config.batch_size = 2;
    document.config.dropout = 0.5;
    return document;
  }
  FigureOfABatch() : FigureDialogApp(batch()) {}
};

TEST_F(FigureOfABatch, HasAnEntryToChoose) {
  app_.change_view([&](ViewState& view) { view.stage = Stage::dropped_weights; });
  open();
  const std::shared_ptr<const FigurePreview> before = preview();
  app_.drag("figure/batch", 0.05f, 0.99f);
  EXPECT_EQ(options().batch, 1);
  EXPECT_NE(preview()->image.pixels, before->image.pixels);
}

}  // namespace
}  // namespace attnscope::test
