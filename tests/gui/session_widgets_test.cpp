// Whatever reacts to the pointer is registered: else scripts, and those who cannot see the window, would not know of
// it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

constexpr float step_right = 14;  // units: below the width and the height of every widget
constexpr float step_down = 9;

// Scroll bars and the edges of windows belong to no widget, and a dialog's bar and its closing cross not either.
bool is_of_window(ImGuiID id) {
  for (ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    const ImGuiID own[] = {window->MoveId,
                           ImGui::GetWindowScrollbarID(window, ImGuiAxis_X),
                           ImGui::GetWindowScrollbarID(window, ImGuiAxis_Y),
                           window->GetID("#CLOSE"),
                           window->GetID("#COLLAPSE"),
                           window->GetID("##menubar"),
                           window->ChildId};
    if (std::ranges::find(own, id) != std::end(own)) return true;
  }
  return false;
}

bool is_registered(const HeadlessApp& app, ImVec2 pos) {
  return std::ranges::any_of(app.widgets().entries, [&](const WidgetRegistry::Entry& entry) {
    return entry.id == ImGui::GetCurrentContext()->HoveredId && pos.x >= entry.min_screen.x - 1 &&
           pos.x <= entry.max_screen.x + 1 && pos.y >= entry.min_screen.y - 1 && pos.y <= entry.max_screen.y + 1;
  });
}

bool is_panel(ImGuiID id) {
  const ImVector<ImGuiWindow*>& windows = ImGui::GetCurrentContext()->Windows;
  return std::any_of(windows.begin(), windows.end(), [&](const ImGuiWindow* window) { return window->ChildId == id; });
}

// Behind a menu or a dialog there is nothing to find, and where a widget is known none is looked for.
bool is_worth_a_look(const HeadlessApp& app, ImVec2 pos) {
  const ImVector<ImGuiPopupData>& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  const auto lies_there = [&](const ImGuiPopupData& popup) {
    return popup.Window && popup.Window->Rect().Contains(pos);
  };
  if (!popups.empty() && std::none_of(popups.begin(), popups.end(), lies_there)) return false;
  return std::ranges::none_of(app.widgets().entries, [&](const WidgetRegistry::Entry& entry) {
    return entry.id != 0 && !is_panel(entry.id) && ImRect(entry.min_screen, entry.max_screen).Contains(pos) &&
           ImRect(entry.clip_screen).Contains(pos) &&
           (popups.empty() || entry.window->RootWindow == popups.back().Window);
  });
}

// Where the pointer is on something that has no name, one place for each.
std::vector<std::string> unnamed(HeadlessApp& app) {
  std::set<ImGuiID> known;
  std::vector<std::string> places;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  for (float y = step_down / 2; y < size.y; y += step_down) {
    for (float x = step_right / 2; x < size.x; x += step_right) {
      if (!is_worth_a_look(app, {x, y})) continue;
      give_pointer({x, y});
      app.frames();
      const ImGuiID id = ImGui::GetCurrentContext()->HoveredId;
      if (id == 0 || is_registered(app, {x, y}) || is_of_window(id) || !known.insert(id).second) continue;
      const ImGuiWindow* const window = ImGui::GetCurrentContext()->HoveredWindow;
      places.push_back(fmt::format("in {} at {}, {}", window ? window->Name : "nothing", x, y));
    }
  }
  return places;
}

using Names = std::vector<std::string>;
const ImVec2 size{960, 560};

TEST(RegisteredWidgets, AreAllThatThePointerFinds) {
  HeadlessApp app(default_document(), size);
  EXPECT_EQ(unnamed(app), Names{});
}

TEST(RegisteredWidgets, AreAllOfTheOptions) {
  ViewState view;
  view.show_options = true;
  HeadlessApp app(default_document(), size, view);
  app.move_to("setup", {0.5f, 0.95f});
  app.scroll(-50);
  EXPECT_TRUE(app.shows("setup/weight_order"));
  EXPECT_EQ(unnamed(app), Names{});
}

TEST(RegisteredWidgets, AreAllOfADialog) {
  for (const auto kind : {DialogState::Kind::open, DialogState::Kind::figure, DialogState::Kind::glossary,
                          DialogState::Kind::settings, DialogState::Kind::examples, DialogState::Kind::pairs}) {
    HeadlessApp app(default_document(), size);
    app.show_dialog(kind);
    EXPECT_EQ(unnamed(app), Names{}) << static_cast<int>(kind);
  }
}

TEST(RegisteredWidgets, AreAllOfMenusAndLists) {
  for (const char* const opener : {"menu/file", "menu/view", "view/range", "tokens/1/menu"}) {
    HeadlessApp app(default_document(), {1280, 560});  // narrower bars have no list of ranges
    app.click(opener);
    EXPECT_EQ(unnamed(app), Names{}) << opener;
  }
}

// What the test above could not find would be no fault: it must.
TEST(RegisteredWidgets, AreMissedWhereTheyAreNot) {
  HeadlessApp app(default_document(), size);
  app.forget_widget("tokens/add");
  EXPECT_EQ(unnamed(app).size(), 1U);
}

// A menu that is higher than the window lay over the pointer, and the click that opened it chose one of its items.
TEST(RegisteredWidgets, OfAMenuThatIsHigherThanTheWindowAreThere) {
  ViewState view;
  view.interface_scale = 3;
  HeadlessApp app(default_document(), {1280, 560}, view);
  for (const char* const menu : {"menu/file", "menu/view"}) {
    app.click(menu);
    EXPECT_EQ(app.widget(menu).is_on, true) << menu;
    EXPECT_GE(app.widget(std::string(menu) + (menu == std::string("menu/file") ? "/new" : "/diagram")).min_screen.y,
              app.widget(menu).max_screen.y - 1);
    app.press_key(keys::named(ImGuiKey_Escape));
  }
}

TEST(RegisteredWidgets, SayWhyTheyAreDisabledAndWhatIsChosen) {
  Document document = default_document();
  document.config.mechanism = Mechanism::causal_attention;
  HeadlessApp app(document);
  EXPECT_FALSE(app.enables("setup/num_heads"));
  EXPECT_EQ(app.widget("setup/num_heads").help, "Only the two multi-head mechanisms have more than one head.");
  EXPECT_EQ(app.widget("setup/num_heads").label, "heads");
  EXPECT_EQ(app.widget("setup/mechanism/causal_attention").is_on, true);
  EXPECT_EQ(app.widget("setup/mechanism/self_attention_v1").is_on, false);
  EXPECT_TRUE(app.widget("menu/view").opens);
}

}  // namespace
}  // namespace attnscope::test
