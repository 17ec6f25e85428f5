// What menus, the dialog of the settings, galleries and keys offer.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "document/builtin.h"
#include "document/compare.h"
#include "features/gallery/gallery_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

constexpr const char* menus[] = {"menu/file", "menu/edit", "menu/view", "menu/compare", "menu/learn", "menu/help"};

std::vector<std::string> items_of(HeadlessApp& app, const std::string& menu) {
  app.click(menu);
  std::vector<std::string> items;
  for (const WidgetRegistry::Entry& entry : app.widgets().entries) {
    if (entry.name.starts_with(menu + "/")) items.push_back(entry.name);
  }
  app.press_key(keys::named(ImGuiKey_Escape));
  return items;
}

TEST(Menus, HaveAtMost45ItemsOnTheFirstLevel) {
  HeadlessApp app;
  std::size_t count = 0;
  for (const char* const menu : menus) {
    const std::vector<std::string> items = items_of(app, menu);
    EXPECT_GE(items.size(), 3U) << menu;
    count += items.size();
  }
  constexpr std::size_t of_files_alone = 2;  // to restore lost changes, and to read arrays again
  EXPECT_LE(count + of_files_alone, 45U);
}

std::map<std::string, PaletteEntry> palette_of(HeadlessApp& app) {
  std::map<std::string, PaletteEntry> entries;
  for (PaletteEntry& entry : palette_entries(ViewContext(app.session().shown(), {})))
    entries[entry.id] = std::move(entry);
  return entries;
}

TEST(PaletteOfMenus, HasWhatMenusAndSubmenusOfferAndOffered) {
  HeadlessApp app;
  const std::map<std::string, PaletteEntry> entries = palette_of(app);
  std::set<std::string> wanted = {"help/about",
                                  "view/numbers",
                                  "view/decimals",
                                  "view/reach",
                                  "view/motion",
                                  "view/timing",
                                  "view/dark",
                                  "view/fit",
                                  "view/high-contrast",
                                  "file/screenshot/footer",
                                  "compare/before",
                                  "compare/now",
                                  "compare/difference",
                                  "learn/start",
                                  "compare/side_by_side",
                                  "edit/copy_picture",
                                  "settings/zoom/50",
                                  "settings/scale/300",
                                  "settings/range/logarithmic",
                                  "settings/screenshot/3",
                                  "edit/copy/numpy",
                                  "edit/copy_stage/markdown",
                                  "file/arrays/inputs",
                                  "file/page",
                                  "file/export_weights",
                                  "file/screenshot/folder"};
  for (const BuiltinDocument& example : example_documents()) wanted.insert(fmt::format("example/{}", example.id));
  for (const ReadyPair& pair : ready_pairs()) wanted.insert(fmt::format("pair/{}", pair.id));
  for (const char* const menu : menus) {
    for (const std::string& item : items_of(app, menu)) {
      if (app.session().shown().dialog.kind != DialogState::Kind::none) break;
      wanted.insert(item.substr(std::string("menu/").size()));
    }
  }
  // These open submenus, whose items are above, or are lists of their own.
  for (const char* const opener : {"edit/copy", "edit/copy_stage", "file/export", "file/recent", "view/presented",
                                   "learn/lessons", "learn/predict", "help/palette"})
    wanted.erase(opener);
  for (std::string id : wanted) {
    if (view_mode_named(id.substr(id.find('/') + 1))) id = "layout/" + id.substr(id.find('/') + 1);
    EXPECT_TRUE(entries.contains(id)) << id;
  }
}

TEST(SettingsDialog, HaveEachRowOfTheTableAndActAtOnce) {
  HeadlessApp app(default_document(), {1280, 1000});
  app.open_settings();
  for (const Setting& row : setting_table()) {
    SCOPED_TRACE(row.id);
    ASSERT_TRUE(app.shows(fmt::format("settings/{}", row.id)));
    const int before = row.chosen(app.view());
    for (int index = static_cast<int>(row.values.size()) - 1; index >= 0; --index) {
      const bool is_large = row.id == "scale" && row.values[static_cast<std::size_t>(index)].id > "150";
      if (index == before || is_large || !row.obstacle_in(app.view(), index).empty()) continue;
      app.choose(fmt::format("settings/{}", row.id), row.values[static_cast<std::size_t>(index)].id);
      EXPECT_EQ(row.chosen(app.view()), index);
      break;
    }
    app.change_view([&](ViewState& view) { row.choose(view, before); });
    app.frames(2);
  }
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::settings) << "it stays open beside the picture";
}

TEST(SettingsDialog, ShowANumberThatTheListDoesNotHave) {
  HeadlessApp app(default_document(), {1280, 1000});
  app.change_view([](ViewState& view) {
    view.interface_scale = 1.07f;
    view.threads = 5;
  });
  app.open_settings();
  EXPECT_NE(app.text().find("107 %"), std::string::npos);
  app.choose("settings/threads", "other");
  EXPECT_EQ(app.view().threads, 5);
}

TEST(SettingsDialog, OpenByKeyAndAreUsedByKeysAlone) {
  HeadlessApp app;
  give_modifiers(true, false);
  app.press_key(keys::comma());
  give_modifiers(false, false);
  app.frames(3);
  ASSERT_EQ(app.session().shown().dialog.kind, DialogState::Kind::settings);
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_DownArrow, ImGuiKey_Enter}) {
    app.press_key(keys::named(key));
  }
  EXPECT_EQ(app.view().theme, ThemeId::dark);
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::none);
}

TEST(Gallery, HasAPictureOfEachExampleAndPair) {
  HeadlessApp app;
  for (const DialogState::Kind kind : {DialogState::Kind::examples, DialogState::Kind::pairs}) {
    app.show_dialog(kind);
  }
  const GalleryShown::Pictures& pictures = *app.session().shown().gallery.pictures;
  EXPECT_EQ(pictures.size(), example_documents().size() + ready_pairs().size());
  std::set<std::vector<std::uint8_t>> different;
  for (const auto& [name, image] : pictures) {
    EXPECT_EQ(image->width, gallery_picture_width) << name;
    EXPECT_EQ(image->height, gallery_picture_height) << name;
    different.insert({image->pixels.begin(), image->pixels.end()});
  }
  EXPECT_GE(different.size(), pictures.size() / 2) << "pictures show their own documents";
}

TEST(Gallery, IsDrawnAnewInAnotherTheme) {
  HeadlessApp app;
  change_view(app.session().queue(), [](ViewState& view) { view.theme = ThemeId::light; });
  app.show_dialog(DialogState::Kind::pairs);
  const auto pictures = [&] { return *app.session().shown().gallery.pictures; };
  const GalleryShown::Pictures light = pictures();
  change_view(app.session().queue(), [](ViewState& view) { view.theme = ThemeId::dark; });
  app.settle();
  const GalleryShown::Pictures dark = pictures();
  ASSERT_EQ(dark.size(), light.size());
  for (const auto& [name, image] : dark) EXPECT_NE(image->pixels, light.at(name)->pixels) << name;
}

TEST(Gallery, IsWalkedByArrowsAndAnswersEnter) {
  HeadlessApp app;
  app.show_dialog(DialogState::Kind::examples);
  app.press_key(keys::named(ImGuiKey_RightArrow));
  app.press_key(keys::named(ImGuiKey_DownArrow));
  app.press_key(keys::named(ImGuiKey_Enter));
  app.settle();
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_EQ(app.document().config.normalization, Normalization::sum) << "the second of the second line";
}

TEST(Gallery, SaysWhyAPairCannotBeMade) {
  HeadlessApp app(parse_document(example_documents()[3].json));
  app.show_dialog(DialogState::Kind::pairs);
  EXPECT_FALSE(app.enables("gallery/pairs/dropout"));
  EXPECT_TRUE(app.enables("gallery/pairs/mask_after_softmax"));
}

TEST(Galleries, HaveRoomForTheWholeTextOfACard) {
  for (const ImVec2 size : {ImVec2{800, 520}, ImVec2{1280, 720}, ImVec2{1440, 900}}) {
    HeadlessApp app(opening_document(), size);
    app.show_dialog(DialogState::Kind::pairs);
    std::size_t whole = 0;
    for (const ReadyPair& pair : ready_pairs()) {
      const std::string name = gallery_name(DialogState::Kind::pairs, pair.id);
      const WidgetRegistry::Entry card = app.widget(name);
      if (card.min_screen.y < card.clip_screen.y || card.max_screen.y > card.clip_screen.w) continue;
      ++whole;
      const std::vector<std::string> texts = app.texts_in(name);
      ASSERT_FALSE(texts.empty()) << pair.id;
      std::string summary(pair.summary);
      const std::string minus = "−";  // which the font of tests lacks
      if (const std::size_t at = summary.find(minus); at != std::string::npos) summary.replace(at, minus.size(), "?");
      EXPECT_TRUE(summary.ends_with(texts.back())) << pair.id << " ends with " << texts.back();
    }
    EXPECT_GT(whole, 2U);
  }
}

TEST(Layouts, ShowTheStageOfThePinnedNumberLarge) {
  HeadlessApp app(opening_document());
  app.change_view([](ViewState& view) {
    view.mode = ViewMode::diagram;
    view.pinned = Source{.stage = Stage::scaled_scores, .row = 4, .col = 1};
  });
  app.click("view/focus");
  app.settle();
  EXPECT_EQ(app.view().stage, Stage::scaled_scores);
}

TEST(TeachingViews, HaveATabThatStays) {
  HeadlessApp app;
  ASSERT_TRUE(app.shows("view/study"));
  app.click("view/study");
  EXPECT_EQ(app.view().mode, ViewMode::study);
  app.click("view/diagram");
  app.press_key(keys::letter('K'));
  app.press_key(keys::letter('D'));
  app.settle();
  ASSERT_TRUE(app.shows("view/study"));
  EXPECT_FALSE(app.enables("view/study")) << "a difference has no teaching view";
}

// The single keys of a row: "H, Shift+H" has two. Words, such as "arrow keys in a panel", are one of their own.
std::vector<std::string> keys_of(const KeyRow& row) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < row.keys.size();) {
    const std::size_t end = std::min(row.keys.find(", ", begin), row.keys.size());
    found.push_back(row.keys.substr(begin, end - begin));
    begin = end + 2;
  }
  return found;
}

TEST(KeyList, MeanOneThingEach) {
  std::map<std::string, std::string> meanings;
  for (const KeyRow& row : key_list()) {
    for (const std::string& key : keys_of(row)) {
      const auto [found, is_new] = meanings.emplace(key, row.what);
      const bool moves_on = key == "Space";  // it goes on before an audience, where Model has its head switched off
      EXPECT_TRUE(is_new || moves_on) << key << " is “" << found->second << "” and “" << row.what << "”";
    }
  }
  EXPECT_GT(meanings.size(), 50U);
}

TEST(KeyList, SaysOfALessonsStepsWhatTheirKeysDo) {
  for (const KeyRow& row : key_list()) {
    EXPECT_FALSE(row.what.starts_with("of ")) << row.keys << " is “" << row.what << "”: this names nothing";
  }
}

// A browser lets no page have these.
TEST(Actions, HaveOtherKeysInABrowserWhereItKeepsTheirs) {
  const std::set<std::string> kept = {"F5",     "F11",          "F12",    "Ctrl+L",       "Ctrl+N",       "Ctrl+Q",
                                      "Ctrl+R", "Ctrl+Shift+N", "Ctrl+T", "Ctrl+Shift+T", "Ctrl+Shift+W", "Ctrl+W"};
  std::set<std::string> used;
  for (const Action& action : actions()) {
    const std::string keys = action.in_page.value_or(action.chord).text();
    EXPECT_FALSE(kept.contains(keys)) << action.id;
    EXPECT_TRUE(keys.empty() || used.insert(keys).second) << action.id << " and another have " << keys;
    EXPECT_EQ(action.in_page.has_value(), kept.contains(action.chord.text())) << action.id;
  }
}

// The keys beside an item of a menu are those of the action that it names, or those that edit the pinned number.
TEST(CellMenu, NamesTheKeysThatDoTheSame) {
  std::map<std::string, std::string> label_of;
  HeadlessApp app(opening_document());
  std::size_t count = 0;
  for (const Stage stage : {Stage::weights, Stage::mask, Stage::inputs, Stage::query_weight, Stage::context}) {
    app.change_view([stage](ViewState& view) {
      view.mode = ViewMode::diagram;
      view.pinned = Source{.stage = stage, .row = 1, .col = 1};
      view.transient.opens_cell_menu = true;
    });
    app.settle();
    label_of.clear();
    const ViewContext context(app.session().shown(), {});
    for (const Action& action : actions()) {
      if (action.chord.is_there())
        label_of[action.chord.text()] = action.label_now ? action.label_now(context) : action.label;
    }
    for (const WidgetRegistry::Entry& item : std::vector(app.widgets().entries)) {
      const std::vector<std::string> texts =
          item.name.starts_with("cell/") ? app.texts_in(item.name) : std::vector<std::string>();
      if (texts.size() != 2 || texts.back() == "Enter" || texts.back() == "Delete") continue;
      ++count;
      EXPECT_EQ(label_of[texts.back()], texts.front()) << texts.back();
    }
    app.press_key(keys::named(ImGuiKey_Escape));
  }
  EXPECT_GE(count, 1U);
}

TEST(KeyList, AloneChangeTheDocumentOnlyWithATraceInUndoThatTheStatusLineNames) {
  std::set<std::string> listed;
  for (const KeyRow& row : key_list()) {
    for (const std::string& key : keys_of(row)) listed.insert(key);
  }
  std::vector<std::pair<std::string, std::function<int()>>> alone = {
      {"Space", [] { return keys::named(ImGuiKey_Space); }}, {"Delete", [] { return keys::named(ImGuiKey_Delete); }}};
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    alone.emplace_back(std::string(1, letter), [letter] { return keys::letter(letter); });
  for (int digit = 0; digit <= 9; ++digit)
    alone.emplace_back(fmt::format("{}", digit), [digit] { return keys::digit(digit); });
  int edits = 0;
  for (const Source pinned :
       {Source{.stage = Stage::weights, .row = 2, .col = 1}, Source{.stage = Stage::mask, .row = 2},
        Source{.stage = Stage::inputs, .row = 1, .col = 1}}) {
    for (const auto& [name, key] : alone) {
      SCOPED_TRACE(name);
      HeadlessApp app(opening_document());
      app.change_view([&](ViewState& view) { view.pinned = pinned; });
      app.settle();
      const Document before = app.document();
      app.press_key(key());
      app.settle();
      if (app.document() == before) continue;
      ++edits;
      EXPECT_TRUE(listed.contains(name));
      EXPECT_NE(app.session().shown().undo_label, "");
      EXPECT_NE(app.message().find("Ctrl+Z takes it back"), std::string::npos) << app.message();
      app.press_control('Z');
      EXPECT_EQ(app.document(), before);
    }
  }
  EXPECT_GE(edits, 2) << "O switches a head off, K keeps the document as A";
}

TEST(KeyList, OfLayoutsAreTheSameWithAndWithoutControl) {
  HeadlessApp app;
  app.press_key(keys::digit(2));
  EXPECT_EQ(app.view().mode, ViewMode::heads);
  app.hold_control(true);
  app.press_key(keys::digit(1));
  app.hold_control(false);
  EXPECT_EQ(app.view().mode, ViewMode::diagram);
}

}  // namespace
}  // namespace attnscope::test
