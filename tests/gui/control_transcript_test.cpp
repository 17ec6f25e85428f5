// What every control does: each is clicked as a session stands at some moment, and what became of the session is
// compared with what a person has read.

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>

#include "desk_input.h"
#include "document/json.h"
#include "study/study.h"
#include "support.h"
#include "tests/support/hard_documents.h"
#include "tests/support/letters_model.h"
#include "tests/support/transcript.h"
#include "transcript_documents.h"
#include "transcript_reader.h"
#include "ui/visible_text.h"
#include "viewing_desk.h"

namespace attnscope::test {
namespace {

const ImVec2 beside_the_middle{0.47F, 0.53F};  // which lies between two cells of some matrices
constexpr std::size_t most_before = 2;         // clicks, to a list of a menu's list

// A moment of a session.
struct Start {
  const char* name;
  std::function<Document()> document;
  ViewState view;
  std::vector<std::string_view> controls;  // what the names of those that are clicked begin with
  std::function<void(Desk&)> prepare = [](Desk&) {};
  bool has_keys = false;       // they are pressed, too
  bool is_held_alone = false;  // what is on the screen is not written: it depends on the system's fonts
};

ViewState view_of(Layout layout, bool has_setup = false) {
  ViewState view;
  view.layout = layout;
  view.batch = 1;
  view.head = 1;
  view.show_setup = has_setup;
  view.show_options = has_setup;
  view.setup_width = 600;
  view.docks_inspector = true;
  return view;
}

Source last_row(Stage stage) { return {.stage = stage, .batch = 1, .head = 1, .row = 5, .col = 3}; }

void pin(Desk& desk, const Source& cell) {
  desk.change_view([cell](ViewState& view) { look_at(view, cell); });
  desk.frames(3);
}

template <Stage stage>
void pin_last_row(Desk& desk) {
  pin(desk, last_row(stage));
}

void open_menu_of_cell(Desk& desk, const Source& cell) {
  pin(desk, cell);
  desk.press_key(keys::letter('M'));
  desk.settle();
}

template <ShowDialog::Kind kind>
void open_dialog(Desk& desk) {
  desk.session().push(ShowDialog{kind});
  desk.settle();
}

void open_step(Desk& desk, const char* lesson, std::size_t step) {
  desk.session().push(OpenLesson{lesson});
  desk.frames(2);
  desk.session().push(GoToStep{step});
  desk.settle();
}

// That chance or the computer decides about.
bool is_left_out(std::string_view name) {
  for (const std::string_view start :
       {"setup/dice", "setup/backend", "setup/threads", "menu/view/performance", "study/view"})
    if (name.starts_with(start)) return true;
  return name.ends_with("/edge");
}

bool can_be_clicked(const WidgetRegistry::Entry& entry) {
  const ImVec2 middle{(entry.min_screen.x + entry.max_screen.x) / 2, (entry.min_screen.y + entry.max_screen.y) / 2};
  const ImVec4& clip = entry.clip_screen;
  const bool is_seen = middle.x > clip.x && middle.x < clip.z && middle.y > clip.y && middle.y < clip.w;
  return is_seen && entry.enabled && entry.id != 0 && !window_over(middle, entry.window);
}

std::vector<std::string> names_of_controls(const Desk& desk) {
  std::vector<std::string> names;
  for (const WidgetRegistry::Entry& entry : desk.widgets().entries)
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

// What takes more than a click, at one of the starts.
struct Gesture {
  std::string_view start;
  std::string name;
  std::function<void(Desk&)> make;
};

// Types into a field, or over a slider, and presses Enter.
Gesture typed(std::string_view start, const std::string& field, const std::string& text, bool is_slider = false) {
  return {start, field + " ← " + text, [=](Desk& desk) {
            if (is_slider) {
              desk.control_click(field);
              desk.press_control('A');
              desk.type(text);
            } else {
              desk.replace_text(field, text);
            }
            desk.press_key(keys::named(ImGuiKey_Enter));
          }};
}

// Double clicks a cell of a stage.
Gesture twice(std::string_view start, Stage stage, Index row, Index col) {
  return {start, fmt::format("{} {},{} twice", info(stage).id, row, col), [=](Desk& desk) {
            const Desk::CellPlace place = desk.cell_place(stage, row, col);
            desk.click(place.widget, place.where);
            desk.press();
            desk.release();
          }};
}

// Drags from a cell over two others: to the right, and down.
Gesture dragged(std::string_view start, Stage stage, Index row, Index col) {
  return {start, fmt::format("{} dragged from {},{}", info(stage).id, row, col), [=](Desk& desk) {
            desk.hover_cell(stage, row, col);
            desk.press();
            desk.hover_cell(stage, row, col + 1);
            desk.hover_cell(stage, row + 1, col + 1);
            desk.release();
          }};
}

Gesture wheel(std::string_view start, Stage stage, float lines, bool is_control = false) {
  return {start, fmt::format("{}the wheel by {} over {}", is_control ? "Ctrl and " : "", lines, info(stage).id),
          [=](Desk& desk) {
            desk.hover_cell(stage, 4, 2);
            desk.hold_control(is_control);
            desk.scroll(lines);
            desk.hold_control(false);
          }};
}

const std::vector<Gesture>& gestures();

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
    start.prepare(made->desk);
    for (const std::string& name : before) made->desk.click(name, beside_the_middle);
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
    for (const std::string& name : names_of_controls(reader()->desk))
      if (is_asked_for(name)) click(name);
    for (const Gesture& gesture : gestures())
      if (gesture.start == GetParam().name) make(gesture);
    if (!GetParam().has_keys) return;
    for (const Key& key : keys_pressed) press(key);
  }

  std::string text_;

private:
  std::map<std::vector<std::string>, Reader::Sight> sights_;  // of the start, and after clicks on controls

  static std::filesystem::path folder() {
    return std::filesystem::current_path() / fmt::format("controls_{}/files", GetParam().name);
  }
  static bool is_asked_for(const std::string& name) {
    return std::ranges::any_of(GetParam().controls, [&](std::string_view start) { return name.starts_with(start); });
  }
  void write_changes(Reader& person, const std::string& heading) {
    person.write_changes(heading, GetParam().is_held_alone);
    text_ += person.text();
  }
  void make(const Gesture& gesture) {
    const std::unique_ptr<Reader> person = reader();
    gesture.make(person->desk);
    write_changes(*person, gesture.name);
  }
  void press(const Key& key) {
    const std::unique_ptr<Reader> person = reader();
    give_modifiers(key.is_control, key.is_shift, key.is_alt);
    person->desk.press_key(key.code());
    give_modifiers(false, false);
    person->desk.frames(2);
    write_changes(*person, fmt::format("the key {}", key.name));
  }
  // Clicks a control after others, writes what that changes, and goes on with what it brought if it is a list. There is
  // one desk at a time.
  void click(const std::string& name, const std::vector<std::string>& before = {}) {
    std::vector<std::string> path = before;
    path.push_back(name);
    for (const std::string& item : what_a_click_brings(name, before)) click(item, path);
  }
  std::vector<std::string> what_a_click_brings(const std::string& name, const std::vector<std::string>& before) {
    const std::unique_ptr<Reader> person = reader(before);
    const std::vector<std::string> were = names_of_controls(person->desk);
    const bool opens = person->desk.widget(name).opens;
    person->desk.click(name, beside_the_middle);
    write_changes(*person, before.empty() ? name : fmt::format("{}, {}", before.back(), name));
    if (!opens || before.size() == most_before) return {};
    std::vector<std::string> names = names_of_controls(person->desk);
    std::erase_if(names, [&](const std::string& item) { return std::ranges::find(were, item) != were.end(); });
    return names;
  }
};

ViewState with_card(ViewState view) {
  view.docks_inspector = false;
  return view;
}

ViewState of_entry(Index batch, Index head) {
  ViewState view = view_of(Layout::focus);
  view.batch = batch;
  view.head = head;
  return view;
}

template <Stage stage>
void pin_of_entry(Desk& desk) {
  pin(desk, {.stage = stage, .batch = 0, .head = 2, .row = 4, .col = 3});
}

ViewState side_by_side() {
  ViewState view = view_of(Layout::focus);
  view.side = ComparedSide::side_by_side;
  return view;
}

ViewState of_study(std::string_view id) {
  ViewState view = view_of(Layout::study);
  view.study.id = id;
  return view;
}

void present(Desk& desk) {
  desk.session().push(UpdateView{[](ViewState& view) {
    view.passing.presenting = Presenting{.step = 3, .has_moved = true, .is_blank = false, .spot = {}};
  }});
  desk.settle();
}

void predict(Desk& desk) {
  pin_last_row<Stage::weights>(desk);
  desk.press_key(keys::letter('P'));
  desk.settle();
}

void export_figure(Desk& desk) {
  pin_last_row<Stage::weights>(desk);
  desk.press_control('E');
  desk.frames(2);
  desk.settle();
}

// As numbered pictures, of which the last one is there already.
void export_sweep(Desk& desk) {
  put_text(std::filesystem::path(desk.view().figure_folder) / "attention-weights-seed-020.png", "old");
  export_figure(desk);
  desk.click("figure/sweep");
  desk.settle();
}

template <char key>
void find(Desk& desk, std::string_view text) {
  desk.press_control(key);
  desk.frames(2);
  desk.type(text);
  desk.settle();
}

void open_file(Desk& desk, const char* name) {
  desk.session().push(OpenFile{std::filesystem::path(desk.view().document_folder) / name});
  desk.frames(2);
  desk.settle();
}

void see_layers(Desk& desk) { open_file(desk, "attn.npy"); }

void see_one_layer(Desk& desk) {
  see_layers(desk);
  desk.click("view/heads");
  desk.settle();
}

// A picture that carries the document, of another head than it opens with.
void open_picture(Desk& desk) {
  export_figure(desk);
  desk.choose("figure/head", "2");
  desk.replace_text("dialog/name", "picture.png");
  desk.click("dialog/accept");
  desk.settle();
  open_file(desk, "picture.png");
}

void learn_over_picture(Desk& desk) {
  open_picture(desk);
  desk.press_key(keys::letter('4'));
  open_step(desk, "weights", 1);
}

Document many_tokens() { return parse_document(R"({"inputs": {"randn": [80, 70]}, "d_out": 4, "num_heads": 2})"); }

Document causal() {
  Document document = hard_document();
  document.config.mask = MaskRoute::causal;
  check(document);
  return document;
}

void lose_changes(Desk& desk) {
  desk.press_key(keys::letter('H'));
  desk.press_control('N');
  desk.settle();
}

std::vector<Start> starts() {
  using Kind = ShowDialog::Kind;
  const ViewState focus = view_of(Layout::focus);
  const Source dropped{.stage = Stage::dropped_weights, .batch = 1, .head = 2, .row = 4, .col = 3};
  const auto menu_of = [](const Source& cell) { return [cell](Desk& desk) { open_menu_of_cell(desk, cell); }; };
  std::vector<Start> all = {
      {"setup",
       hard_document,
       view_of(Layout::focus, true),
       {"setup/", "tokens/add", "tokens/re", "tokens/ra", "tokens/p", "tokens/s", "tokens/1/", "why/setup"}},
      {"setup_of_the_first",
       [] { return of_mechanism(Mechanism::self_attention_v1); },
       view_of(Layout::focus, true),
       {"setup/mech", "setup/mask", "setup/scale", "setup/weight", "tokens/remove"}},
      {"menus", typed_by_hand, focus, {"menu/"}, pin_last_row<Stage::weights>},
      {"diagram",
       typed_by_hand,
       view_of(Layout::diagram),
       {"view/", "inspector", "status", "stages/W_key", "stages/dropped_weights", "stages/inputs", "why/stages"},
       pin_last_row<Stage::dropped_weights>,
       true},
      {"inspector_card",
       typed_by_hand,
       with_card(focus),
       {"inspector"},
       [](Desk& desk) { pin(desk, {.stage = Stage::key_weight, .row = 5, .col = 1}); }},
      {"heads",
       typed_by_hand,
       view_of(Layout::heads),
       {"view/d", "view/f", "view/b", "stages/"},
       pin_last_row<Stage::weights>,
       true},
      {"focus",
       hard_document,
       focus,
       {"view/stage", "view/head", "view/batch", "focus/", "why/"},
       pin_last_row<Stage::inputs>,
       true},
      {"other_entry", typed_by_hand, of_entry(0, 2), {"view/b", "view/h"}, pin_of_entry<Stage::dropped_weights>},
      {"weights", hard_document, focus, {}, pin_last_row<Stage::weights>},
      {"masked_scores", hard_document, focus, {}, pin_last_row<Stage::masked_scores>},
      {"cell_of_weights", typed_by_hand, focus, {"cell/"}, menu_of(dropped)},
      {"cell_of_mask", hard_document, focus, {"cell/"}, menu_of(last_row(Stage::masked_scores))},
      {"cell_of_keys",
       heads_that_share_keys,
       focus,
       {"cell/"},
       menu_of({.stage = Stage::key_weight, .row = 1, .col = 2})},
      {"cell_of_inputs", hard_document, focus, {"cell/"}, menu_of({.stage = Stage::inputs, .row = 1, .col = 2})},
      {"comparison",
       compared,
       focus,
       {"compare/", "view/d", "view/h", "menu/compare", "status"},
       pin_last_row<Stage::weights>,
       true},
      {"side_by_side", compared_with_other_tokens, side_by_side(), {"compare/", "stages/", "view/d", "view/h"}},
      {"lesson", default_document, focus, {"lesson/"}, [](Desk& desk) { open_step(desk, "mask", 1); }, true},
      {"lesson_end", hard_document, focus, {"lesson/"}, [](Desk& desk) { open_step(desk, "mask", 99); }},
      {"prediction", hard_document, focus, {"predict/", "stages/"}, predict, true},
      {"figure", hard_document, focus, {"figure/", "dialog/"}, export_figure, false, true},
      {"figure_sweep",
       hard_document,
       focus,
       {"figure/sweep", "figure/series", "figure/anim", "figure/rate", "figure/once", "figure/param", "figure/fr",
        "figure/format", "dialog/accept"},
       export_sweep,
       false,
       true},
      {"open", hard_document, focus, {"dialog/"}, open_dialog<Kind::open>, true, true},
      {"save_as", hard_document, focus, {"dialog/"}, open_dialog<Kind::save_as>, false, true},
      {"export_weights", hard_document, focus, {"dialog/"}, open_dialog<Kind::export_weights>, false, true},
      {"folder", hard_document, focus, {"dialog/"}, open_dialog<Kind::screenshot_folder>, false, true},
      {"unsaved", hard_document, focus, {"dialog/"}, lose_changes, false, true},
      {"picture", hard_document, focus, {"menu/file"}, open_picture},
      {"lesson_over_picture", hard_document, focus, {"lesson/close"}, learn_over_picture},
      {"setup_of_many", many_tokens, view_of(Layout::focus, true), {"tokens/a", "tokens/r"}},
      {"setup_of_causal", causal, view_of(Layout::focus, true), {"setup/mask_a"}},
      {"go_to", hard_document, focus, {"go_to/"}, [](Desk& desk) { find<'F'>(desk, "st"); }},
      {"palette", hard_document, focus, {"palette/"}, [](Desk& desk) { find<'K'>(desk, "head"); }, true},
      {"presenting", hard_document, view_of(Layout::diagram), {"present"}, present, true},
      {"layers", hard_document, focus, {"viewing/", "layers/", "view/d", "view/h", "view/f"}, see_layers, true},
      {"layers_file", hard_document, focus, {"menu/file", "menu/edit"}, see_layers, false, true},
      {"layer", hard_document, focus, {"viewing/", "view/", "tokens/"}, see_one_layer, true},
      {"model",
       [] { return document_of_model("/models/letters"); },
       view_of(Layout::model),
       {"model/", "view/"},
       [](Desk& desk) { desk.settle(); },
       true},
      {"model_layer",
       [] { return document_of_model("/models/other", R"(, "layer": 1)"); },
       view_of(Layout::diagram, true),
       {"view/model", "model/", "setup/h", "setup/rope", "setup/so", "setup/d_", "tokens/"}},
  };
  for (const StudyInfo& study : studies())
    all.push_back({study.id.data(), hard_document, of_study(study.id), {"study/", "board/"}});
  return all;
}

const std::vector<Gesture>& gestures() {
  static const std::vector<Gesture> all = {
      typed("setup", "tokens/1/0", "0.5", true),
      typed("setup", "tokens/1/0", "half", true),
      typed("setup", "tokens/1/name", "two words"),
      typed("setup", "setup/seed", "7"),
      typed("setup", "setup/d_out", "12", true),
      typed("setup", "setup/d_out", "7", true),
      typed("setup", "setup/num_heads", "2", true),
      typed("setup", "setup/dropout", "2", true),
      typed("setup", "setup/softcap", "0.5", true),
      typed("setup", "setup/softcap", "-1", true),
      typed("setup", "setup/num_kv_heads", "1"),
      typed("setup", "setup/num_kv_heads", "2"),
      typed("setup", "setup/scale_factor", "3", true),
      typed("setup", "setup/skip_draws", "5"),
      typed("setup", "setup/dropout_seed", "9"),
      typed("setup_of_causal", "setup/sliding_window", "2"),
      typed("setup_of_causal", "setup/batch_size", "1", true),
      typed("figure", "figure/width", "90"),
      typed("figure", "figure/width", "5"),
      typed("figure", "figure/font_size", "9", true),
      typed("figure", "figure/title", "A {title}"),
      typed("figure", "dialog/name", "other.svg"),
      typed("figure", "dialog/name", "other.xyz"),
      typed("figure_sweep", "figure/sweep/first", "1, 5, 9"),
      typed("figure_sweep", "figure/sweep/step", "0"),
      typed("save_as", "dialog/name", "other.json"),
      typed("save_as", "dialog/name", "missing/a.json"),
      typed("open", "dialog/name", "other.json"),
      typed("open", "dialog/name", "nothing.json"),
      typed("model_layer", "model/text", "abz"),
      typed("model_layer", "model/text", "ab"),
      typed("go_to", "go_to/text", "step"),
      typed("go_to", "go_to/text", "3"),
      typed("go_to", "go_to/text", "nobody"),
      twice("weights", Stage::weights, 3, 1),
      twice("weights", Stage::weights, 4, 0),
      twice("masked_scores", Stage::masked_scores, 0, 3),
      twice("diagram", Stage::inputs, 2, 1),
      twice("diagram", Stage::key_weight, 1, 2),
      twice("diagram", Stage::dropout_factors, 4, 3),
      twice("diagram", Stage::scores, 4, 3),
      dragged("masked_scores", Stage::masked_scores, 2, 1),
      dragged("diagram", Stage::dropped_weights, 3, 0),
      dragged("diagram", Stage::inputs, 1, 0),
      dragged("comparison", Stage::weights, 2, 0),
      {"model", "a document without a model is opened", [](Desk& desk) { open_file(desk, "other.json"); }},
      {"dropout", "the attention weights are exported instead",
       [](Desk& desk) {
         desk.press_control('E');
         desk.frames(2);
         desk.choose("figure/stage", "weights");
       }},
      {"presenting", "blank, and the next stage",
       [](Desk& desk) {
         desk.press_key(keys::letter('B'));
         desk.press_key(keys::named(ImGuiKey_RightArrow));
       }},
      {"model", "to a head and back, to Focus, and Escape",
       [](Desk& desk) {
         desk.click("model/1/1");
         desk.settle();
         desk.press_key(keys::named(ImGuiKey_Escape));
         desk.settle();
         desk.click("view/focus");
         desk.settle();
         desk.press_key(keys::named(ImGuiKey_Escape));
       }},
      {"inspector_card", "Ctrl+Up",
       [](Desk& desk) {
         desk.hold_control(true);
         desk.press_key(keys::named(ImGuiKey_UpArrow));
         desk.hold_control(false);
       }},
      {"diagram", "how an output was computed is copied",
       [](Desk& desk) {
         pin(desk, {.stage = Stage::output, .batch = 1, .row = 4, .col = 3});
         desk.click("inspector/copy");
         desk.click("inspector/copy/text");
       }},
      wheel("weights", Stage::weights, 2),
      wheel("weights", Stage::weights, 2, true),
      wheel("diagram", Stage::weights, 3),
      wheel("diagram", Stage::weights, 3, true),
      wheel("comparison", Stage::weights, -2, true),
  };
  return all;
}

void PrintTo(const Start& start, std::ostream* out) { *out << start.name; }

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
