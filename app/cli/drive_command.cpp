#include <CLI/CLI.hpp>
#include <memory>

#include "cli/script.h"
#include "cli/subcommands.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

struct DriveArguments {
  std::string script;
  std::string folder;
};

constexpr const char* script_help = R"(
A script is JSON. Each step waits until the window is at rest:

{ "document": {"dropout": 0.5}, "size": [1280, 720], "scale": 1,
  "interface_scale": 1, "theme": "light",
  "steps": [
    {"enter": "setup/num_heads", "text": "4"},
    {"drag": "setup/dropout", "to": 0.25},
    {"click": "menu/view/heads"},
    {"click": "weights[0,0,1,0]"},
    {"keys": "Ctrl+Z"},
    {"screenshot": "a.png"}, {"read": "a.json"}, {"document": "b.json"} ] }

"document" is a document, the name of a file beside the script, or "example:ID".
A target is the name of a widget, as "read" writes it, or a cell by the axes of
its stage, counted from 0. The menu or list of a target needs no step of its
own. The steps are:

  click, double_click, right_click, hover
                     a target; "nothing" takes the pointer out of the window
  drag               a target, "by" [right, down] in units or "to" a value
  enter              a target, and the "text" that replaces its own
  type               text for the field that was clicked
  keys               a key or several: "Ctrl+Shift+Z", ["Left", "F1"]
  wheel              a target, "by" lines; up is positive
  resize, scale, theme
                     of the window: [1920, 1080], 2, "light", "dark" or
                     "high-contrast"
  open               a file, as if it was dropped on the window
  wait               seconds of the window's own time
  expect             a target, and its "text", "enabled", "on" or "shown"
  screenshot, read, document
                     a file to write in FOLDER: a picture, all that the window
                     shows, or the document as it is then

click, drag and wheel may be done "holding" "Ctrl", "Shift" or "Alt". A step
fails if its target is not on the screen, refuses the step, or is not as
expected; the script then ends with status 2 and names the step.)";

constexpr std::size_t most_script_bytes = 4'000'000;

void run_drive(const DriveArguments& arguments) {
  const std::filesystem::path file = arguments.script;
  InputRecord record;
  const Script script = or_refuse(arguments.script, [&] {
    return parse_script(read_file(file, most_script_bytes), file == "-" ? "" : file.parent_path());
  });
  record.end();
  try {
    run_script(script, arguments.folder);
  } catch (const ScriptError&) {
    or_refuse(arguments.script, [] { throw; });
  }
}

}  // namespace

Subcommand add_drive(CLI::App& app) {
  const auto arguments = std::make_shared<DriveArguments>();
  CLI::App* drive = app.add_subcommand("drive", "Carry out a script in the window, step by step; needs no display");
  drive->add_option("SCRIPT", arguments->script, "Steps as JSON; - for standard input")->required();
  drive->footer(script_help);
  add_out(*drive, arguments->folder, "Folder for the files that the script writes (default: the current one)");
  return {drive, [arguments] { run_drive(*arguments); }, true};
}

}  // namespace attnscope
