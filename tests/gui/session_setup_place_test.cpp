// The setup as a column and as a rail, and the line of menus and tools above both.

#include "desk.h"
#include "document/builtin.h"
#include "ui/imgui_keys.h"

namespace attnscope::test {
namespace {

constexpr float bar_height = 36;
constexpr float status_height = 24;

// As the window opens: nobody has chosen column or rail yet.
class SetupPlace : public testing::Test {
protected:
  static void leave_choice(ViewState& view) { view.show_setup.reset(); }
  void resize(ImVec2 size) {
    ImGui::GetIO().DisplaySize = size;
    desk_.frames(3);
  }
  void press(ImGuiKey key) { desk_.press_key(keys::named(key)); }
  bool is_open() const { return desk_.shows("setup/over"); }
  float workspace_left() const { return desk_.widget("workspace").min_screen.x; }

  Desk desk_{opening_document(), {1280, 720}};
  bool is_rail_ = (desk_.change_view(leave_choice), desk_.frames(3), desk_.shows("rail"));
};

TEST(SetupColumn, DependsOnTheWindowUntilItIsChosen) {
  ViewState view;
  EXPECT_FALSE(has_setup_column(view, 1399));
  EXPECT_TRUE(has_setup_column(view, 1400));
  view.show_setup = true;
  EXPECT_TRUE(has_setup_column(view, 800));
  view.show_setup = false;
  EXPECT_FALSE(has_setup_column(view, 3840));
}

TEST_F(SetupPlace, IsARailInANarrowWindowAndAColumnInAWideOne) {
  ASSERT_TRUE(is_rail_);
  EXPECT_EQ(workspace_left(), 44);
  for (const char* const name :
       {"setup", "rail/mechanism", "rail/d_out", "rail/num_heads", "rail/dropout", "rail/seed"})
    EXPECT_TRUE(desk_.shows(name)) << name;
  resize({1440, 900});
  EXPECT_FALSE(desk_.shows("rail"));
  EXPECT_EQ(workspace_left(), 220);
}

TEST_F(SetupPlace, ACountOfUnitsDecidesNotOneOfPixels) {
  resize({1600, 900});
  EXPECT_FALSE(desk_.shows("rail"));
  desk_.change_view([](ViewState& view) { view.interface_scale = 1.25f; });
  desk_.frames(3);
  EXPECT_TRUE(desk_.shows("rail"));
}

TEST_F(SetupPlace, OpensOverTheStagesWhichKeepTheirSize) {
  const WidgetRegistry::Entry before = desk_.widget("workspace");
  for (const char* const name :
       {"setup", "rail/mechanism", "rail/d_out", "rail/num_heads", "rail/dropout", "rail/seed"}) {
    desk_.click(name);
    EXPECT_TRUE(is_open()) << name;
    EXPECT_TRUE(desk_.shows("setup/num_heads")) << name;
    EXPECT_EQ(desk_.widget("workspace").min_screen.x, before.min_screen.x);
    EXPECT_EQ(desk_.widget("workspace").max_screen.x, before.max_screen.x);
    press(ImGuiKey_Escape);
    EXPECT_FALSE(is_open()) << name;
  }
  EXPECT_TRUE(desk_.view().pinned) << "Esc closed the setup alone";
}

TEST_F(SetupPlace, StaysOpenWhileItIsUsedAndClosesByAClickBesideIt) {
  desk_.click("setup");
  desk_.control_click("setup/d_out");
  desk_.press_control('A');
  desk_.type("8");
  press(ImGuiKey_Enter);
  EXPECT_EQ(desk_.config().d_out, 8);
  desk_.click("setup/heads_off");
  desk_.click("setup/heads_off/1");
  EXPECT_EQ(desk_.config().heads_off.size(), 1U);
  press(ImGuiKey_Escape);
  EXPECT_TRUE(is_open()) << "Esc closed the list alone";
  desk_.click("workspace", {0.9f, 0.9f});
  EXPECT_FALSE(is_open());
}

TEST_F(SetupPlace, AClickOnTheRailClosesItAgain) {
  desk_.click("setup");
  desk_.click("rail/seed");
  EXPECT_FALSE(is_open());
  desk_.click("setup");
  desk_.click("setup");
  EXPECT_FALSE(is_open());
}

TEST_F(SetupPlace, ChoiceIsKeptWhateverTheWindow) {
  desk_.press_key(keys::function(2));
  EXPECT_EQ(desk_.view().show_setup, true);
  EXPECT_FALSE(desk_.shows("rail"));
  resize({1024, 700});
  EXPECT_FALSE(desk_.shows("rail"));
  desk_.click("setup/switch");
  EXPECT_EQ(desk_.view().show_setup, false);
  resize({1920, 1080});
  EXPECT_TRUE(desk_.shows("rail"));
}

TEST_F(SetupPlace, OpensByTheKeysAlone) {
  for (int tab = 0; tab < 3; ++tab) press(ImGuiKey_Tab);
  ASSERT_EQ(desk_.view().passing.keyboard, Panel::setup);
  press(ImGuiKey_Enter);
  ASSERT_TRUE(is_open());
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  EXPECT_EQ(desk_.config().mechanism, Mechanism::self_attention_v1);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(is_open());
  EXPECT_EQ(desk_.view().passing.keyboard, Panel::stages);
}

TEST_F(SetupPlace, LeavesTheTableAloneWhereAnInputIsTypedInItsCell) {
  desk_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::inputs, .row = 1, .col = 2}; });
  press(ImGuiKey_Enter);
  desk_.frames(3);
  ASSERT_TRUE(desk_.shows("cell/number"));
  EXPECT_FALSE(desk_.shows("tokens/1/2"));
  desk_.press_control('A');
  desk_.type("0.25");
  press(ImGuiKey_Enter);
  EXPECT_EQ(std::get<SharedTensor>(desk_.config().inputs).row(1)[2], 0.25f);
}

TEST(TokenWindow, HasWhatIsTooWideForTheSetup) {
  Document document = opening_document();
  document.config.inputs = RandnInputs{6, 8};
  Desk desk(document, {1440, 900});
  EXPECT_FALSE(desk.shows("tokens/0/name"));
  EXPECT_TRUE(desk.shows("tokens/sentence"));
  desk.click("tokens");
  EXPECT_TRUE(desk.shows("tokens/0/name"));
  EXPECT_TRUE(desk.shows("tokens/5/7"));
  desk.click("tokens");
  EXPECT_FALSE(desk.shows("tokens/0/name"));
  desk.click("tokens");
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.shows("tokens/0/name"));
  EXPECT_TRUE(desk.view().pinned) << "Esc closed the window alone";
}

TEST(TokenWindow, OpensWhenANewDimensionIsTooMuchForTheSetup) {
  Desk desk(opening_document(), {1440, 900});
  EXPECT_TRUE(desk.shows("tokens/0/2"));
  EXPECT_FALSE(desk.view().passing.opens_tokens);
  desk.click("tokens/add_feature");
  EXPECT_TRUE(desk.view().passing.opens_tokens);
  EXPECT_TRUE(desk.shows("tokens/0/3"));
}

TEST(Bars, AreOneLineFrom1280UnitsOn) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1440, 900}, ImVec2{1920, 1080}}) {
    Desk desk(opening_document(), size);
    for (const char* const name :
         {"menu/file", "view/diagram", "view/head/1", "view/decimals", "view/range", "view/fit"}) {
      EXPECT_LE(desk.widget(name).max_screen.y, bar_height) << name << " at " << size.x;
      EXPECT_LE(desk.widget(name).max_screen.x, size.x) << name << " at " << size.x;
    }
    EXPECT_EQ(desk.widget("workspace").min_screen.y, bar_height);
    EXPECT_EQ(desk.widget("workspace").max_screen.y, size.y - status_height);
  }
}

TEST(Bars, HaveManyHeadsWithinReachAtEveryWidth) {
  Document document = opening_document();
  document.config.d_out = 24;
  document.config.num_heads = 12;
  document.config.batch_size = 2;
  for (const float width : {800.0f, 1024.0f, 1280.0f, 1920.0f}) {
    ViewState view;
    view.layout = Layout::focus;
    Desk desk(document, {width, 720}, view);
    const bool has_chips = desk.shows("view/head/11");
    EXPECT_TRUE(has_chips || desk.shows("view/head/next")) << width;
    EXPECT_TRUE(desk.shows("view/batch")) << width;
    for (const WidgetRegistry::Entry& entry : desk.widgets().entries) {
      if (!entry.name.starts_with("view/")) continue;
      EXPECT_LE(entry.max_screen.x, width) << entry.name;
    }
    desk.click(has_chips ? "view/head/1" : "view/head/next");
    EXPECT_EQ(desk.view().head, 1) << width;
  }
}

TEST(Bars, LeaveToTheMenuWhatHasNoRoom) {
  Desk desk(opening_document(), {1280, 720});
  desk.click("menu/view");
  desk.click("menu/view/range");
  desk.click("menu/view/range/logarithmic");
  EXPECT_EQ(desk.view().range, RangeMode::logarithmic);
  desk.click("menu/view");
  desk.click("menu/view/zoom");
  desk.click("menu/view/zoom/200");
  EXPECT_FLOAT_EQ(desk.view().diagram_zoom, 2);
  desk.click("view/fit");
  EXPECT_FLOAT_EQ(desk.view().diagram_zoom, 1);
}

}  // namespace
}  // namespace attnscope::test
