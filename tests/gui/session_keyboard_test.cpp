// Everything without a pointer.

#include "document/builtin.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"

namespace attnscope::test {
namespace {

const ImVec2 wide_window{1920, 1200};

class Keyboard : public testing::Test {
protected:
  void press(ImGuiKey key, int times = 1) {
    for (int time = 0; time < times; ++time) app_.press_key(keys::named(key));
    app_.frames(3);
  }
  std::optional<Panel> panel() const { return app_.view().transient.keyboard; }
  Source pinned() const { return app_.view().pinned.value(); }
  // What the keys have chosen.
  std::string chosen() const {
    if (!shows_focus()) return "";
    for (const WidgetRegistry::Entry& entry : app_.widgets().entries) {
      if (entry.id != 0 && entry.id == ImGui::GetCurrentContext()->NavId) return entry.name;
    }
    return "";
  }
  // Presses the arrow until `name` is chosen.
  void go_to(const std::string& name, ImGuiKey arrow = ImGuiKey_DownArrow) {
    for (int step = 0; step < 60 && chosen() != name; ++step) press(arrow);
    ASSERT_EQ(chosen(), name);
  }

  HeadlessApp app_{default_document(), wide_window};
};

TEST_F(Keyboard, TabGoesThroughThePanelsAndBack) {
  for (const Panel next : {Panel::stages, Panel::inspector, Panel::setup, Panel::tools, Panel::stages}) {
    press(ImGuiKey_Tab);
    EXPECT_EQ(panel(), next);
  }
  give_modifiers(false, true);
  press(ImGuiKey_Tab);
  give_modifiers(false, false);
  EXPECT_EQ(panel(), Panel::tools);
  app_.press_key(keys::function(2));
  press(ImGuiKey_Escape);
  EXPECT_EQ(panel(), Panel::stages);
  press(ImGuiKey_Tab, 2);
  EXPECT_EQ(panel(), Panel::setup) << "as a rail, too";
}

TEST_F(Keyboard, ShiftAndTabBeginWithTheLastPanel) {
  give_modifiers(false, true);
  for (const Panel next : {Panel::tools, Panel::setup, Panel::inspector, Panel::stages}) {
    press(ImGuiKey_Tab);
    EXPECT_EQ(panel(), next);
  }
  give_modifiers(false, false);
}

TEST_F(Keyboard, PanelThatHasTheKeysShowsWhatIsChosen) {
  press(ImGuiKey_Tab, 3);
  ASSERT_EQ(panel(), Panel::setup);
  EXPECT_EQ(chosen(), "setup/mechanism/simple_self_attention");
  press(ImGuiKey_DownArrow);
  EXPECT_EQ(chosen(), "setup/mechanism/self_attention_v1");
  app_.click("setup/mechanism/self_attention_v2");
  EXPECT_FALSE(panel()) << "the pointer leads";
}

TEST_F(Keyboard, ArrowsMoveTheCellFromMatrixToMatrix) {
  press(ImGuiKey_Tab);
  EXPECT_EQ(pinned().stage, Stage::weights);
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned().stage, Stage::values);
  EXPECT_EQ(pinned().row, 1) << "a token is one line across the page";
  press(ImGuiKey_UpArrow, 2);
  EXPECT_NE(pinned().stage, Stage::values);
}

TEST_F(Keyboard, TabPinsACellWhereNoneIs) {
  press(ImGuiKey_Escape);
  ASSERT_FALSE(app_.view().pinned);
  press(ImGuiKey_Tab);
  EXPECT_EQ(pinned().stage, Stage::weights);
}

TEST_F(Keyboard, EnterChoosesAMechanism) {
  press(ImGuiKey_Tab, 3);
  press(ImGuiKey_DownArrow, 3);
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.config().mechanism, Mechanism::causal_attention);
}

TEST_F(Keyboard, EnterTypesTheValueOfASlider) {
  press(ImGuiKey_Tab, 3);
  go_to("setup/dropout");
  press(ImGuiKey_Enter);
  app_.frames(4);  // from 1.87 on the way into a field takes more of them
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  app_.press_control('A');
  app_.type("0.25");
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.config().dropout, 0.25);
  EXPECT_EQ(undo_count(app_), 1);
}

TEST_F(Keyboard, EnterOpensAListAndChoosesFromIt) {
  press(ImGuiKey_Tab, 4);
  ASSERT_EQ(panel(), Panel::tools);
  go_to("view/range", ImGuiKey_RightArrow);
  press(ImGuiKey_Enter);
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  EXPECT_NE(app_.view().range, RangeMode::automatic);
  EXPECT_EQ(panel(), Panel::tools);
}

TEST_F(Keyboard, ArrowsReachTheTableOfTokensAndEnterTypesANumber) {
  press(ImGuiKey_Tab, 3);
  // Which column the arrow comes down in differs between versions of Dear ImGui.
  for (int step = 0; step < 60 && !chosen().starts_with("tokens/2/"); ++step) press(ImGuiKey_DownArrow);
  go_to("tokens/2/menu", ImGuiKey_LeftArrow);
  go_to("tokens/2/0", ImGuiKey_RightArrow);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(chosen(), "tokens/2/1");
  press(ImGuiKey_Enter);
  app_.press_control('A');
  app_.type("0.125");
  press(ImGuiKey_Enter);
  EXPECT_EQ(inputs_of(app_.document()).values[7], 0.125F);
}

TEST_F(Keyboard, EnterTypesTheInputThatIsPinned) {
  app_.click_cell(Stage::inputs, 4, 1);
  press(ImGuiKey_RightArrow);
  ASSERT_EQ(pinned(), (Source{.stage = Stage::inputs, .row = 4, .col = 2}));
  press(ImGuiKey_Enter);
  app_.frames(4);  // from 1.87 on the way into a field takes more of them
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  app_.press_control('A');
  app_.type("0.5");
  press(ImGuiKey_Enter);
  EXPECT_EQ(inputs_of(app_.document()).values[14], 0.5F);
  press(ImGuiKey_UpArrow);
  EXPECT_EQ(pinned(), (Source{.stage = Stage::inputs, .row = 3, .col = 2})) << "the arrows are the stages' again";
}

TEST_F(Keyboard, EnterGoesToTheLinesOfTheInspectorAndEscapeBack) {
  press(ImGuiKey_Tab);
  press(ImGuiKey_Enter);
  ASSERT_EQ(panel(), Panel::inspector);
  go_to("inspector/line/2");
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(chosen(), "inspector/line/2/open");
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(chosen(), "inspector/line/2");
  press(ImGuiKey_Enter);
  EXPECT_EQ(pinned().stage, Stage::scaled_scores);
  EXPECT_EQ(panel(), Panel::inspector);
  press(ImGuiKey_Escape);
  EXPECT_EQ(panel(), Panel::stages);
  EXPECT_EQ(pinned().stage, Stage::scaled_scores) << "Esc leaves the panel and not the cell";
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app_.view().pinned);
}

TEST_F(Keyboard, TheMenuOpensWithF10AndTheArrowsGoOn) {
  app_.press_key(keys::function(10));
  EXPECT_TRUE(app_.shows("menu/file/new"));
  press(ImGuiKey_RightArrow);
  EXPECT_TRUE(app_.shows("menu/edit/undo"));
  EXPECT_FALSE(app_.shows("menu/file/new"));
  press(ImGuiKey_RightArrow);
  go_to("menu/view/heads");
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.view().mode, ViewMode::heads);
  EXPECT_FALSE(app_.shows("menu/view/heads"));
}

TEST_F(Keyboard, EscapeClosesTheMenuAndUnpinsNothing) {
  app_.press_key(keys::function(10));
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app_.shows("menu/file/new"));
  EXPECT_TRUE(app_.view().pinned);
}

TEST_F(Keyboard, ArrowsInAMenuDoNotMoveTheCell) {
  const Source before = pinned();
  app_.click("menu/view");
  press(ImGuiKey_DownArrow, 3);
  EXPECT_EQ(pinned(), before);
}

TEST_F(Keyboard, AltWithAnArrowLeavesTheMenuAlone) {
  app_.click_cell(Stage::scores, 3, 2);
  app_.move_away();
  press(ImGuiKey_Tab, 2);
  app_.press_alt(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned().stage, Stage::weights);
  EXPECT_EQ(ImGui::GetCurrentContext()->NavLayer, ImGuiNavLayer_Main);
}

TEST_F(Keyboard, QuestionMarkListsTheKeys) {
  ImGui::GetIO().AddInputCharacter('?');
  app_.frames(2);
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::shortcuts);
}

TEST(KeysOfALowWindow, AreScrolledByKeys) {
  HeadlessApp app(opening_document(), {1024, 600});
  app.press_key(keys::function(1));
  const auto list = [] {
    for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && std::string_view(window->Name).find("/shortcuts_") != std::string_view::npos) return window;
    throw std::runtime_error("no list of keys is shown");
  };
  const float all = list()->ScrollMax.y;
  ASSERT_GT(all, 0);
  const auto after = [&](ImGuiKey key) {
    app.press_key(keys::named(key));
    return list()->Scroll.y;
  };
  const float line = after(ImGuiKey_DownArrow);
  EXPECT_GT(line, 0);
  EXPECT_GT(after(ImGuiKey_PageDown), line + list()->Size.y / 2);
  EXPECT_EQ(after(ImGuiKey_End), all);
  EXPECT_LT(after(ImGuiKey_PageUp), all);
  EXPECT_EQ(after(ImGuiKey_Home), 0);
}

TEST_F(Keyboard, ButtonsOfADialogAreChosenByArrowsAndEnter) {
  app_.press_key(keys::function(1));
  press(ImGuiKey_DownArrow, 2);
  go_to("dialog/close");
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
}

}  // namespace
}  // namespace attnscope::test
