#include "control_starts.h"

#include <fmt/format.h>

#include <filesystem>

#include "desk_input.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "study/study.h"
#include "support.h"
#include "tests/support/hard_documents.h"
#include "transcript_documents.h"

namespace attnscope::test {
namespace {

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
  desk.settle();
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

}  // namespace

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

}  // namespace attnscope::test
