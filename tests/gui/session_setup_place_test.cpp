// The setup as a column and as a rail, and the line of menus and tools above both.

#include "document/builtin.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "ui/imgui_input.h"

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
    app_.frames(3);
  }
  void press(ImGuiKey key) { app_.press_key(keys::named(key)); }
  bool is_open() const { return app_.shows("setup/over"); }
  float workspace_left() const { return app_.widget("workspace").min_screen.x; }

  HeadlessApp app_{notebook_document(), {1280, 720}};
  bool is_rail_ = (app_.change_view(leave_choice), app_.frames(3), app_.shows("rail"));
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
    EXPECT_TRUE(app_.shows(name)) << name;
  resize({1440, 900});
  EXPECT_FALSE(app_.shows("rail"));
  EXPECT_EQ(workspace_left(), 220);
}

TEST_F(SetupPlace, ACountOfUnitsDecidesNotOneOfPixels) {
  resize({1600, 900});
  EXPECT_FALSE(app_.shows("rail"));
  app_.change_view([](ViewState& view) { view.interface_scale = 1.25f; });
  app_.frames(3);
  EXPECT_TRUE(app_.shows("rail"));
}

TEST_F(SetupPlace, OpensOverTheStagesWhichKeepTheirSize) {
  const WidgetRegistry::Entry before = app_.widget("workspace");
  for (const char* const name :
       {"setup", "rail/mechanism", "rail/d_out", "rail/num_heads", "rail/dropout", "rail/seed"}) {
    app_.click(name);
    EXPECT_TRUE(is_open()) << name;
    EXPECT_TRUE(app_.shows("setup/num_heads")) << name;
    EXPECT_EQ(app_.widget("workspace").min_screen.x, before.min_screen.x);
    EXPECT_EQ(app_.widget("workspace").max_screen.x, before.max_screen.x);
    press(ImGuiKey_Escape);
    EXPECT_FALSE(is_open()) << name;
  }
  EXPECT_TRUE(app_.view().pinned) << "Esc closed the setup alone";
}

TEST_F(SetupPlace, StaysOpenWhileItIsUsedAndClosesByAClickBesideIt) {
  app_.click("setup");
  app_.control_click("setup/d_out");
  app_.press_control('A');
  app_.type("8");
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.config().d_out, 8);
  app_.click("setup/heads_off");
  app_.click("setup/heads_off/1");
  EXPECT_EQ(app_.config().heads_off.size(), 1U);
  press(ImGuiKey_Escape);
  EXPECT_TRUE(is_open()) << "Esc closed the list alone";
  app_.click("workspace", {0.9f, 0.9f});
  EXPECT_FALSE(is_open());
}

TEST_F(SetupPlace, AClickOnTheRailClosesItAgain) {
  app_.click("setup");
  app_.click("rail/seed");
  EXPECT_FALSE(is_open());
  app_.click("setup");
  app_.click("setup");
  EXPECT_FALSE(is_open());
}

TEST_F(SetupPlace, ChoiceIsKeptWhateverTheWindow) {
  app_.press_key(keys::function(2));
  EXPECT_EQ(app_.view().show_setup, true);
  EXPECT_FALSE(app_.shows("rail"));
  resize({1024, 700});
  EXPECT_FALSE(app_.shows("rail"));
  app_.click("setup/switch");
  EXPECT_EQ(app_.view().show_setup, false);
  resize({1920, 1080});
  EXPECT_TRUE(app_.shows("rail"));
}

TEST_F(SetupPlace, OpensByTheKeysAlone) {
  for (int tab = 0; tab < 3; ++tab) press(ImGuiKey_Tab);
  ASSERT_EQ(app_.view().transient.keyboard, Panel::setup);
  press(ImGuiKey_Enter);
  ASSERT_TRUE(is_open());
  press(ImGuiKey_DownArrow);
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.config().mechanism, Mechanism::self_attention_v1);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(is_open());
  EXPECT_EQ(app_.view().transient.keyboard, Panel::stages);
}

TEST_F(SetupPlace, LeavesTheTableAloneWhereAnInputIsTypedInItsCell) {
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::inputs, .row = 1, .col = 2}; });
  press(ImGuiKey_Enter);
  app_.frames(3);
  ASSERT_TRUE(app_.shows("cell/number"));
  EXPECT_FALSE(app_.shows("tokens/1/2"));
  app_.press_control('A');
  app_.type("0.25");
  press(ImGuiKey_Enter);
  EXPECT_EQ(std::get<SharedTensor>(app_.config().inputs).row(1)[2], 0.25f);
}

TEST(TokenWindow, HasWhatIsTooWideForTheSetup) {
  Document document = notebook_document();
  document.config.inputs = RandnInputs{6, 8};
  HeadlessApp app(document, {1440, 900});
  EXPECT_FALSE(app.shows("tokens/0/name"));
  ASSERT_TRUE(app.shows("tokens/sentence"));
  EXPECT_LT(app.widget("tokens/sentence").max_screen.y, 880);
  app.click("tokens");
  EXPECT_TRUE(app.shows("tokens/0/name"));
  EXPECT_TRUE(app.shows("tokens/5/7"));
  app.click("tokens");
  EXPECT_FALSE(app.shows("tokens/0/name"));
  app.click("tokens");
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.shows("tokens/0/name"));
  EXPECT_TRUE(app.view().pinned) << "Esc closed the window alone";
}

// Types a sentence at once, as a person does who has asked for it; letters that no field takes are keys of the diagram.
void expect_typed_at_once(HeadlessApp& app) {
  app.frames(4);
  app.type("my dog eats");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().tokens, (std::vector<std::string>{"my", "dog", "eats"}));
  EXPECT_TRUE(app.view().transient.pointed.empty());
}

TEST(TokenWindow, TakesTheKeysOfWhoAsksForASentence) {
  HeadlessApp app(notebook_document(), {1280, 720});
  app.change_view([](ViewState& view) { view.transient.opens_tokens = true; });
  app.frames(3);
  app.press_control('K');
  app.type("a sentence of");
  app.press_key(keys::named(ImGuiKey_Enter));
  expect_typed_at_once(app);
}

TEST(TokenTable, IsScrolledToWhereTheSetupIsLong) {
  HeadlessApp app(notebook_document(), {1440, 900});
  app.change_view([](ViewState& view) { view.show_options = true; });
  app.frames(3);
  app.press_control('K');
  app.type("a sentence of");
  app.press_key(keys::named(ImGuiKey_Enter));
  app.frames(4);
  EXPECT_TRUE(app.shows("tokens/sentence"));
  expect_typed_at_once(app);
}

TEST(TokenWindow, OpensWhenANewDimensionIsTooMuchForTheSetup) {
  HeadlessApp app(notebook_document(), {1440, 900});
  EXPECT_TRUE(app.shows("tokens/0/2"));
  EXPECT_FALSE(app.view().transient.opens_tokens);
  app.click("tokens/add_feature");
  EXPECT_TRUE(app.view().transient.opens_tokens);
  EXPECT_TRUE(app.shows("tokens/0/3"));
}

TEST(Bars, AreOneLineFrom1280UnitsOn) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1440, 900}, ImVec2{1920, 1080}}) {
    HeadlessApp app(notebook_document(), size);
    for (const char* const name :
         {"menu/file", "view/diagram", "view/head/1", "view/decimals", "view/range", "view/fit"}) {
      EXPECT_LE(app.widget(name).max_screen.y, bar_height) << name << " at " << size.x;
      EXPECT_LE(app.widget(name).max_screen.x, size.x) << name << " at " << size.x;
    }
    EXPECT_EQ(app.widget("workspace").min_screen.y, bar_height);
    EXPECT_EQ(app.widget("workspace").max_screen.y, size.y - status_height);
  }
}

TEST(Bars, HaveManyHeadsWithinReachAtEveryWidth) {
  Document document = notebook_document();
  document.config.d_out = 24;
  document.config.num_heads = 12;
  document.config.batch_size = 2;
  for (const float width : {800.0f, 1024.0f, 1280.0f, 1920.0f}) {
    ViewState view;
    view.mode = ViewMode::focus;
    HeadlessApp app(document, {width, 720}, view);
    const bool has_chips = app.shows("view/head/11");
    EXPECT_TRUE(has_chips || app.shows("view/head/next")) << width;
    EXPECT_TRUE(app.shows("view/batch")) << width;
    for (const WidgetRegistry::Entry& entry : app.widgets().entries) {
      if (!entry.name.starts_with("view/")) continue;
      EXPECT_LE(entry.max_screen.x, width) << entry.name;
    }
    app.click(has_chips ? "view/head/1" : "view/head/next");
    EXPECT_EQ(app.view().head, 1) << width;
  }
}

TEST(Bars, LeaveToTheSettingsWhatHasNoRoom) {
  HeadlessApp app(notebook_document(), {1280, 720});
  app.open_settings();
  app.choose("settings/range", "logarithmic");
  EXPECT_EQ(app.view().range, RangeMode::logarithmic);
  app.choose("settings/zoom", "200");
  EXPECT_FLOAT_EQ(app.view().diagram_zoom, 2);
  app.click("dialog/close");
  app.click("view/fit");
  EXPECT_FLOAT_EQ(app.view().diagram_zoom, 1);
}

TEST(SmallScreen, HasTheMainMatrixAboveTheCard) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.settle();
  ASSERT_TRUE(app.shows("stages/weights"));
  EXPECT_FALSE(app.shows("stages/scores"));
  EXPECT_LE(app.widget("stages/weights").max_screen.y, app.widget("inspector").min_screen.y);
  EXPECT_TRUE(app.shows("view/stage")) << "the way to the other matrices";
  for (const WidgetRegistry::Entry& entry : app.widgets().entries) {
    EXPECT_GE(entry.min_screen.x, 0) << entry.name;
    EXPECT_LE(entry.max_screen.x, 390) << entry.name;
  }
  for (const VisibleText& text : app.texts()) EXPECT_GE(text.size, 10.99F) << text.text;
}

TEST(SmallScreen, PresentsEachStageAlone) {
  HeadlessApp app(opening_document(), {390, 844}, ViewState{});
  app.settle();
  app.press_key(keys::function(11));
  for (const ImGuiKey key : {ImGuiKey_Home, ImGuiKey_End}) {
    app.press_key(keys::named(key));
    app.settle();
    const WidgetRegistry::Matrix& matrix = app.widgets().matrices.at(0);
    EXPECT_GE(matrix.max_screen.x - matrix.min_screen.x, 200) << matrix.name;
  }
}

TEST(SmallScreen, HasTheQuestionOfTheSumsInSight) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.settle();
  const WidgetRegistry::Entry& question = app.widget("why/stages/weights/sums");
  EXPECT_LE(question.max_screen.x, question.clip_screen.z);
}

// A menu over its own item would take the tap that opens it for one of its items.
TEST(SmallScreen, ListsMenusOfMenusBelowTheirItem) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.settle();
  app.click("menu/learn");
  app.click("menu/learn/lessons");
  EXPECT_FALSE(app.session().shown().lesson.lesson) << "nothing is chosen yet";
  const std::string first = "menu/learn/lessons/" + shipped_lessons().front()->id;
  EXPECT_GE(app.widget(first).min_screen.y, app.widget("menu/learn/lessons").max_screen.y);
  EXPECT_LE(app.widget(first).max_screen.x, 390);
  app.click("menu/learn/lessons");
  EXPECT_FALSE(app.shows(first));
  app.click("menu/learn/lessons");
  app.click(first);
  EXPECT_EQ(app.session().shown().lesson.lesson->id, shipped_lessons().front()->id);
  EXPECT_FALSE(app.shows("menu/learn/lessons")) << "the menu closes";
}

TEST(SmallScreen, NamesLessonsWhole) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.settle();
  app.click("menu/learn");
  app.click("menu/learn/lessons");
  app.move_away();
  std::string read;
  for (const VisibleText& text : app.texts()) read += text.text + " ";
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    EXPECT_NE(read.find(lesson->title), std::string::npos) << lesson->title << " in " << read;
}

TEST(SmallScreen, HasAFilmAsWideAsItself) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 3, .col = 1}; });
  app.settle();
  app.press_key(keys::letter('W'));
  app.settle();
  ASSERT_TRUE(app.shows("film/close"));
  EXPECT_EQ(app.widget("workspace").min_screen.x, 0);
  EXPECT_EQ(app.widget("workspace").max_screen.x, 390);
  EXPECT_LT(app.widget("film/scene").max_screen.x + 8, app.widget("film/close").min_screen.x);
  app.click("film/close");
  app.settle();
  EXPECT_GT(app.widget("workspace").min_screen.x, 0) << "beside the rail";
}

TEST(SmallScreen, ListsMenusThatHaveNoRoomBesideTheirMenu) {
  for (const float width : {700.0F, 820.0F, 960.0F, 1000.0F, 1040.0F, 1280.0F}) {
    HeadlessApp app(notebook_document(), {width, 800}, ViewState{});
    app.settle();
    app.click("menu/learn");
    app.click("menu/learn/lessons");
    EXPECT_FALSE(app.session().shown().lesson.lesson) << width;
    const WidgetRegistry::Entry& first = app.widget("menu/learn/lessons/" + shipped_lessons().front()->id);
    const WidgetRegistry::Entry& menu = app.widget("menu/learn/lessons");
    EXPECT_TRUE(first.min_screen.y >= menu.max_screen.y || first.min_screen.x >= menu.max_screen.x - 8) << width;
  }
}

TEST(UprightScreen, HasALessonBelowTheStages) {
  HeadlessApp app(opening_document(), {820, 1180}, ViewState{});
  app.open_lesson(shipped_lessons().front()->id);
  EXPECT_GE(app.widget("setup").min_screen.y, app.widget("workspace").max_screen.y);
  EXPECT_EQ(app.widget("workspace").min_screen.x, 0);
  app.press_key(keys::function(11));
  app.settle();
  const WidgetRegistry::Entry& next = app.widget("lesson/next");
  EXPECT_GE(next.min_screen.y, 700);
  EXPECT_LE(next.max_screen.x, 820);
}

TEST(SmallScreen, HasALessonBelowTheStages) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.open_lesson(shipped_lessons().front()->id);
  EXPECT_LE(app.widget("stages").max_screen.y, app.widget("lesson/next").min_screen.y);
  EXPECT_FALSE(app.shows("inspector"));
  EXPECT_EQ(app.widget("workspace").min_screen.x, 0);
}

TEST(SmallScreen, HeldAcrossHasTheInspectorBesideTheMatrix) {
  HeadlessApp app(notebook_document(), {844, 390}, ViewState{});
  app.settle();
  EXPECT_LE(app.widget("stages/weights").max_screen.x, app.widget("inspector").min_screen.x);
}

TEST(SmallScreen, NamesKeysToAnAudienceOnlyWhereTheyHaveRoom) {
  HeadlessApp app(notebook_document(), {390, 844}, ViewState{});
  app.press_key(keys::function(11));
  app.settle();
  float end = 0;
  for (const VisibleText& text : app.texts()) {
    if (text.min_screen.y < app.widget("presenting/line").min_screen.y) continue;
    EXPECT_GE(text.min_screen.x, end) << text.text;
    end = text.max_screen.x;
  }
  EXPECT_GT(end, 0);
}

}  // namespace
}  // namespace attnscope::test
