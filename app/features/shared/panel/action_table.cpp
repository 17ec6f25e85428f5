#include <fmt/format.h>

#include <vector>

#include "features/compare/panel/comparison.h"
#include "features/edit/panel/cell_edits.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/inspect/panel/inspector.h"
#include "features/lessons/lesson_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "files/document_file.h"
#include "platform/system/process.h"
#include "session/ui_state.h"

namespace attnscope {
namespace {

using Queue = CallQueue;
using Context = ViewContext;
using To = const Controllers&;

constexpr Chord control(char key) { return {.key = key, .control = true}; }
constexpr Chord control_shift(char key) { return {.key = key, .control = true, .shift = true}; }
constexpr Chord alt(char key, Chord::When when = Chord::When::not_typing) {
  return {.key = key, .alt = true, .when = when};
}
constexpr Chord function_key(int number) { return {.function = number}; }

template <auto what>
void call(const Context&, Queue& queue) {
  queue.push(what);
}

template <DialogState::Kind kind>
void show(const Context&, Queue& queue) {
  show_dialog(queue, kind);
}

// Changes how the document is looked at.
template <auto how>
void change(const Context&, Queue& queue) {
  change_view(queue, how);
}

// An action that turns something on and off.
template <bool ViewState::*flag>
constexpr Action switch_of(Action row) {
  row.run = change<[](ViewState& state) { state.*flag = !(state.*flag); }>;
  row.is_on = [](const Context& context) { return context.now.view.*flag; };
  return row;
}

template <ThemeId theme>
void toggle_theme(const Context&, Queue& queue) {
  change_view(queue, [](ViewState& state) { state.theme = state.theme == theme ? ThemeId::light : theme; });
}

template <ThemeId theme>
bool has_theme(const Context& context) {
  return context.now.view.theme == theme;
}

template <bool is_for_clipboard>
void take_screenshot(const Context& context, Queue& queue) {
  queue.push([scale = context.now.view.screenshot_scale](To to) { to.screenshots.take({scale, is_for_clipboard}); });
}

template <bool goes_on>
void step_lesson(const Context& context, Queue& queue) {
  const std::size_t now = context.now.lesson.step;
  queue.push([step = goes_on ? now + 1 : now - 1](To to) { to.lessons.go_to_step(step); });
}

bool is_zoomed(const Context& context) {
  const MapState& map = context.now.view.map;
  return map.window || map.feature_share < 1;
}

std::string no_weights(const Context& context) {
  const bool has_weights = info(context.now.document.config.mechanism).weight_style != WeightStyle::none;
  return has_weights ? std::string(viewing_reason(context)) : "This mechanism has no weight matrices.";
}

std::string undo_label(const UiState& now) { return undoes_lesson(now) ? now.draft->undo_label : now.undo_label; }
std::string redo_label(const UiState& now) { return redoes_lesson(now) ? now.draft->redo_label : now.redo_label; }

// Returns whether the open lesson is the one that is being made, as a student sees it.
bool is_trying(const UiState& now) { return now.draft && now.lesson.lesson; }

bool edits_lesson(const UiState& now) { return now.draft && !now.lesson.lesson; }

void edit_lesson(const Context& context, Queue& queue) {
  if (is_trying(context.now)) return queue.push([](To to) { to.lessons.close(); });
  queue.push([lesson = context.now.lesson.lesson](To to) {
    to.lessons.close();
    to.lesson_editor.begin_with(lesson);
  });
}

std::string named(const char* verb, const std::string& label) {
  return label.empty() ? verb : fmt::format("{} {}", verb, label);
}

constexpr Action all[] = {
    {.id = "file/new",
     .label = "New",
     .chord = control('N'),
     .in_page = alt('N'),
     .run = call<[](To to) { to.reading.new_document(); }>},
    {.id = "file/open", .label = "Open…", .chord = control('O'), .run = show<DialogState::Kind::open>},
    {.id = "file/examples", .label = "Examples…", .run = show<DialogState::Kind::examples>},
    {.id = "file/restore", .label = "Restore unsaved changes…", .run = show<DialogState::Kind::restore>},
    {.id = "file/save",
     .label = "Save",
     .chord = {.key = 'S', .control = true, .when = Chord::When::no_dialog},
     .run =
         [](const Context& context, Queue& queue) {
           queue.push([is_lesson = edits_lesson(context.now)](To to) {
             is_lesson ? to.lesson_editor.save() : to.files.save();
           });
         },
     .label_now = [](const Context& context) -> std::string {
       return edits_lesson(context.now) ? "Save the lesson" : "Save";
     }},
    {.id = "file/save_as", .label = "Save as…", .chord = control_shift('S'), .run = show<DialogState::Kind::save_as>},
    {.id = "file/export_weights",
     .label = "Export weights…",
     .run = show<DialogState::Kind::export_weights>,
     .obstacle = no_weights},
    {.id = "file/figure",
     .label = "Export figure…",
     .chord = control('E'),
     .run = show<DialogState::Kind::figure>,
     .obstacle = [](const Context& context) -> std::string {
       return context.now.result() ? obstacle_of_cover(context.now)
                                   : "The numbers of this document are still being computed.";
     }},
    {.id = "file/page",
     .label = "Export page…",
     .help = "this document or lesson as one file that any browser opens, without attnscope",
     .run = show<DialogState::Kind::export_page>,
     .obstacle = [](const Context& context) -> std::string {
       if (context.now.page.empty()) return std::string(no_page);
       return lesson_on_screen(context.now) ? "" : std::string(viewing_reason(context));
     }},
    {.id = "file/screenshot",
     .label = "Screenshot",
     .chord = {.function = 12, .when = Chord::When::always},
     .in_page = alt('S', Chord::When::always),
     .run = take_screenshot<false>},
    switch_of<&ViewState::screenshot_footer>(
        {.id = "file/screenshot/footer", .label = "Screenshots with a line that says what they show"}),
    {.id = "file/screenshot/folder",
     .label = "Folder of screenshots…",
     .run = show<DialogState::Kind::screenshot_folder>},
    {.id = "file/quit",
     .label = "Quit",
     .chord = control('Q'),
     .in_page = Chord(),
     .run = call<[](To to) { to.files.quit(); }>,
     .obstacle = [](const Context&) { return std::string(in_browser ? "A page ends with its tab." : ""); }},
    {.id = "edit/undo",
     .label = "Undo",
     .chord = {.key = 'Z', .control = true, .repeats = true},
     .run =
         [](const Context& context, Queue& queue) {
           queue.push([is_of_lesson = undoes_lesson(context.now)](To to) {
             is_of_lesson ? to.lesson_editor.undo() : to.documents.undo();
           });
         },
     .obstacle = [](const Context& context) -> std::string {
       return undo_label(context.now).empty() ? "There is nothing to undo." : "";
     },
     .label_now = [](const Context& context) { return named("Undo", undo_label(context.now)); }},
    {.id = "edit/redo",
     .label = "Redo",
     .chord = {.key = 'Z', .control = true, .shift = true, .repeats = true},
     .run =
         [](const Context& context, Queue& queue) {
           queue.push([is_of_lesson = redoes_lesson(context.now)](To to) {
             is_of_lesson ? to.lesson_editor.redo() : to.documents.redo();
           });
         },
     .obstacle = [](const Context& context) -> std::string {
       return redo_label(context.now).empty() ? "There is nothing to redo." : "";
     },
     .label_now = [](const Context& context) { return named("Redo", redo_label(context.now)); }},
    {.id = "edit/go_to",
     .label = "Go to…",
     .chord = {.key = 'F', .control = true, .when = Chord::When::no_dialog},
     .help = "go to a token, the largest weights, along the diagonal",
     .run = call<[](To to) { to.search.toggle(); }>,
     .draw_window = draw_go_to},
    {.id = "edit/copy_picture",
     .label = "Copy picture of the window",
     .chord = control_shift('C'),
     .run = take_screenshot<true>},
    {.id = "edit/settings",
     .label = "Settings…",
     .chord = control(','),
     .help = "theme, sizes, colours, numbers, threads",
     .run = show<DialogState::Kind::settings>},
    {.id = "edit/paste",
     .label = "Paste numbers as embeddings",
     .chord = control('V'),
     .run = call<[](To to) { to.documents.paste_numbers(); }>},
    {.id = "view/back",
     .label = "Back",
     .chord = {.arrow = Chord::Arrow::left, .alt = true, .repeats = true},
     .help = "back to the number that was pinned before",
     .run = change<go_back>,
     .obstacle = [](const Context& context) -> std::string {
       return can_go_back(context.now.view) ? "" : "No other number was pinned before.";
     }},
    {.id = "view/forward",
     .label = "Forward",
     .chord = {.arrow = Chord::Arrow::right, .alt = true, .repeats = true},
     .help = "forward again",
     .run = change<go_forward>,
     .obstacle = [](const Context& context) -> std::string {
       return can_go_forward(context.now.view) ? "" : "There is nothing to go forward to.";
     }},
    switch_of<&ViewState::numbers>({.id = "view/numbers", .label = "Numbers in the cells"}),
    {.id = "view/decimals",
     .label = "Four decimals",
     .chord = {.key = 'F'},
     .help = "four decimals, or two",
     .run = change<[](ViewState& state) { state.decimals = state.decimals == 4 ? 2 : 4; }>,
     .is_on = [](const Context& context) { return context.now.view.decimals == 4; }},
    {.id = "view/fit",
     .label = "Show whole matrices",
     .chord = {.key = '0'},
     .run = change<[](ViewState& state) {
       state.map = {};
       state.diagram_zoom = 1;
     }>,
     .obstacle = [](const Context& context) -> std::string {
       return is_zoomed(context) || context.now.view.diagram_zoom != 1 ? "" : "The whole picture is shown.";
     }},
    switch_of<&ViewState::show_reach>(
        {.id = "view/reach",
         .label = "Frames around what a number needs",
         .help = "blue: everything that the pinned number depends on; green: everything that depends on it"}),
    {.id = "view/setup",
     .label = "Setup beside the stages",
     .chord = function_key(2),
     .help = "the setup beside the stages, or as a narrow rail",
     .run = toggle_setup,
     .is_on = is_setup_column},
    switch_of<&ViewState::reduces_motion>(
        {.id = "view/motion",
         .label = "Reduce motion",
         .help = "stages jump to their new places; a film shows the end of each scene"}),
    switch_of<&ViewState::show_inspector>(
        {.id = "view/inspector", .label = "Inspector", .chord = function_key(3), .help = "show or hide the inspector"}),
    switch_of<&ViewState::show_timing>({.id = "view/timing",
                                        .label = "Time of evaluation",
                                        .chord = function_key(4),
                                        .help = "how long the last evaluation took, in the status line"}),
    {.id = "view/dark",
     .label = "Dark theme",
     .chord = control('D'),
     .help = "light or dark",
     .run = toggle_theme<ThemeId::dark>,
     .is_on = has_theme<ThemeId::dark>},
    {.id = "view/high-contrast",
     .label = "High contrast",
     .chord = control_shift('D'),
     .help = "white on black with strong frames",
     .run = toggle_theme<ThemeId::high_contrast>,
     .is_on = has_theme<ThemeId::high_contrast>},
    {.id = "view/present",
     .label = "Present",
     .chord = {.function = 11, .when = Chord::When::always},
     .in_page = alt('P', Chord::When::always),
     .help = "full screen for an audience: one stage after the other; Esc ends it",
     .run = toggle_presenting,
     .is_on = is_presenting},
    {.id = "edit/head",
     .label = "Switch the head off",
     .chord = {.key = 'O'},
     .help = "switches the head off or on: off, its context is zero",
     .run = switch_head_at_hand,
     .obstacle = [](const Context& context) { return std::string(obstacle_to_heads(context)); },
     .label_now = label_of_head_switch},
    {.id = "keys/cell_menu",
     .label = "What can be done with the pinned number",
     .chord = {.key = 'M'},
     .run = [](const Context&, Queue& queue) { open_cell_menu(queue); }},
    {.id = "keys/menu",
     .label = "Opens the menu",
     .chord = function_key(10),
     .run = change<[](ViewState& state) { state.transient.opens_menu = true; }>},
    {.id = "learn/new_lesson",
     .label = "New lesson",
     .help = "makes a lesson whose first step is what is on the screen",
     .run = call<[](To to) { to.lesson_editor.begin(); }>,
     .obstacle = [](const Context& context) -> std::string {
       if (context.now.draft) return "A lesson is being made: close it first.";
       return context.now.lesson.lesson ? "A lesson is open: close it first, or edit it." : "";
     }},
    {.id = "learn/edit_lesson",
     .label = "Edit this lesson",
     .help = "changes a copy of the open lesson",
     .run = edit_lesson,
     .obstacle = [](const Context& context) -> std::string {
       return context.now.lesson.lesson ? "" : "Open a lesson first.";
     }},
    switch_of<&ViewState::handout_has_answers>(
        {.id = "learn/handout_answers",
         .label = "Handouts with answers",
         .help = "the answers at the end of a handout, for the lecturer; without them it is for students"}),
    {.id = "learn/film",
     .label = "Watch how this number came to be",
     .chord = {.key = 'W'},
     .help = "the film of the pinned number: Space plays, ← and → go from scene to scene, Esc ends it",
     .run = toggle_film,
     .is_on = is_watching,
     .obstacle = obstacle_to_watching,
     .says_obstacle = true},
    switch_of<&ViewState::shows_start>(
        {.id = "learn/start", .label = "The line “Start here”", .help = "a line that suggests where to begin"}),
    {.id = "learn/questions",
     .label = "Questions…",
     .run = [](const Context&, Queue& queue) { show_question(queue, ""); }},
    {.id = "learn/glossary", .label = "Stages: formula, PyTorch line, shape", .run = show<DialogState::Kind::glossary>},
    {.id = "help/palette",
     .label = "Find a command…",
     .chord = {.key = 'K', .control = true, .when = Chord::When::no_dialog},
     .help = "commands, stages, controls, examples, lessons and questions by their names",
     .ends_menu = true,
     .run = [](const Context&, Queue& queue) { open_palette(queue); },
     .draw_window = draw_palette},
    {.id = "help/shortcuts",
     .label = "Keys and pointer",
     .chord = function_key(1),
     .help = "this list",
     .ends_menu = true,
     .run = show<DialogState::Kind::shortcuts>},
    {.id = "help/about", .label = "About attnscope", .ends_menu = true, .run = show<DialogState::Kind::about>},
    {.id = "lesson/back",
     .label = "The step before",
     .chord = {.key = 'N', .shift = true},
     .help = "back to the step before, in a lesson",
     .run = step_lesson<false>,
     .obstacle = [](const ViewContext& context) -> std::string {
       if (!context.now.lesson.lesson) return "No lesson is open.";
       return context.now.lesson.step == 0 ? "This is the first step." : "";
     }},
    {.id = "lesson/next",
     .label = "The next step",
     .chord = {.key = 'N'},
     .help = "on to the next step, in a lesson",
     .run = step_lesson<true>,
     .obstacle = [](const ViewContext& context) -> std::string {
       if (!context.now.lesson.lesson) return "No lesson is open.";
       return context.now.lesson.current() ? "" : "This is the end.";
     }},
    {.id = "predict/stage",
     .label = "Predict: cover a stage",
     .chord = {.key = 'P'},
     .help = "covers the stage of the pinned number, to be predicted row by row; or uncovers it",
     .run = toggle_cover,
     .is_on = is_predicting,
     .obstacle = obstacle_to_cover,
     .label_now = label_of_cover},
    {.id = "predict/row",
     .label = "Predict: cover a row",
     .chord = {.key = 'P', .shift = true},
     .help = "covers its row alone",
     .run = cover_row,
     .obstacle = obstacle_to_cover_row,
     .label_now = label_of_cover_row},
};

}  // namespace

std::span<const Action> actions() {
  static const std::vector<Action> every = [] {
    std::vector<Action> rows(std::begin(all), std::end(all));
    rows.insert(rows.end(), compare_actions().begin(), compare_actions().end());
    for (Action& row : rows)
      if (in_browser && row.in_page) row.chord = *row.in_page;
    return rows;
  }();
  return every;
}

}  // namespace attnscope
