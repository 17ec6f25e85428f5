#include "control_starts.h"

#include <fmt/format.h>

#include <filesystem>

#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app_input.h"
#include "support.h"
#include "teach/teaching_view.h"
#include "tests/support/hard_documents.h"
#include "transcript_documents.h"

namespace attnscope::test {
namespace {

ViewState view_of(ViewMode layout, bool has_setup = false) {
  ViewState view;
  view.mode = layout;
  view.batch = 1;
  view.head = 1;
  view.show_setup = has_setup;
  view.show_options = has_setup;
  view.setup_width = 600;
  view.docks_inspector = true;
  return view;
}

Source last_row(Stage stage) { return {.stage = stage, .batch = 1, .head = 1, .row = 5, .col = 3}; }

void pin(HeadlessApp& app, const Source& cell) {
  app.change_view([cell](ViewState& view) { look_at(view, cell); });
  app.frames(3);
}

template <Stage stage>
void pin_last_row(HeadlessApp& app) {
  pin(app, last_row(stage));
}

void open_menu_of_cell(HeadlessApp& app, const Source& cell) {
  pin(app, cell);
  app.press_key(keys::letter('M'));
  app.settle();
}

template <DialogState::Kind kind>
void open_dialog(HeadlessApp& app) {
  app.show_dialog(kind);
}

void open_step(HeadlessApp& app, const char* lesson, std::size_t step) {
  app.open_lesson(lesson);
  app.call([step](const Controllers& to) { to.lessons.go_to_step(step); });
}

// Types into a field, or over a slider, and presses Enter.
Gesture typed(std::string_view start, const std::string& field, const std::string& text, bool is_slider = false) {
  return {start, field + " ← " + text, [=](HeadlessApp& app) {
            if (is_slider) {
              app.control_click(field);
              app.press_control('A');
              app.type(text);
            } else {
              app.replace_text(field, text);
            }
            app.press_key(keys::named(ImGuiKey_Enter));
          }};
}

// Double clicks a cell of a stage.
Gesture twice(std::string_view start, Stage stage, Index row, Index col) {
  return {start, fmt::format("{} {},{} twice", info(stage).id, row, col), [=](HeadlessApp& app) {
            const HeadlessApp::CellPlace place = app.cell_place(stage, row, col);
            app.click(place.widget, place.where);
            app.press();
            app.release();
          }};
}

// Drags from a cell over two others: to the right, and down.
Gesture dragged(std::string_view start, Stage stage, Index row, Index col) {
  return {start, fmt::format("{} dragged from {},{}", info(stage).id, row, col), [=](HeadlessApp& app) {
            app.hover_cell(stage, row, col);
            app.press();
            app.hover_cell(stage, row, col + 1);
            app.hover_cell(stage, row + 1, col + 1);
            app.release();
          }};
}

Gesture wheel(std::string_view start, Stage stage, float lines, bool is_control = false) {
  return {start, fmt::format("{}the wheel by {} over {}", is_control ? "Ctrl and " : "", lines, info(stage).id),
          [=](HeadlessApp& app) {
            app.hover_cell(stage, 4, 2);
            app.hold_control(is_control);
            app.scroll(lines);
            app.hold_control(false);
          }};
}

ViewState with_card(ViewState view) {
  view.docks_inspector = false;
  return view;
}

ViewState of_entry(Index batch, Index head) {
  ViewState view = view_of(ViewMode::focus);
  view.batch = batch;
  view.head = head;
  return view;
}

template <Stage stage>
void pin_of_entry(HeadlessApp& app) {
  pin(app, {.stage = stage, .batch = 0, .head = 2, .row = 4, .col = 3});
}

ViewState side_by_side() {
  ViewState view = view_of(ViewMode::focus);
  view.side = ComparedSide::side_by_side;
  return view;
}

ViewState of_study(std::string_view id) {
  ViewState view = view_of(ViewMode::study);
  view.study.id = id;
  return view;
}

void present(HeadlessApp& app) {
  change_view(app.session().queue(), [](ViewState& view) {
    view.transient.presenting = Presenting{.step = 3, .has_moved = true, .is_blank = false, .spot = {}};
  });
  app.settle();
}

void predict(HeadlessApp& app) {
  pin_last_row<Stage::weights>(app);
  app.press_key(keys::letter('P'));
  app.settle();
}

void export_figure(HeadlessApp& app) {
  pin_last_row<Stage::weights>(app);
  app.press_control('E');
  app.settle();
}

// As numbered pictures, of which the last one is there already.
void export_sweep(HeadlessApp& app) {
  put_text(std::filesystem::path(app.view().figure_folder) / "attention-weights-seed-020.png", "old");
  export_figure(app);
  app.click("figure/sweep");
  app.settle();
}

template <char key>
void find(HeadlessApp& app, std::string_view text) {
  app.press_control(key);
  app.type(text);
  app.settle();
}

void open_file(HeadlessApp& app, const char* name) {
  app.call([path = std::filesystem::path(app.view().document_folder) / name](const Controllers& to) {
    to.reading.open(path);
  });
  app.settle();
}

void see_layers(HeadlessApp& app) { open_file(app, "attn.npy"); }

void see_one_layer(HeadlessApp& app) {
  see_layers(app);
  app.click("view/heads");
  app.settle();
}

// A picture that carries the document, of another head than it opens with.
void open_picture(HeadlessApp& app) {
  export_figure(app);
  app.choose("figure/head", "2");
  app.replace_text("dialog/name", "picture.png");
  app.click("dialog/accept");
  app.settle();
  open_file(app, "picture.png");
}

void learn_over_picture(HeadlessApp& app) {
  open_picture(app);
  app.press_key(keys::letter('4'));
  open_step(app, "weights", 1);
}

Document many_tokens() { return parse_document(R"({"inputs": {"randn": [80, 70]}, "d_out": 4, "num_heads": 2})"); }

Document causal() {
  Document document = hard_document();
  document.config.mask = MaskRoute::causal;
  check(document);
  return document;
}

void lose_changes(HeadlessApp& app) {
  app.press_key(keys::letter('O'));
  app.press_control('N');
  app.settle();
}

}  // namespace

std::vector<Start> starts() {
  using Kind = DialogState::Kind;
  const ViewState focus = view_of(ViewMode::focus);
  const Source dropped{.stage = Stage::dropped_weights, .batch = 1, .head = 2, .row = 4, .col = 3};
  const auto menu_of = [](const Source& cell) { return [cell](HeadlessApp& app) { open_menu_of_cell(app, cell); }; };
  std::vector<Start> all = {
      {"setup",
       hard_document,
       view_of(ViewMode::focus, true),
       {"setup/", "tokens/add", "tokens/re", "tokens/ra", "tokens/p", "tokens/s", "tokens/1/", "why/setup"}},
      {"setup_of_the_first",
       [] { return of_mechanism(Mechanism::self_attention_v1); },
       view_of(ViewMode::focus, true),
       {"setup/mech", "setup/mask", "setup/scale", "setup/weight", "tokens/remove"}},
      {"menus", typed_by_hand, focus, {"menu/"}, pin_last_row<Stage::weights>},
      {"diagram",
       typed_by_hand,
       view_of(ViewMode::diagram),
       {"view/", "inspector", "status", "stages/W_key", "stages/dropped_weights", "stages/inputs", "why/stages"},
       pin_last_row<Stage::dropped_weights>,
       true},
      {"inspector_card",
       typed_by_hand,
       with_card(focus),
       {"inspector"},
       [](HeadlessApp& app) { pin(app, {.stage = Stage::key_weight, .row = 5, .col = 1}); }},
      {"heads",
       typed_by_hand,
       view_of(ViewMode::heads),
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
      {"lesson", default_document, focus, {"lesson/"}, [](HeadlessApp& app) { open_step(app, "mask", 1); }, true},
      {"lesson_end", hard_document, focus, {"lesson/"}, [](HeadlessApp& app) { open_step(app, "mask", 99); }},
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
      {"setup_of_many", many_tokens, view_of(ViewMode::focus, true), {"tokens/a", "tokens/r"}},
      {"setup_of_causal", causal, view_of(ViewMode::focus, true), {"setup/mask_a"}},
      {"go_to", hard_document, focus, {"go_to/"}, [](HeadlessApp& app) { find<'F'>(app, "st"); }},
      {"palette", hard_document, focus, {"palette/"}, [](HeadlessApp& app) { find<'K'>(app, "head"); }, true},
      {"presenting", hard_document, view_of(ViewMode::diagram), {"present"}, present, true},
      {"layers", hard_document, focus, {"viewing/", "layers/", "view/d", "view/h", "view/f"}, see_layers, true},
      {"layers_file", hard_document, focus, {"menu/file", "menu/edit"}, see_layers, false, true},
      {"layer", hard_document, focus, {"viewing/", "view/", "tokens/"}, see_one_layer, true},
      {"model",
       [] { return document_of_model("/models/letters"); },
       view_of(ViewMode::model),
       {"model/", "view/"},
       [](HeadlessApp& app) { app.settle(); },
       true},
      {"model_layer",
       [] { return document_of_model("/models/other", R"(, "layer": 1)"); },
       view_of(ViewMode::diagram, true),
       {"view/model", "model/", "setup/h", "setup/rope", "setup/so", "setup/d_", "tokens/"}},
  };
  for (const TeachingViewInfo& study : studies())
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
      {"model", "a document without a model is opened", [](HeadlessApp& app) { open_file(app, "other.json"); }},
      {"dropout", "the attention weights are exported instead",
       [](HeadlessApp& app) {
         app.press_control('E');
         app.choose("figure/stage", "weights");
       }},
      {"presenting", "blank, and the next stage",
       [](HeadlessApp& app) {
         app.press_key(keys::letter('B'));
         app.press_key(keys::named(ImGuiKey_RightArrow));
       }},
      {"model", "to a head and back, to Focus, and Escape",
       [](HeadlessApp& app) {
         app.click("model/1/1");
         app.settle();
         app.press_key(keys::named(ImGuiKey_Escape));
         app.settle();
         app.click("view/focus");
         app.settle();
         app.press_key(keys::named(ImGuiKey_Escape));
       }},
      {"inspector_card", "Ctrl+Up",
       [](HeadlessApp& app) {
         app.hold_control(true);
         app.press_key(keys::named(ImGuiKey_UpArrow));
         app.hold_control(false);
       }},
      {"diagram", "how an output was computed is copied",
       [](HeadlessApp& app) {
         pin(app, {.stage = Stage::output, .batch = 1, .row = 4, .col = 3});
         app.click("inspector/copy");
         app.click("inspector/copy/text");
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
