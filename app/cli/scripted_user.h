#pragma once

#include <string>

#include "cli/script.h"
#include "window/frame.h"

namespace attnscope {

// Operates a hidden window with pointer and keyboard, and waits until it is at rest. Throws ScriptError with a sentence
// that says what is missing if a target is not on the screen.
class ScriptedUser {
public:
  ScriptedUser(Session& session, UnseenWindow& window) : session_(session), window_(window) {}

  void point_at(const Target& target);
  void point_away();
  void click(const Target& target, int button, int count, const Modifiers& held);
  void drag_by(const Target& target, ImVec2 units, const Modifiers& held);
  void drag_until(const Target& target, const std::string& shown, const Modifiers& held);
  void enter(const Target& target, const std::string& text);  // replaces the text
  void type(const std::string& text);
  void press(const KeyPress& key);
  void turn_wheel(const Target& target, float lines, const Modifiers& held);

  void look_for(const Target& target);  // opens a setup that is a rail if the target is in it
  bool sees(const Target& target) const;
  const WidgetRegistry::Entry& widget(const Target& target) const;  // the target's own, or the one that its cell is in
  std::string text_of(const Target& target) const;

private:
  // The visible part of a target, and its window.
  struct Spot {
    ImVec4 rect;
    const ImGuiWindow* window = nullptr;
    ImVec2 middle() const { return {(rect.x + rect.z) / 2, (rect.y + rect.w) / 2}; }
  };

  void frames();
  void hold(const Modifiers& held);
  void open_way_to(const std::string& name);
  void scroll_to(const std::string& name);
  Spot spot_of(const Target& target);
  bool is_hovered(const ImGuiWindow* window) const;
  bool close_open_setup();
  Spot spot_of_cell(const CellTarget& cell) const;
  const WidgetRegistry::Matrix* find_matrix(const CellTarget& cell) const;
  const WidgetRegistry::Matrix& matrix_of(const CellTarget& cell) const;
  [[noreturn]] void refuse_widget(const std::string& name) const;

  Session& session_;
  UnseenWindow& window_;
};

std::string spelled(const Target& target);  // names a target in sentences

}  // namespace attnscope
