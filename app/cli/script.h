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
#include "view/colours.h"

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
// Returns the modifiers that a text names: "Ctrl", "Shift+Alt".
std::optional<Modifiers> modifiers_named(std::string_view text);

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
  float right = 0;                         // by so many units
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

// Runs a script with pointer and keyboard in a window without a display; files go into `folder`, which is made if it is
// missing. The same script makes the same bytes. Throws ScriptError for what is wrong with the script or not on the
// screen, with the step in its sentence, and Error for anything else.
void run_script(const Script& script, const std::filesystem::path& folder);

}  // namespace attnscope
