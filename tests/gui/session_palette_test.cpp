// Everything by its name: what is found for what is typed, and what it does.

#include "desk.h"
#include "desk_input.h"
#include "features/shared/panel/menu.h"
#include "ui/fuzzy.h"

namespace attnscope::test {
namespace {

TEST(Fuzzy, WordsCountMoreAtTheirBeginningAndInAnyOrder) {
  EXPECT_GT(fuzzy_score("attention weights", "weights"), fuzzy_score("dropped overweights", "weights"));
  EXPECT_GT(fuzzy_score("weights", "wei"), fuzzy_score("attention weights", "wei"));
  EXPECT_EQ(fuzzy_score("Dark theme", "THEME dark"), fuzzy_score("Dark theme", "theme dark"));
  EXPECT_TRUE(fuzzy_score("renormalized weights", "rewei"));
  EXPECT_FALSE(fuzzy_score("weights", "weights mask"));
  EXPECT_TRUE(fuzzy_score("anything", ""));
}

std::vector<PaletteEntry> found(Desk& desk, const std::string& typed) {
  return found_entries(palette_entries(ViewContext(desk.session().shown(), {})), typed);
}

TEST(Palette, FindsWhateverThereIsByItsName) {
  Desk desk;
  for (const auto& [typed, id] :
       {std::pair("quit", "file/quit"), std::pair("dark", "view/dark"), std::pair("scaled", "stage/scaled_scores"),
        std::pair("wrapper mechanism", "mechanism/multi_head_attention_wrapper"),
        std::pair("divide", "question/scaling"), std::pair("future masked", "lesson/mask"),
        std::pair("teaching sentence", "study/sentence"), std::pair("dropout", "setup/dropout"),
        std::pair("num_heads", "setup/num_heads"), std::pair("soft cap", "setup/softcap")}) {
    const std::vector<PaletteEntry> entries = found(desk, typed);
    const auto at = std::ranges::find(entries, id, &PaletteEntry::id);
    ASSERT_NE(at, entries.end()) << typed;
    EXPECT_LT(at - entries.begin(), 5) << typed;
  }
  EXPECT_TRUE(found(desk, "no such thing at all").empty());
}

TEST(Palette, NamesEveryThingOnceAndWhatCannotBeDoneLast) {
  Desk desk;
  std::set<std::string> names;
  bool is_past_possible = false;
  for (const PaletteEntry& entry : found(desk, "")) {
    EXPECT_TRUE(names.insert(entry.id).second) << entry.id;
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    if (!entry.obstacle.empty()) is_past_possible = true;
    EXPECT_TRUE(!is_past_possible || !entry.obstacle.empty()) << entry.id;
  }
  EXPECT_GT(names.size(), 80U);
}

TEST(Palette, IsTypedChosenByArrowsAndRunByEnter) {
  Desk desk;
  desk.press_control('K');
  desk.frames(3);
  ASSERT_TRUE(desk.view().passing.palette);
  desk.type("dark");
  desk.frames(2);
  desk.press_key(keys::named(ImGuiKey_DownArrow));
  desk.press_key(keys::named(ImGuiKey_UpArrow));
  desk.type(" theme");
  desk.frames(2);
  EXPECT_EQ(desk.view().passing.palette->typed, "dark theme");
  desk.press_key(keys::named(ImGuiKey_Enter));
  desk.frames(2);
  EXPECT_EQ(desk.view().theme, ThemeId::dark);
  EXPECT_FALSE(desk.view().passing.palette);
}

TEST(Palette, FramesTheControlThatIsFoundUntilTheNextClick) {
  Desk desk;
  desk.press_control('K');
  desk.frames(3);
  desk.type("soft cap");
  desk.frames(2);
  desk.press_key(keys::named(ImGuiKey_Enter));
  desk.frames(3);
  EXPECT_TRUE(desk.shows("setup/softcap")) << "below those that stand open";
  EXPECT_EQ(desk.view().passing.pointed, "setup/softcap");
  desk.click("setup/seed");
  EXPECT_EQ(desk.view().passing.pointed, "");
}

TEST(Palette, IsClickedAndLeftByEscape) {
  Desk desk;
  desk.press_control('K');
  desk.frames(3);
  desk.type("masked scores");
  desk.frames(2);
  desk.click("palette/stage/masked_scores");
  ASSERT_TRUE(desk.view().pinned);
  EXPECT_EQ(desk.view().pinned->stage, Stage::masked_scores);
  desk.press_control('K');
  desk.frames(3);
  desk.press_key(keys::named(ImGuiKey_Escape));
  desk.frames(3);
  EXPECT_FALSE(desk.view().passing.palette);
  EXPECT_TRUE(desk.view().pinned) << "Escape was the palette's";
}

}  // namespace
}  // namespace attnscope::test
