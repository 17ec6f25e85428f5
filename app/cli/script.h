#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/stage.h"
#include "document/builtin.h"
#include "document/document.h"
#include "features/session.h"
#include "ui/widget_registry.h"
#include "view/colours.h"
#include "window/frame.h"

namespace attnscope {

struct Modifiers {
  bool control = false;
  bool shift = false;
  bool alt = false;
};
// A key with its modifiers: "Ctrl+Z", "Shift+Left", "F1".
struct KeyPress {
  Modifiers held;
  std::string key;
};

// Returns the key that a text names; nothing if it names none.
std::optional<KeyPress> key_press_named(std::string_view text);

// Returns Dear ImGui's code of the key, in its current context.
int code_of(const KeyPress& press);

// A script, as JSON:
//
//   { "document": {"dropout": 0.5}, "size": [1280, 720], "scale": 1, "interface_scale": 1, "theme": "light",
//     "steps": [ {"click": "menu/view/heads"}, {"drag": "setup/dropout", "to": 0.25}, {"read": "a.json"} ] }
//
// Everything may be left out. A target is a widget's name or a cell: "weights[0,0,1,0]", by the axes of its stage, or
// {"stage", "head", "row", "col"}: counted from 0, and without "row" and "col" the middle of the matrix. What a step
// may be is in the table of script.cpp.

// The script is wrong, or what it names is not on the screen.
struct ScriptError : Error {
  using Error::Error;
};

struct CellTarget {
  Stage stage = Stage::weights;
  std::optional<Index> head;
  std::optional<Index> row;
  std::optional<Index> col;
};
using Target = std::variant<std::string, CellTarget>;

namespace steps {

struct Click {
  Target target;
  int button = 0;  // Dear ImGui's
  int count = 1;
  Modifiers held;
};
struct PointAt {
  Target target;
};
struct Drag {
  Target target;
  std::optional<std::string> until_shown;  // drags until the widget shows this text, or
  float right = 0;                         // drags by so many units
  float down = 0;
  Modifiers held;
};
struct Enter {  // replaces what a field or a slider holds
  Target target;
  std::string text;
};
struct Type {
  std::string text;
};
struct Keys {
  std::vector<KeyPress> presses;
};
struct Wheel {
  Target target;
  float lines = 0;  // up is positive
  Modifiers held;
};
struct Resize {
  int width = 0;
  int height = 0;
};
struct Rescale {
  float scale = 1;
};
struct Theme {
  ThemeId theme = ThemeId::light;
};
struct Open {
  std::filesystem::path path;
};
struct Wait {
  float seconds = 0;
};
struct Expect {
  Target target;
  std::optional<std::string> text;
  std::optional<bool> is_shown;
  std::optional<bool> is_enabled;
  std::optional<bool> is_on;
};
struct WritePicture {
  std::filesystem::path name;
};
struct WriteReading {
  std::filesystem::path name;
};
struct WriteDocument {
  std::filesystem::path name;
};

}  // namespace steps

struct ScriptStep {
  std::variant<steps::Click, steps::PointAt, steps::Drag, steps::Enter, steps::Type, steps::Keys, steps::Wheel,
               steps::Resize, steps::Rescale, steps::Theme, steps::Open, steps::Wait, steps::Expect,
               steps::WritePicture, steps::WriteReading, steps::WriteDocument>
      action;
  std::string path;  // "steps[3].click"
};

struct Script {
  std::variant<Document, std::filesystem::path> document = notebook_document();
  int width = 1280;  // units
  int height = 720;
  float scale = 1;  // pixels per unit
  float interface_scale = 1;
  ThemeId theme = ThemeId::light;
  std::vector<ScriptStep> steps;
};

// Reads a script; the files that it names are in `folder`. Throws ScriptError with the path of the faulty entry.
Script parse_script(std::string_view text, const std::filesystem::path& folder);

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
