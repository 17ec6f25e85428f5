// What every control does: each is clicked as a session stands at some moment, and what became of the session is
// compared with what a person has read.

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "control_starts.h"
#include "document/json.h"
#include "headless_app_input.h"
#include "support.h"
#include "tests/support/hard_documents.h"
#include "tests/support/transcript.h"
#include "transcript_reader.h"
#include "ui/widget_registry.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

const ImVec2 beside_the_middle{0.47F, 0.53F};  // which lies between two cells of some matrices
constexpr std::size_t most_before = 2;         // clicks, to a list of a menu's list

// That chance or the computer decides about.
bool is_left_out(std::string_view name) {
  for (const std::string_view start :
       {"setup/dice", "settings/backend", "settings/threads", "settings/view/timing", "study/view"})
    if (name.starts_with(start)) return true;
  return name.ends_with("/edge");
}

bool can_be_clicked(const WidgetRegistry::Entry& entry) {
  const ImVec2 middle{(entry.min_screen.x + entry.max_screen.x) / 2, (entry.min_screen.y + entry.max_screen.y) / 2};
  const ImVec4& clip = entry.clip_screen;
  const bool is_seen = middle.x > clip.x && middle.x < clip.z && middle.y > clip.y && middle.y < clip.w;
  return is_seen && entry.enabled && entry.id != 0 && !window_over(middle, entry.window);
}

std::vector<std::string> names_of_controls(const HeadlessApp& app) {
  std::vector<std::string> names;
  for (const WidgetRegistry::Entry& entry : app.widgets().entries)
    if (can_be_clicked(entry) && !is_left_out(entry.name)) names.push_back(entry.name);
  return names;
}

struct Key {
  const char* name;
  int (*code)();
  bool is_control = false;
  bool is_shift = false;
  bool is_alt = false;
};

template <ImGuiKey key>
int named_key() {
  return keys::named(key);
}
template <char key>
int letter_key() {
  return keys::letter(key);
}

constexpr Key keys_pressed[] = {
    {"Left", named_key<ImGuiKey_LeftArrow>},
    {"Right", named_key<ImGuiKey_RightArrow>},
    {"Up", named_key<ImGuiKey_UpArrow>},
    {"Down", named_key<ImGuiKey_DownArrow>},
    {"Shift+Down", named_key<ImGuiKey_DownArrow>, false, true},
    {"Alt+Left", named_key<ImGuiKey_LeftArrow>, false, false, true},
    {"Space", named_key<ImGuiKey_Space>},
    {"Enter", named_key<ImGuiKey_Enter>},
    {"Escape", named_key<ImGuiKey_Escape>},
    {"Delete", named_key<ImGuiKey_Delete>},
    {"Tab", named_key<ImGuiKey_Tab>},
    {"Home", named_key<ImGuiKey_Home>},
    {"End", named_key<ImGuiKey_End>},
    {"Page Down", named_key<ImGuiKey_PageDown>},
    {"Page Up", named_key<ImGuiKey_PageUp>},
    {"A", letter_key<'A'>},
    {"B", letter_key<'B'>},
    {"C", letter_key<'C'>},
    {"D", letter_key<'D'>},
    {"H", letter_key<'H'>},
    {"N", letter_key<'N'>},
    {"P", letter_key<'P'>},
    {"Shift+P", letter_key<'P'>, false, true},
    {"S", letter_key<'S'>},
    {"V", letter_key<'V'>},
    {"Ctrl+C", letter_key<'C'>, true},
    {"Ctrl+V", letter_key<'V'>, true},
    {"Ctrl+D", letter_key<'D'>, true},
    {"Ctrl+Z", letter_key<'Z'>, true},
};

class ControlTranscript : public testing::TestWithParam<Start> {
protected:
  // Someone who is at the start, and has clicked `before`.
  std::unique_ptr<Reader> reader(const std::vector<std::string>& before = {}) {
    const Start& start = GetParam();
    const std::filesystem::path folder = this->folder();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "more");
    put_text(folder / "other.json", to_json(hard_given(5, 3)));
    put_text(folder / "names.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    put_text(folder / "broken.json", "{");
    put_text(folder / "attn.npy", weights_npy({4, 3, 6, 6}));
    ViewState view = start.view;
    view.document_folder = view.figure_folder = view.screenshot_folder = folder.string();
    auto made = std::make_unique<Reader>(start.document(), view);
    start.prepare(made->app);
    for (const std::string& name : before) made->app.click(name, beside_the_middle);
    const auto [sight, is_new] = sights_.try_emplace(before);
    if (is_new) {
      made->look();
      sight->second = made->sight();
    } else {
      made->look_as(sight->second);
    }
    return made;
  }
  void TearDown() override { std::filesystem::remove_all(folder().parent_path()); }

  void walk() {
    for (const std::string& name : names_of_controls(reader()->app))
      if (is_asked_for(name)) click(name);
    for (const Gesture& gesture : gestures())
      if (gesture.start == GetParam().name) make(gesture);
    if (!GetParam().has_keys) return;
    for (const Key& key : keys_pressed) press(key);
  }

  std::string text_;

private:
  std::map<std::vector<std::string>, Reader::Sight> sights_;  // of the start, and after clicks on controls

  // Of this process: the same test may run in others at the same time.
  static std::filesystem::path folder() { return place_of_files(GetParam().name); }
  static bool is_asked_for(const std::string& name) {
    return std::ranges::any_of(GetParam().controls, [&](std::string_view start) { return name.starts_with(start); });
  }
  void write_changes(Reader& person, const std::string& heading) {
    person.write_changes(heading, GetParam().is_held_alone);
    text_ += person.text();
  }
  void make(const Gesture& gesture) {
    const std::unique_ptr<Reader> person = reader();
    gesture.make(person->app);
    write_changes(*person, gesture.name);
  }
  void press(const Key& key) {
    const std::unique_ptr<Reader> person = reader();
    give_modifiers(key.is_control, key.is_shift, key.is_alt);
    person->app.press_key(key.code());
    give_modifiers(false, false);
    person->app.frames(2);
    write_changes(*person, fmt::format("the key {}", key.name));
  }
  // Clicks a control after others, writes what that changes, and goes on with what it brought if it is a list. There is
  // one app at a time.
  void click(const std::string& name, const std::vector<std::string>& before = {}) {
    std::vector<std::string> path = before;
    path.push_back(name);
    for (const std::string& item : what_a_click_brings(name, before)) click(item, path);
  }
  std::vector<std::string> what_a_click_brings(const std::string& name, const std::vector<std::string>& before) {
    const std::unique_ptr<Reader> person = reader(before);
    const std::vector<std::string> were = names_of_controls(person->app);
    const bool opens = person->app.widget(name).opens;
    if (name.starts_with("study/")) {  // what follows the pointer is computed anew, and may stand elsewhere then
      person->app.move_to(name, beside_the_middle);
      person->app.settle();
    }
    person->app.click(name, beside_the_middle);
    write_changes(*person, before.empty() ? name : fmt::format("{}, {}", before.back(), name));
    if (!opens || before.size() == most_before) return {};
    std::vector<std::string> names = names_of_controls(person->app);
    std::erase_if(names, [&](const std::string& item) { return std::ranges::find(were, item) != were.end(); });
    return names;
  }
};

TEST_P(ControlTranscript, IsAsItWasRead) {
#if IMGUI_VERSION_NUM >= 18700
  GTEST_SKIP() << "They were read with Dear ImGui 1.86: later ones have other sliders and tooltips.";
#endif
  walk();
  expect_transcript(fmt::format("controls_{}", GetParam().name), text_);
}

std::string start_name(const testing::TestParamInfo<Start>& start) { return start.param.name; }

INSTANTIATE_TEST_SUITE_P(Window, ControlTranscript, testing::ValuesIn(starts()), start_name);

}  // namespace
}  // namespace attnscope::test
