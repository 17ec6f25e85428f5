// Sweeps in the dialog that exports figures: choices, preview, files.

#include "document/edit.h"
#include "files/document_file.h"
#include "files/image.h"
#include "paint/file/figure.h"
#include "sweep_app.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

TEST_F(SweepDialog, IsStillUntilASweepIsChosen) {
  open();
  EXPECT_FALSE(app_.shows("figure/parameter"));
  EXPECT_FALSE(app_.shows("figure/frame"));
  app_.click("figure/sweep");
  EXPECT_TRUE(app_.shows("figure/parameter"));
  EXPECT_EQ(figure().frame_count, 20U);
  EXPECT_EQ(dialog().name, "attention-weights-seed.png");
  app_.click("figure/still");
  EXPECT_EQ(figure().frame_count, 0U);
  EXPECT_EQ(dialog().name, "attention-weights.png");
}

TEST_F(SweepDialog, PreviewIsTheFrameThatWillBeDrawn) {
  open_sweep();
  const std::shared_ptr<const FigurePreview> first = preview();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error, "");
  EXPECT_EQ(figure().frame_name, "seed 1");
  app_.drag("figure/frame", 0.05f, 0.99f);
  EXPECT_EQ(sweep().frame, 2U);
  EXPECT_EQ(figure().frame_name, "seed 3");
  const std::shared_ptr<const FigurePreview> last = preview();
  EXPECT_NE(last->image.pixels, first->image.pixels);
  EXPECT_EQ(last->image.width, first->image.width);
  EXPECT_EQ(last->image.height, first->image.height);
  const Document& document = app_.document();
  Animation animation(document, parse_sweep("seed=1..3", document), [&](const Document&) { return options(); });
  animation.look();
  const Figure drawn = animation.figure(2);
  const double scale =
      std::min(dialog().figure.preview_width / drawn.width, dialog().figure.preview_height / drawn.height);
  EXPECT_EQ(last->image.pixels, render_image(drawn, scale).pixels);
}

TEST_F(SweepDialog, WritesAnAnimationThatIsTheDocument) {
  open_sweep();
  app_.replace_text("figure/rate", "8");
  export_as("a.png");
  EXPECT_EQ(dialog().kind, Kind::figure) << dialog().error;
  EXPECT_TRUE(says(app_.message(), {"Exported ", "a.png", "3 frames"}));
  const std::string bytes = text_of(folder_ / "a.png");
  EXPECT_NE(bytes.find(std::string("acTL\0\0\0\3", 8)), std::string::npos);
  EXPECT_EQ(load_document(folder_ / "a.png"), app_.document());
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.png"});
}

TEST_F(SweepDialog, WritesNumberedPicturesThatAreTheDocumentsOfTheirFrames) {
  open_sweep();
  app_.click("figure/series");
  EXPECT_EQ(dialog().name, "attention-weights-seed-%03d.png");
  EXPECT_FALSE(app_.enables("figure/rate"));
  export_as("b-%03d.png");
  EXPECT_EQ(dialog().kind, Kind::figure) << dialog().error;
  EXPECT_TRUE(says(app_.message(), {"3 pictures", "b-001.png", "b-003.png"}));
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"b-001.png", "b-002.png", "b-003.png"}));
  Document last = app_.document();
  last.config.seed = 3;
  EXPECT_EQ(load_document(folder_ / "b-003.png"), last);
}

TEST_F(SweepDialog, SweepsWhateverTheCommandLineSweeps) {
  const auto values = [&](const std::string& parameter, std::size_t count, const std::string& first) {
    app_.choose("figure/parameter", parameter);
    EXPECT_EQ(figure().obstacle, "") << parameter;
    EXPECT_EQ(figure().frame_count, count) << parameter;
    EXPECT_EQ(figure().frame_name, first);
    app_.settle();
    EXPECT_EQ(preview()->error, "") << parameter;
  };
  open_sweep("seed", "");
  values("dropout", 10, "dropout 0.0");
  EXPECT_EQ(options().stage, Stage::dropped_weights);
  EXPECT_EQ(options().range, RangeMode::shared);
  values("num_heads", 2, "1 head");
  EXPECT_EQ(options().head, std::nullopt);
  values("mask", 5, "mask none");
  EXPECT_FALSE(app_.shows("figure/sweep/last"));  // words have no range
  values("qkv_bias", 2, "qkv bias false");
  values("softcap", 20, "soft cap 5");
  values("tokens", 6, "1 token");
  values("embedding", 21, "Your, dimension 1: −1.0");
  app_.choose("figure/token", "1");
  app_.replace_text("figure/dimension", "3");
  app_.move_away();
  EXPECT_EQ(figure().frame_name, "journey, dimension 3: −1.0");
}

TEST_F(SweepDialog, TakesSingleValuesAndSteps) {
  open_sweep();
  app_.replace_text("figure/sweep/first", "1, 5, 9");
  app_.replace_text("figure/sweep/last", "");
  EXPECT_EQ(figure().frame_count, 3U);
  app_.replace_text("figure/sweep/first", "2");
  app_.replace_text("figure/sweep/last", "10");
  app_.replace_text("figure/sweep/step", "4");
  EXPECT_EQ(figure().frame_count, 3U);
  EXPECT_EQ(figure().frame_name, "seed 2");
}

TEST_F(SweepDialog, BadChoicesAreSaidInASentenceAndNothingIsLost) {
  open_sweep();
  app_.replace_text("figure/caption", "kept");
  const std::shared_ptr<const FigurePreview> before = preview();
  const auto refused = [&](const char* field, const char* typed, const std::vector<std::string>& fragments) {
    app_.replace_text(field, typed);
    app_.settle();
    EXPECT_TRUE(says(figure().obstacle, fragments)) << figure().obstacle;
    EXPECT_FALSE(app_.enables("dialog/accept")) << typed;
    EXPECT_FALSE(app_.enables("figure/frame") && figure().frame_count == 0);
  };
  refused("figure/sweep/last", "0", {"seed=1..0", "whole numbers"});
  refused("figure/sweep/last", "5000", {"5000 values", "at most 1000"});
  refused("figure/sweep/last", "x", {"seed=1..x"});
  app_.replace_text("figure/sweep/last", "3");
  refused("figure/rate", "0", {"0 frames per second", "0.1 to 50"});
  app_.replace_text("figure/rate", "4");
  EXPECT_EQ(figure().obstacle, "");
  EXPECT_EQ(options().caption, "kept");
  EXPECT_EQ(preview()->image.pixels, before->image.pixels);
  EXPECT_TRUE(app_.enables("dialog/accept"));
}

TEST_F(SweepDialog, NamesThatDoNotSuitAreSaid) {
  open_sweep();
  const auto refused = [&](const std::string& name, const std::vector<std::string>& fragments) {
    export_as(name);
    EXPECT_EQ(dialog().kind, Kind::figure) << name;
    EXPECT_TRUE(says(dialog().error, fragments)) << dialog().error;
  };
  refused("a.svg", {"a.svg", ".png"});
  refused("a-%03d.png", {"a-%03d.png", "numbered pictures"});
  app_.click("figure/series");
  EXPECT_EQ(dialog().name, "a-%03d.png");
  refused("a.png", {"a.png", "a-%03d.png"});
  refused("a-%d-%d.png", {"%d", "once"});
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(SweepDialog, NamesThatWereTypedFollowTheKindOfFile) {
  open_sweep();
  app_.replace_text("dialog/name", "mine.png");
  app_.click("figure/series");
  EXPECT_EQ(dialog().name, "mine-%03d.png");
  app_.click("figure/animated");
  EXPECT_EQ(dialog().name, "mine.png");
}

TEST_F(SweepDialog, AsksBeforeItReplacesAPictureOfASeries) {
  put_text(folder_ / "a-2.png", "old");
  open_sweep();
  app_.click("figure/series");
  app_.replace_text("dialog/name", "b-%d.png");
  EXPECT_EQ(app_.text().find("Replace"), std::string::npos);
  app_.replace_text("dialog/name", "a-%d.png");
  EXPECT_NE(app_.text().find("Replace"), std::string::npos);
}

TEST_F(SweepDialog, CopiesTheFrameThatIsShown) {
  std::string copied;
  app_.copy_pictures_with([&](const std::string& png, const std::stop_token&) { copied = png; });
  open_sweep();
  app_.drag("figure/frame", 0.05f, 0.99f);
  app_.click("figure/copy");
  app_.settle();
  put_text(folder_ / "copied.png", copied);
  EXPECT_EQ(load_document(folder_ / "copied.png").config.seed, 3U);
}

TEST_F(SweepDialog, PlaysThroughTheFrames) {
  open_sweep();
  app_.replace_text("figure/rate", "50");
  app_.click("figure/play");
  EXPECT_TRUE(sweep().is_playing);
  std::set<std::size_t> seen;
  for (int i = 0; i < 400 && seen.size() < 3; ++i) {
    app_.frames(1);
    app_.settle();
    seen.insert(sweep().frame);
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2}));
  EXPECT_GE(app_.session().seconds_to_next_change(ImGui::GetTime()), 0);
  app_.click("figure/play");
  const std::size_t frame = sweep().frame;
  app_.wait(1);
  app_.frames(3);
  EXPECT_EQ(sweep().frame, frame);
}

TEST_F(SweepDialog, PlaysOnceWhereThatIsChosen) {
  open_sweep();
  EXPECT_FALSE(sweep().plays_once);
  app_.click("figure/repeat");
  EXPECT_TRUE(sweep().plays_once);
  app_.replace_text("figure/rate", "50");
  app_.click("figure/play");
  for (int i = 0; i < 400 && sweep().is_playing; ++i) {
    app_.frames(1);
    app_.settle();
  }
  EXPECT_FALSE(sweep().is_playing);
  EXPECT_EQ(sweep().frame, 2U);
  export_as("once.png");
  app_.press_control('E');
  EXPECT_TRUE(sweep().plays_once) << "as it was chosen last";
  app_.click("figure/repeat");
  export_as("ever.png");
  const auto times = [&](const char* name) {
    const std::string bytes = text_of(folder_ / name);
    return bytes.substr(bytes.find("acTL") + 8, 4);
  };
  EXPECT_EQ(times("once.png"), std::string("\0\0\0\1", 4));
  EXPECT_EQ(times("ever.png"), std::string("\0\0\0\0", 4));
  open_sweep("seed", "");
  app_.click("figure/series");
  EXPECT_FALSE(app_.enables("figure/repeat"));
}

TEST_F(SweepDialog, OnASlideIsAtMost1920PixelsWideUntilAScaleIsChosen) {
  open();
  app_.choose("figure/size", "slide-16x9");
  app_.click("figure/sweep");
  EXPECT_NEAR(page_width(options().width) * options().scale, widest_animation, 1);
}

TEST_F(SweepDialog, ComesBackAsItWasChosen) {
  open_sweep();
  app_.click("figure/series");
  app_.press_key(keys::named(ImGuiKey_Escape));
  ASSERT_TRUE(app_.view().figure);
  EXPECT_TRUE(app_.view().figure->sweep.is_on);
  open();
  EXPECT_TRUE(sweep().is_on);
  EXPECT_TRUE(sweep().is_series);
  EXPECT_EQ(sweep().ranges.at(sweep().parameter).last, "3");
  EXPECT_EQ(options().scale, 1);
}

}  // namespace
}  // namespace attnscope::test
