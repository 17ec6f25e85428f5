#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "ui/view_context.h"

namespace attnscope {

// A key with what is held with it.
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

// An action of a menu, of a key or of both: menus, keys and the list of keys are drawn from it.
struct Action {
  const char* id;     // "edit/undo": the widget is "menu/edit/undo"; "keys/…" for what no menu offers
  const char* label;  // in the menu
  Chord chord = {};
  const char* help = "";  // in the list of keys, where `label` does not say it
  void (*run)(const ViewContext& context, CommandQueue& queue) = nullptr;
  bool (*is_on)(const ViewContext& context) = nullptr;             // ticked
  std::string (*obstacle)(const ViewContext& context) = nullptr;   // why it is disabled; empty when it is not
  std::string (*label_now)(const ViewContext& context) = nullptr;  // in the place of `label`
};

std::span<const Action> actions();
const Action& action(std::string_view id);

std::string obstacle_of(const Action& action, const ViewContext& context);
// A button for an action. Its tooltip names the action and its key, and says `more` behind them.
void action_button(const ViewContext& context, CommandQueue& queue, std::string_view name, const char* label,
                   const Action& action, std::string_view more = {});
// Items of a menu, "" for a line between them.
void action_items(const ViewContext& context, CommandQueue& queue, std::initializer_list<std::string_view> ids);

}  // namespace attnscope
