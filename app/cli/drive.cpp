#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/command_line.h"
#include "cli/script.h"
#include "core/text.h"
#include "features/files/reading_controller.h"
#include "features/shared/app_services.h"
#include "files/document_file.h"
#include "platform/system/file.h"
#include "platform/window.h"

namespace attnscope {
namespace {

ViewState view_of(const Script& script) {
  ViewState view;
  view.theme = script.theme;
  view.interface_scale = script.interface_scale;
  return view;
}

Document document_of(const Script& script) {
  const auto* const document = std::get_if<Document>(&script.document);
  return document ? *document : notebook_document();
}

// Runs a script with pointer and keyboard in a window without a display; files go into a folder, which is made if it is
// missing. The same script makes the same bytes. Throws ScriptError for what is wrong with the script or not on the
// screen, with the step in its sentence, and Error for anything else.
class ScriptRunner {
public:
  ScriptRunner(const Script& script, std::filesystem::path folder);
  void run(const Script& script);

private:
  void open(const std::filesystem::path& path);
  void check_evaluation() const;
  void check_window() const;
  std::filesystem::path place_for(const std::filesystem::path& name) const;

  void take(const steps::Click& step) { user_.click(step.target, step.button, step.count, step.held); }
  void take(const steps::PointAt& step) { user_.point_at(step.target); }
  void take(const steps::Drag& step);
  void take(const steps::Enter& step) { user_.enter(step.target, step.text); }
  void take(const steps::Type& step) { user_.type(step.text); }
  void take(const steps::Keys& step);
  void take(const steps::Wheel& step) { user_.turn_wheel(step.target, step.lines, step.held); }
  void take(const steps::Resize& step) { window_.resize(step.width, step.height); }
  void take(const steps::Rescale& step) { window_.rescale(step.scale); }
  void take(const steps::Theme& step);
  void take(const steps::Open& step) { open(step.path); }
  void take(const steps::Wait& step);
  void take(const steps::Expect& step);
  void take(const steps::WritePicture& step);
  void take(const steps::WriteReading& step);
  void take(const steps::WriteDocument& step);

  std::filesystem::path folder_;
  WindowlessContext context_;
  Session session_;
  UnseenWindow window_;
  ScriptedUser user_;
};

ScriptRunner::ScriptRunner(const Script& script, std::filesystem::path folder)
    : folder_(std::move(folder)),
      session_(document_of(script), view_of(script)),
      window_(session_, script.width, script.height, script.scale),
      user_(session_, window_) {}

void ScriptRunner::run(const Script& script) {
  user_.point_away();
  if (const auto* const path = std::get_if<std::filesystem::path>(&script.document)) {
    try {
      open(*path);
    } catch (const ScriptError& error) {
      throw ScriptError("document", fmt::format("document: {}", error.what()));
    }
  }
  window_.settle();
  check_evaluation();
  for (const ScriptStep& step : script.steps) {
    try {
      check_window();
      std::visit([this](const auto& action) { take(action); }, step.action);
      window_.settle();
      if (session_.take_screenshot_request())
        throw ScriptError("A screenshot of the program has the time in its name: write {\"screenshot\": \"a.png\"}.");
    } catch (const ScriptError& error) {
      throw ScriptError(step.path, fmt::format("{}: {}", step.path, error.what()));
    }
  }
}

void ScriptRunner::check_evaluation() const {
  const Evaluation& evaluation = session_.shown().evaluation;
  if (!evaluation.error.empty()) throw ScriptError(evaluation.error_field, evaluation.error);
}

void ScriptRunner::check_window() const {
  if (session_.quit_requested()) throw ScriptError("A step before this one has closed the window.");
}

// Opens a file as if it were dropped on the window. A faulty file becomes a message there.
void ScriptRunner::open(const std::filesystem::path& path) {
  const std::size_t said = session_.shown().messages.size();
  session_.push([path](const Controllers& to) { to.reading.open(path); });
  window_.settle();
  if (session_.shown().messages.size() > said && session_.shown().messages.back().is_error)
    throw ScriptError(session_.shown().messages.back().text);
}

void ScriptRunner::take(const steps::Drag& step) {
  if (step.until_shown) return user_.drag_until(step.target, *step.until_shown, step.held);
  user_.drag_by(step.target, {step.right, step.down}, step.held);
}

void ScriptRunner::take(const steps::Keys& step) {
  for (const KeyPress& press : step.presses) {
    user_.press(press);
    window_.settle();
  }
}

// Sets the theme without its keys, which a dialog would not hear.
void ScriptRunner::take(const steps::Theme& step) {
  session_.push([theme = step.theme](const Controllers& to) {
    to.views.change([theme](ViewState& view) { view.theme = theme; });
  });
}

// Waits. Messages that are old by then are forgotten.
void ScriptRunner::take(const steps::Wait& step) {
  window_.build_frame(std::max(step.seconds, 1e-3f));
  session_.expire_messages(ImGui::GetTime());
}

void ScriptRunner::take(const steps::Expect& step) {
  if (step.is_shown.value_or(true)) user_.look_for(step.target);
  const bool is_shown = user_.sees(step.target);
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) throw ScriptError(fmt::format("{} {}.", spelled(step.target), what));
  };
  if (step.is_shown && !*step.is_shown) return expect(!is_shown, "is on the screen, but should not be");
  const WidgetRegistry::Entry& widget = user_.widget(step.target);
  expect(is_shown, "is out of sight");
  if (step.is_enabled) expect(widget.enabled == *step.is_enabled, widget.enabled ? "is enabled" : "is disabled");
  if (step.is_on)
    expect(widget.is_on == step.is_on, !widget.is_on ? "is neither on nor off" : *widget.is_on ? "is on" : "is off");
  if (!step.text) return;
  const std::string text = user_.text_of(step.target);
  expect(text == *step.text, fmt::format("shows {}, not {}", in_quotes(text), in_quotes(*step.text)));
}

std::filesystem::path ScriptRunner::place_for(const std::filesystem::path& name) const {
  const std::filesystem::path path = folder_ / name;
  std::error_code failure;
  const std::filesystem::path around = path.parent_path();
  if (!around.empty()) std::filesystem::create_directories(around, failure);
  if (failure) throw Error(fmt::format("{}: the folder cannot be made: {}.", shown_path(around), failure.message()));
  return path;
}

void ScriptRunner::take(const steps::WritePicture& step) {
  write_picture(session_, window_.image(), place_for(step.name));
}

void ScriptRunner::take(const steps::WriteReading& step) {
  write_file(place_for(step.name), read_window(session_, window_.widgets(), window_.texts()));
}

void ScriptRunner::take(const steps::WriteDocument& step) { save_document(session_.to_save(), place_for(step.name)); }

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

"document" is a document, the name of a file beside the script, or "example:ID";
without it a script begins with "example:notebook".
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
    ScriptRunner(script, arguments.folder).run(script);
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
