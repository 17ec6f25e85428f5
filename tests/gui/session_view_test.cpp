#include "desk.h"
#include "desk_input.h"
#include "document/json.h"

namespace attnscope::test {
namespace {

TEST(ViewMenu, ChoosesTheTheme) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/dark");
  EXPECT_EQ(desk.view().theme, ThemeId::dark);
  desk.press_control('D');
  EXPECT_EQ(desk.view().theme, ThemeId::light);
  desk.click("menu/view");
  desk.click("menu/view/high-contrast");
  EXPECT_EQ(desk.view().theme, ThemeId::high_contrast);
  desk.press_control('D');
  EXPECT_EQ(desk.view().theme, ThemeId::dark);
}

TEST(ViewMenu, ChoosesTheScale) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/scale");
  desk.click("menu/view/scale/125");
  EXPECT_FLOAT_EQ(desk.view().interface_scale, 1.25f);
  EXPECT_TRUE(desk.shows("setup/dropout"));
}

TEST(ViewMenu, HidesPanels) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/setup");
  EXPECT_TRUE(desk.shows("rail"));
  desk.click("menu/view");
  desk.click("menu/view/inspector");
  EXPECT_FALSE(desk.shows("inspector"));
  desk.press_key(keys::function(2));
  desk.press_key(keys::function(3));
  EXPECT_FALSE(desk.shows("rail"));
  EXPECT_TRUE(desk.shows("inspector"));
}

TEST(ToolBar, ChoosesWhatColoursStandFor) {
  Desk desk;
  EXPECT_EQ(desk.view().range, RangeMode::automatic);
  for (const RangeModeName& row : range_modes) {
    desk.choose("view/range", std::string(row.id));
    EXPECT_EQ(desk.view().range, row.mode);
  }
}

TEST(ViewMenu, ChoosesDecimalsAndNumbers) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/decimals");
  EXPECT_EQ(desk.view().decimals, 4);
  desk.press_key(keys::digit(4));
  EXPECT_EQ(desk.view().decimals, 2);
  desk.click("menu/view");
  desk.click("menu/view/numbers");
  EXPECT_FALSE(desk.view().numbers);
}

TEST(ScaleKeys, StayWithinTheLimits) {
  Desk desk;
  desk.hold_control(true);
  for (int times = 0; times < 20; ++times) desk.press_key(keys::equal());
  EXPECT_FLOAT_EQ(desk.view().interface_scale, max_interface_scale);
  for (int times = 0; times < 30; ++times) desk.press_key(keys::minus());
  EXPECT_FLOAT_EQ(desk.view().interface_scale, min_interface_scale);
  desk.press_key(keys::digit(0));
  EXPECT_FLOAT_EQ(desk.view().interface_scale, 1);
}

TEST(ViewChanges, AreNeitherEditsNorUndone) {
  Desk desk;
  desk.press_control('D');
  desk.click("view/focus");
  EXPECT_FALSE(desk.session().shown().is_modified);
  desk.press_control('Z');
  EXPECT_EQ(desk.view().theme, ThemeId::dark);
  EXPECT_EQ(desk.view().layout, Layout::focus);
}

TEST(EditMenu, NamesWhatItTakesBack) {
  Desk desk;
  desk.click("menu/edit");
  EXPECT_FALSE(desk.enables("menu/edit/undo"));
  desk.press_key(keys::named(ImGuiKey_Escape));
  desk.drag("setup/dropout", 0.1f, 0.5f);
  desk.click("menu/edit");
  EXPECT_TRUE(desk.enables("menu/edit/undo"));
  desk.click("menu/edit/undo");
  EXPECT_EQ(desk.config().dropout, 0);
  EXPECT_EQ(desk.message(), "Undid dropout.");
  desk.click("menu/edit");
  desk.click("menu/edit/redo");
  EXPECT_GT(desk.config().dropout, 0);
}

TEST(HelpDialogs, OpenAndCloseByButtonAndByKey) {
  Desk desk;
  desk.press_key(keys::function(1));
  EXPECT_EQ(desk.session().shown().dialog.kind, DialogState::Kind::shortcuts);
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(desk.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_TRUE(desk.view().pinned);
  desk.click("menu/help");
  desk.click("menu/help/about");
  desk.click("dialog/close");
  EXPECT_FALSE(desk.shows("dialog/close"));
  desk.click("menu/learn");
  desk.click("menu/learn/glossary");
  desk.press_key(keys::named(ImGuiKey_Escape));
  desk.click("view/focus");
  EXPECT_EQ(desk.view().layout, Layout::focus);
}

TEST(OpenDialog, KeepsThePointerFromWhatIsBehind) {
  Desk desk;
  desk.press_key(keys::function(1));
  desk.click("view/focus", {0.1f, 0.5f});
  EXPECT_EQ(desk.view().layout, Layout::diagram);
}

TEST(Window, ShowsTheMostImportantWidgetsAtEverySize) {
  for (const ImVec2 size : {ImVec2{800, 520}, ImVec2{1280, 720}, ImVec2{1920, 1080}, ImVec2{3840, 2160}}) {
    Desk desk(default_document(), size);
    for (const char* name : {"menu/file", "view/diagram", "setup/d_out", "setup/dropout", "status/shapes"}) {
      EXPECT_TRUE(desk.shows(name)) << name << " at " << size.x;
      EXPECT_NO_THROW(desk.move_to(name)) << name << " at " << size.x;
    }
  }
}

TEST(StartLine, IsInTheWindowToItsEnd) {
  for (const ImVec2 size : {ImVec2{1024, 700}, ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    Desk desk(default_document(), size);
    desk.change_view([](ViewState& view) { view.shows_start = true; });
    desk.frames(2);
    EXPECT_LE(desk.widget("start/close").max_screen.x, size.x) << size.x;
  }
}

TEST(Messages, AreForgottenAfterAWhile) {
  Desk desk;
  desk.session().say("Hello.");
  EXPECT_GT(desk.session().seconds_to_next_change(ImGui::GetTime()), 9);
  desk.session().expire_messages(ImGui::GetTime() + 9);
  EXPECT_EQ(desk.message(), "Hello.");
  desk.session().expire_messages(ImGui::GetTime() + 11);
  EXPECT_EQ(desk.message(), "");
  EXPECT_LT(desk.session().seconds_to_next_change(ImGui::GetTime()), 0);
}

TEST(Screenshot, AsksForItsFolderOnceAndThenTakesTheChosenScale) {
  Desk desk;
  desk.press_key(keys::function(12));
  EXPECT_EQ(desk.session().shown().dialog.kind, DialogState::Kind::screenshot_folder);
  EXPECT_FALSE(desk.session().take_screenshot_request());
  desk.click("dialog/accept");
  EXPECT_EQ(desk.session().take_screenshot_request().value_or(TakeScreenshot{}).scale, 2);
  EXPECT_FALSE(desk.session().take_screenshot_request());
  desk.press_key(keys::function(12));
  EXPECT_EQ(desk.session().take_screenshot_request().value_or(TakeScreenshot{}).scale, 2);
}

TEST(Screenshot, IsNotTakenWhenTheFolderIsNotChosen) {
  Desk desk;
  desk.press_key(keys::function(12));
  desk.click("dialog/cancel");
  EXPECT_FALSE(desk.session().take_screenshot_request());
  EXPECT_EQ(desk.view().screenshot_folder, "");
}

Document long_document() {
  AttentionConfig config = default_document().config;
  config.inputs = RandnInputs{1024, 8};
  config.d_out = 48;
  config.num_heads = 12;
  config.dropout = 0.5;
  Document document = default_document();
  document.config = config;
  document.tokens = numbered_tokens(1024);
  return document;
}

TEST(FirstCell, IsTheWeightOfTheSecondTokenOnTheFirstWhereThereAreTwo) {
  EXPECT_EQ(Desk().view().pinned, (Source{.stage = Stage::weights, .row = 1}));
  EXPECT_EQ(Desk(parse_document(R"({"inputs": [[1, 2, 3]]})")).view().pinned, std::nullopt);
  EXPECT_EQ(Desk(parse_document(R"({"inputs": [[1, 2, 3], [3, 2, 1]]})")).view().pinned,
            (Source{.stage = Stage::weights, .row = 1}));
}

TEST(LongDocument, IsShownAndExplainedWithoutItsSquares) {
  Desk desk(long_document(), {1920, 1080});
  ASSERT_EQ(desk.result().find(Stage::weights), nullptr);
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has(desk.result(), stage.stage)) continue;
    desk.hover_cell(stage.stage, 700, 300);
    ASSERT_TRUE(desk.session().shown().hovered) << stage.id;
    EXPECT_EQ(desk.session().shown().hovered->stage, stage.stage);
  }
}

// The line of screenshots has a strip of its own.
TEST(FooterOfPictures, IsBelowEverything) {
  for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{320, 240}}) {
    Desk desk(default_document(), size);
    EXPECT_FALSE(desk.shows("footer"));
    const float before = desk.widget("setup").max_screen.y;
    desk.session().show_footer(true);
    desk.frames(2);
    EXPECT_GE(desk.widget("footer").min_screen.y, desk.widget("status/shapes").max_screen.y);
    EXPECT_GE(desk.widget("status/shapes").min_screen.y, desk.widget("setup").max_screen.y);
    EXPECT_GE(desk.widget("status/shapes").min_screen.y, desk.widget("workspace").max_screen.y);
    EXPECT_LE(desk.widget("footer").max_screen.y, size.y);
    EXPECT_LE(desk.widget("footer").max_screen.x, size.x);
    EXPECT_LT(desk.widget("setup").max_screen.y, before);
  }
}

TEST(FooterOfPictures, IsInTheMomentOfAScreenshotWhenTheSettingsSaySo) {
  Desk desk;
  EXPECT_EQ(desk.session().moment().moment.footer, "");
  desk.click("menu/file");
  desk.click("menu/file/screenshot");
  desk.click("menu/file/screenshot/footer");
  EXPECT_NE(desk.session().moment().moment.footer.find("seed 123"), std::string::npos);
  EXPECT_FALSE(desk.shows("footer")) << "the window has none";
}

}  // namespace
}  // namespace attnscope::test
