#include "features/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "document/builtin.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "platform/system/file.h"
#include "support.h"

namespace attnscope::test {
namespace {

class Settings : public testing::Test {
protected:
  ViewState load() { return load_settings(file_, problem_); }
  ViewState load(const std::string& text) {
    put_text(file_, text);
    return load();
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "settings.json";
  std::string problem_;
};

TEST_F(Settings, ComeBackAsTheyWereSaved) {
  ViewState view;
  view.mode = ViewMode::focus;
  view.stage = Stage::scores;
  view.range = RangeMode::own;
  view.decimals = 4;
  view.show_reach = false;
  view.reduces_motion = true;
  view.docks_inspector = true;
  view.not_presented = {Stage::inputs, Stage::masked_scores};
  view.study.id = "softmax";
  view.numbers = false;
  view.theme = ThemeId::dark;
  view.interface_scale = 1.5f;
  view.show_options = true;
  view.show_setup = false;
  view.setup_width = 410;
  view.inspector_width = 300;
  view.show_inspector = false;
  view.show_timing = true;
  view.handout_has_answers = false;
  view.shows_start = true;
  view.backend = Backend::serial;
  view.threads = 3;
  view.screenshot_scale = 3;
  view.screenshot_footer = true;
  view.screenshot_folder = "/Bilder für die Folien";
  view.document_folder = "/講義";
  view.figure_folder = "/Abbildungen";
  view.window_width = 1600;
  view.window_height = 900;
  save_settings(view, {}, file_);
  EXPECT_EQ(load(), view);
  EXPECT_EQ(problem_, "");
}

FigureChoices unusual_choices() {
  FigureChoices choices;
  choices.options.width = {800, LengthUnit::pixels};
  choices.options.scale = 2;
  choices.options.theme = FigureTheme::transparent;
  choices.options.font_size = 14;
  choices.options.colormap = Colormap::diverging;
  choices.colour_ends = {hex(0xFFF8E0), hex(0x7A0019)};
  choices.fixed_range = {-0.25F, 0.5F};
  choices.options.fixed_range = choices.fixed_range;
  choices.options.decimals.reset();
  choices.options.row_sums = false;
  choices.options.height = 190.5;
  choices.has_footer = true;
  choices.shows_pinned = true;
  choices.has_arithmetic = true;
  choices.options.left_out = {Stage::inputs, Stage::masked_weights};
  choices.options.has_arrows = false;
  choices.sweep.is_on = true;
  choices.sweep.parameter = "embedding";
  choices.sweep.range() = {"-2", "2", "0.5"};
  choices.sweep.is_series = true;
  choices.sweep.frames_per_second = 12.5;
  choices.sweep.plays_once = true;
  return choices;
}

TEST_F(Settings, KeepHowFiguresLookAndLeaveOutWhatBelongsToADocument) {
  ViewState view;
  view.figure = unusual_choices();
  view.figure->options.title = "Of a lecture";
  view.figure->options.stage = Stage::scores;
  view.figure->sweep.ranges["tokens"] = {"1", "900", ""};
  save_settings(view, {}, file_);
  EXPECT_EQ(load().figure, unusual_choices());
}

TEST_F(Settings, OfFiguresThatCouldNotBeDrawnAreTheDefaults) {
  for (const char* const wrong :
       {R"({"width": -5})", R"({"scale": 99})", R"({"font_size": "large"})", R"({"has_fixed_range": true,
        "range_low": 2, "range_high": 1})",
        R"({"sweep": {"parameter": 77, "frames_per_second": 0, "seed": [1, 2]}})",
        R"({"colormap": 9, "decimals": 70})"}) {
    EXPECT_EQ(load(std::string(R"({"figure": )") + wrong + "}").figure, FigureChoices()) << wrong;
    EXPECT_EQ(problem_, "");
  }
  EXPECT_EQ(load(R"({"figure": 7})").figure, std::nullopt);
}

TEST_F(Settings, LeaveOutWhatThePointerDoes) {
  ViewState view;
  view.pinned = Source{.stage = Stage::weights, .row = 1, .col = 1};
  save_settings(view, {}, file_);
  EXPECT_FALSE(load().pinned);
}

TEST_F(Settings, NameTheTheme) {
  ViewState view;
  view.theme = ThemeId::high_contrast;
  save_settings(view, {}, file_);
  EXPECT_EQ(load().theme, ThemeId::high_contrast);
  EXPECT_EQ(load(R"({"theme": "high-contrast"})").theme, ThemeId::high_contrast);
  EXPECT_EQ(load(R"({"theme": "sepia"})").theme, ThemeId::light);
}

TEST_F(Settings, ThatAreMissingAreTheDefaults) {
  EXPECT_EQ(load(), ViewState());
  EXPECT_EQ(problem_, "");
}

TEST_F(Settings, ThatAreBrokenAreTheDefaultsAndSaidToBe) {
  for (const char* text : {"", "{", "\"dark\"", "[]", "7", "null", "\x80\xff"}) {
    problem_.clear();
    EXPECT_EQ(load(text), ViewState()) << text;
    EXPECT_NE(problem_.find("settings.json"), std::string::npos) << text;
  }
}

// Somebody may want to mend them.
TEST_F(Settings, ThatAreBrokenStayAsTheyAre) {
  ViewState changed;
  changed.decimals = 4;
  for (const char* text : {"{\"decimals\": 3,}", "[]", "\x80\xff"}) {
    load(text);
    EXPECT_TRUE(says(error_of([&] { save_settings(changed, {}, file_); }).what(), {"not kept", "settings.json"}));
    EXPECT_EQ(text_of(file_), text);
  }
  load("");
  save_settings(changed, {}, file_);
  EXPECT_EQ(load().decimals, 4);
}

TEST_F(Settings, OfAWrongTypeAreIgnoredOneByOne) {
  const ViewState view = load(R"({"theme": 7, "layout": true, "threads": null, "show_options": 1, "show_setup": 1,
              "decimals": 4})");
  EXPECT_EQ(view.theme, ThemeId::light);
  EXPECT_EQ(view.mode, ViewMode::diagram);
  EXPECT_EQ(view.show_options, std::nullopt);
  EXPECT_EQ(view.show_setup, std::nullopt);
  EXPECT_EQ(view.decimals, 4);
}

TEST_F(Settings, NameWhatIsChosen) {
  ViewState view;
  view.stage = Stage::masked_scores;
  view.mode = ViewMode::focus;
  save_settings(view, {}, file_);
  const std::string text = read_file(file_, 1 << 20);
  EXPECT_NE(text.find(R"("stage": "masked_scores")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("layout": "focus")"), std::string::npos) << text;
}

TEST_F(Settings, OfFiguresThatVersion020WroteAreStillRead) {
  const ViewState view = load(R"({"figure": {"width": 800, "width_unit": "pixels", "height": 190.5, "scale": 2,
      "theme": "transparent", "font_size": 14, "colormap": "diverging", "has_fixed_range": true, "range_low": -0.25,
      "range_high": 0.5, "has_arrows": false, "left_out": ["inputs", "masked_weights"], "shows_pinned": true,
      "has_arithmetic": true, "decimals": -1, "row_sums": 0, "footer": true}})");
  FigureChoices expected = unusual_choices();
  expected.sweep = {};
  expected.colour_ends = {};
  EXPECT_EQ(view.figure, expected);
}

TEST_F(Settings, KeepTheRangeOfColoursByItsName) {
  for (const RangeModeName& row : range_modes) {
    ViewState view;
    view.range = row.mode;
    save_settings(view, {}, file_);
    EXPECT_EQ(load().range, row.mode) << row.id;
    if (view == ViewState()) continue;  // what is as in the beginning is not written
    EXPECT_NE(read_file(file_, 1 << 20).find(fmt::format("\"range\": \"{}\"", row.id)), std::string::npos);
  }
  EXPECT_EQ(load(R"({"range": "standard"})").range, RangeMode::automatic) << "no word of today's";
}

TEST_F(Settings, OutOfRangeAreBroughtIntoIt) {
  const ViewState view = load(R"({"layout": 9, "stage": -1, "range": 77, "backend": 5, "decimals": 3, "threads": -4,
    "interface_scale": 1e30, "screenshot_scale": 0, "window_width": -3, "window_height": 1000000})");
  EXPECT_EQ(view.mode, ViewMode::diagram);
  EXPECT_EQ(view.stage, ViewState().stage);
  EXPECT_EQ(view.range, RangeMode::automatic);
  EXPECT_EQ(view.decimals, 2);
  EXPECT_EQ(view.threads, 0);
  EXPECT_EQ(view.interface_scale, max_interface_scale);
  EXPECT_EQ(view.screenshot_scale, 1);
  EXPECT_GE(view.window_width, 800);
  EXPECT_LE(view.window_height, 16384);
}

// Two programs that run at once each change what they change.
TEST_F(Settings, OfAnotherProgramStay) {
  const ViewState start;
  ViewState first = start;
  first.theme = ThemeId::dark;
  ViewState second = start;
  second.decimals = 4;
  save_settings(first, start, file_);
  save_settings(second, start, file_);
  EXPECT_EQ(load().theme, ThemeId::dark);
  EXPECT_EQ(load().decimals, 4);
  save_settings(start, first, file_);
  EXPECT_EQ(load().theme, ThemeId::light) << "what a program takes back is taken back";
  EXPECT_EQ(load().decimals, 4);
}

TEST_F(Settings, OfManyProgramsAtOnceAreAllKept) {
  const auto change = [](const std::function<void(ViewState&)>& make) {
    ViewState view;
    make(view);
    return view;
  };
  const std::vector<ViewState> views = {
      change([](ViewState& view) { view.theme = ThemeId::dark; }), change([](ViewState& view) { view.decimals = 4; }),
      change([](ViewState& view) { view.threads = 3; }), change([](ViewState& view) { view.screenshot_scale = 3; })};
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove(file_);
    std::vector<std::thread> programs;
    for (const ViewState& view : views) {
      programs.emplace_back([&] {
        while (!save_settings(view, {}, file_)) {
        }
      });
    }
    for (std::thread& program : programs) program.join();
    const ViewState view = load();
    ASSERT_TRUE(view.theme == ThemeId::dark && view.decimals == 4 && view.threads == 3 && view.screenshot_scale == 3)
        << round;
  }
}

TEST_F(Settings, AreNotWrittenWhileAnotherProgramWritesThem) {
  ViewState view;
  view.decimals = 4;
  put_text(file_, R"({"theme": "dark"})");
  {
    const FileLock other(file_.string() + ".lock");
    EXPECT_FALSE(save_settings(view, {}, file_, {}));
    EXPECT_EQ(text_of(file_), R"({"theme": "dark"})");
  }
  EXPECT_TRUE(save_settings(view, {}, file_, {}));
  EXPECT_EQ(load().decimals, 4);
  EXPECT_EQ(load().theme, ThemeId::dark);
}

TEST_F(Settings, KeepTheUsersLayoutNotThatOfALesson) {
  ViewState saved;
  saved.mode = ViewMode::heads;
  HeadlessApp app(notebook_document(), {1440, 900}, saved);
  app.settle();
  app.open_lesson(shipped_lessons().front()->id);
  ASSERT_NE(app.session().shown().view.mode, saved.mode);
  EXPECT_EQ(view_to_save(app.session().shown(), saved).mode, saved.mode);
  app.click("lesson/close");
  change_view(app.session().queue(), [](ViewState& state) { state.mode = ViewMode::focus; });
  app.frames(3);
  EXPECT_EQ(view_to_save(app.session().shown(), saved).mode, ViewMode::focus);
}

TEST_F(Settings, ThatANewerVersionWroteStay) {
  put_text(file_, R"({"unheard_of": [1], "theme": "light"})");
  ViewState view;
  view.theme = ThemeId::dark;
  save_settings(view, {}, file_);
  EXPECT_NE(text_of(file_).find("unheard_of"), std::string::npos);
  EXPECT_EQ(load().theme, ThemeId::dark);
}

TEST_F(Settings, ThatCannotBeWrittenAreAnError) {
  EXPECT_TRUE(
      says(error_of([&] { save_settings({}, {}, folder_ / "no" / "settings.json"); }).what(), {"settings.json"}));
}

TEST_F(Settings, SurviveAFolderNameThatIsNoUtf8) {
  ViewState view;
  view.document_folder = "/caf\xe9";
  EXPECT_NO_THROW(save_settings(view, {}, file_));
  load();
  EXPECT_EQ(problem_, "");
}

}  // namespace
}  // namespace attnscope::test
