// Nothing is cut off by the window that it stands in, however long names and lists are.

#include <fmt/format.h>

#include "core/text.h"
#include "cut_off.h"
#include "document/builtin.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "ui/view_context.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

const std::string longest_name(250, 'W');  // no blank in it that a line could be broken at

TEST(Dialogs, CutNothingOff) {
  using Kind = DialogState::Kind;
  for (const ImVec2 size : {ImVec2{800, 520}, ImVec2{1280, 720}}) {
    for (const Kind kind : {Kind::open, Kind::save_as, Kind::shortcuts, Kind::glossary, Kind::about, Kind::figure}) {
      HeadlessApp app(default_document(), size);
      app.show_dialog(kind);
      EXPECT_EQ(windows_cut_off(), Names{}) << static_cast<int>(kind) << " " << size.x;
    }
  }
}

TEST(Dialogs, CutNoButtonOffWhereThereIsLittleRoom) {
  HeadlessApp app(default_document(), {800, 520});
  app.show_dialog(DialogState::Kind::figure);
  app.click("figure/folder");
  app.settle();
  EXPECT_EQ(windows_cut_off(), Names{});
}

TEST(GoToWindow, StandsInTheWindowFromItsFirstFrameOn) {
  for (const ImVec2 size : {ImVec2{800, 520}, ImVec2{1280, 720}}) {
    HeadlessApp app(default_document(), size);
    app.settle();
    app.press_control('F');
    app.settle();
    EXPECT_EQ(windows_cut_off(), Names{});
    EXPECT_GT(app.widget("go_to/first_column").min_screen.y, size.y / 2);  // over the lower part of the setup
  }
}

TEST(InspectorCard, ShowsTheWholeExplanationOnASmallScreen) {
  AttentionConfig config = default_document().config;
  config.d_out = 4;
  config.num_heads = 2;
  config.dropout = 0.5F;
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1366, 768}, ImVec2{1440, 900}, ImVec2{1920, 1080}}) {
    Document document = default_document();
    document.config = config;
    HeadlessApp app(document, size);
    app.settle();
    app.change_view([](ViewState& state) {
      state.docks_inspector = false;
      state.show_setup.reset();  // a rail where the window is narrow
      state.pinned = Source{.stage = Stage::weights, .row = 1, .col = 0};
    });
    app.settle();
    EXPECT_EQ(pixels_below("/card"), 0) << size.x;
  }
}

TEST(Inspector, HasItsButtonsAtTheRightOfItsHeading) {
  HeadlessApp app(default_document(), {1280, 720}, docked());
  app.settle();
  const float edge = app.widget("inspector").max_screen.x - ImGui::GetStyle().WindowPadding.x;
  EXPECT_NEAR(app.widget("inspector/undock").max_screen.x, edge, 6);
}

TEST(Inspector, BreaksTheButtonsOfItsCardIntoLines) {
  HeadlessApp app(opening_document(), {1600, 900}, ViewState());
  app.settle();
  app.click_cell(Stage::weights, 4, 1);
  app.click("inspector/toggle");
  app.settle();
  const float edge = app.widget("inspector").max_screen.x - ImGui::GetStyle().WindowPadding.x;
  for (const char* const button : {"inspector/toggle", "inspector/restore", "inspector/more", "inspector/copy"})
    EXPECT_LE(app.widget(button).max_screen.x, edge + 1) << button;
}

TEST(Inspector, HasItsButtonBesideOrBelowItsNumber) {
  for (const Index key : {0, 1, 2}) {  // 0.01, 0.97 and 0.00, which has most digits
    HeadlessApp app(opening_document(), {1280, 720}, docked());
    app.change_view([key](ViewState& view) {
      view.mode = ViewMode::focus;
      view.pinned = Source{.stage = Stage::weights, .row = 4, .col = key};
    });
    app.settle();
    const std::string number = format_full(value_at(app.result(), *app.view().pinned));
    const WidgetRegistry::Entry button = app.widget("inspector/watch");
    std::size_t found = 0;
    for (const VisibleText& text : app.texts()) {
      if (text.text != number) continue;
      ++found;
      EXPECT_TRUE(text.max_screen.x <= button.min_screen.x || text.max_screen.y <= button.min_screen.y) << number;
    }
    EXPECT_EQ(found, 1U) << number;
  }
}

TEST(ToolBar, GoesOnInALineOfItsOwnWhereThereIsNoRoom) {
  for (const ViewMode layout : {ViewMode::diagram, ViewMode::heads, ViewMode::focus, ViewMode::study}) {
    for (const char* const lesson : {"", "weights"}) {
      ViewState view;
      view.mode = layout;
      HeadlessApp app(default_document(), {800, 520}, view);
      if (*lesson) open_lesson(app.session().queue(), lesson);
      app.settle();
      app.change_view([layout](ViewState& state) { state.mode = layout; });
      app.settle();
      EXPECT_EQ(windows_cut_off(), Names{}) << layout.id << " " << lesson;
    }
  }
}

TEST(Inspector, CutsNoLongNameOff) {
  HeadlessApp app;
  app.replace_text("tokens/0/name", longest_name);
  app.press_key(keys::named(ImGuiKey_Enter));
  app.change_view([](ViewState& view) { view.mode = ViewMode::focus; });
  app.settle();
  app.click_cell(Stage::weights, 2, 0);
  EXPECT_EQ(windows_cut_off(), Names{});
}

TEST(Inspector, CutsNoLineOfNumbersOff) {
  HeadlessApp app;
  app.change_view([](ViewState& view) {
    view.pinned = Source{.stage = Stage::scaled_scores, .row = 1, .kind = SourceKind::exponential_sum};
    view.inspector_width = min_panel_width;
  });
  app.settle();
  EXPECT_EQ(windows_cut_off(), Names{});
}

TEST(Wrapped, BreaksAtBlanksAndWordsThatAreWiderThanALine) {
  const HeadlessApp app;
  const ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
  const float width = text_size(font, "WWWW").x + 1;
  EXPECT_EQ(wrapped(font, "", width), "");
  EXPECT_EQ(wrapped(font, "WW W", width), "WW W");
  EXPECT_EQ(wrapped(font, "WWW WW W", width), "WWW\nWW W");
  EXPECT_EQ(wrapped(font, "W\n\nWWWW W\n", width), "W\n\nWWWW\nW\n");
  EXPECT_EQ(wrapped(font, "WWWWWWWWW W", width), "WWWW\nWWWW\nW W");
  EXPECT_EQ(wrapped(font, "WWW WWWWWW", width), "WWW\nWWWW\nWW");
  EXPECT_EQ(wrapped(font, "ÄÖÜ", 1), "Ä\nÖ\nÜ");
}

}  // namespace
}  // namespace attnscope::test
