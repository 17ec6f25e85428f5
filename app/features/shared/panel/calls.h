#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/view_state.h"
#include "ui/view_context.h"

namespace attnscope {

// Calls that many panels ask for. Any other call is pushed where it is asked for.

void change_view(CallQueue& queue, std::function<void(ViewState&)> change);
void edit_document(CallQueue& queue, DocumentEdit edit);
void change_dialog(CallQueue& queue, std::function<void(DialogState&)> change);
void show_dialog(CallQueue& queue, DialogState::Kind kind);
void close_dialog(CallQueue& queue);
void hover(CallQueue& queue, const Source& cell);
void open_lesson(CallQueue& queue, std::string id);
void copy_text(CallQueue& queue, std::string text, std::string message);
void say(CallQueue& queue, std::string message);

// Returns an edit by the item drawn last, which goes on until the item is let go: one entry for undo.
DocumentEdit held_edit(std::string label, std::function<void(Document&)> change);
void finish_when_let_go(CallQueue& queue);

// A field whose text changes the document once it is entered or left, but not by Esc. `before` is the document's text,
// and `room` how many bytes it may grow by. Returns whether it was entered.
bool document_text_field(const ViewContext& context, CallQueue& queue, const char* id, const char* hint,
                         const std::string& before, std::size_t room, const char* label,
                         const std::function<void(Document&, const std::string&)>& change);

// Shows another head, in the inspector, too.
void set_head(CallQueue& queue, Index head);

// The parts of menus, and the menus that have a file of their own.

struct MenuItem {
  std::string_view keys = {};      // keys that do the same
  bool is_on = false;              // The item is ticked.
  bool is_enabled = true;          // false disables the item without a reason
  std::string_view obstacle = {};  // says why it is disabled, and disables it; empty: it is not
  std::string_view help = {};      // its tooltip unless it is disabled
};
bool menu_item(const ViewContext& context, std::string_view name, std::string_view label, const MenuItem& item = {});
bool begin_menu(const ViewContext& context, std::string_view name, const char* label, bool is_enabled = true);
void end_menu();  // after begin_menu() returned true

// Asks before a call that cannot be undone; `yes` is the button that runs it. Then the dialog that asked comes back.
void ask_first(const ViewContext& context, CallQueue& queue, std::string question, std::string yes, Call call);

void show_layout(CallQueue& queue, const ViewMode& layout);  // ends a film, which covers it

// Returns why actions on a computed document are disabled while attention of a file is shown; else empty.
std::string_view viewing_reason(const ViewContext& context);

void draw_file_menu(const ViewContext& context, CallQueue& queue);

// A key with its modifiers.
struct Chord {
  enum class When { not_typing, no_dialog, always };  // no_dialog: also while text is typed
  enum class Arrow { none, left, right };

  char key = 0;      // 'Z', '4'; 0 for none
  int function = 0;  // 12 for F12; 0 for none
  Arrow arrow = Arrow::none;
  bool control = false;
  bool shift = false;
  bool alt = false;
  bool repeats = false;
  When when = When::not_typing;

  bool is_there() const { return key != 0 || function != 0 || arrow != Arrow::none; }
  std::string text() const;  // "Ctrl+Shift+Z"; empty for none
};

// An action, once for all places: menus, buttons, keys, their list, the palette, and so the scripts of `attnscope
// drive`, which name widgets.
struct Action {
  const char* id;     // "edit/undo": the widget is "menu/edit/undo"; "keys/…" for what no menu offers
  const char* label;  // its text in the menu
  Chord chord = {};
  std::optional<Chord> in_page = {};  // its key in a browser, where that keeps `chord` for itself
  const char* help = "";              // the text in the list of keys, if `label` does not say it
  bool ends_menu = false;  // It stands in the menu that `id` begins with, behind the items that the menu lists.
  void (*run)(const ViewContext& context, CallQueue& queue) = nullptr;
  bool (*is_on)(const ViewContext& context) = nullptr;             // whether its item is ticked
  std::string (*obstacle)(const ViewContext& context) = nullptr;   // why it is disabled; empty when it is not
  bool says_obstacle = false;                                      // Its key says why, too.
  std::string (*label_now)(const ViewContext& context) = nullptr;  // replaces `label`
  // Draws a window of its own, which the action opens. Is called in each frame, and draws nothing while it is closed.
  void (*draw_window)(const ViewContext& context, CallQueue& queue) = nullptr;
};

std::span<const Action> actions();
const Action& action(std::string_view id);

std::string obstacle_of(const Action& action, const ViewContext& context);
// Draws a button for an action. Its tooltip names the action and its key, and says `more` behind them.
void action_button(const ViewContext& context, CallQueue& queue, std::string_view name, const char* label,
                   const Action& action, std::string_view more = {});
// Draws items of a menu, "" for a line between them.
void action_items(const ViewContext& context, CallQueue& queue, std::initializer_list<std::string_view> ids);
// Ends the menu whose actions have ids that begin with `menu`, such as "edit/".
void end_menu(const ViewContext& context, CallQueue& queue, std::string_view menu);

// A setting with a few values to choose from. The dialog of the settings draws a list for each row, and the palette has
// an entry for each value. What is only switched on and off is an action.
struct Setting {
  struct Value {
    std::string id;  // "dark": the widget is "settings/theme/dark"
    std::string title;
  };

  std::string_view id;  // "theme"
  std::string_view label;
  std::string_view help;
  std::vector<Value> values;
  int (*chosen)(const ViewState& view);  // index of the value; -1: another one, which text_of_other() writes
  void (*choose)(ViewState& view, int index);
  std::string (*text_of_other)(const ViewState& view) = nullptr;
  std::string_view (*obstacle)(const ViewState& view, int index) = nullptr;  // why it cannot be chosen; else empty

  std::string_view obstacle_in(const ViewState& view, int index) const { return obstacle ? obstacle(view, index) : ""; }
};

std::span<const Setting> setting_table();
const Setting& setting(std::string_view id);  // The table must have it.

// A row of the list of keys. Each key means one thing; keys that mean something before an audience only mean nothing
// else in the window, or the same.
struct KeyRow {
  std::string keys;  // "Ctrl+1", "H, Shift+H", "arrow keys"
  std::string what;
  bool is_for_audience = false;
};
std::vector<KeyRow> key_list();  // all that F1 lists

// One thing that can be asked for by its name.
struct PaletteEntry {
  std::string id = {};  // "edit/undo", "stage/weights": the widget is "palette/edit/undo"
  std::string title = {};
  std::string kind = {};      // "Stage", "Lesson"
  std::string keys = {};      // keys that do the same; empty for none
  std::string obstacle = {};  // why it cannot be done now; empty where it can
  std::function<void(const ViewContext& context, CallQueue& queue)> run = {};
};

// Everything there is: actions, ways to look, stages and heads, mechanisms, examples, comparisons, lessons, teaching
// views and questions.
std::vector<PaletteEntry> palette_entries(const ViewContext& context);

// Returns the entries that have the typed text, best first; those that cannot be run now come last. If there are none,
// these are the nearest ones to a question in words of one's own.
std::vector<PaletteEntry> found_entries(std::vector<PaletteEntry> entries, const std::string& typed);

void open_palette(CallQueue& queue);
void draw_palette(const ViewContext& context, CallQueue& queue);

// Returns how well a text matches what was typed, in any order and case: the higher the better. Each word is looked for
// at the beginning of a word, then anywhere, then as beginnings of words ("adm" in "attention dropout mask"). Nothing
// where a word is not there at all.
std::optional<int> fuzzy_score(std::string_view text, std::string_view typed);

}  // namespace attnscope
