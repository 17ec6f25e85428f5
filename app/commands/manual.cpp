#include "commands/command_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/version.h"

namespace attnscope {
namespace {

// Text as roff takes it literally: hyphens that may be copied, no line that looks like a request.
std::string literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\n') {
      escaped += ' ';
    } else {
      escaped += c;
    }
  }
  if (!escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string usage_of(const CommandShape& command) {
  std::string line = ".B attnscope";
  if (!command.name.empty()) line += " " + literal(command.name);
  line += "\n";
  for (const OptionShape& option : command.options) {
    if (option.is_positional())
      line += (option.is_required ? ".I " : ".RI [ ") + literal(option.value) + (option.is_required ? "\n" : " ]\n");
  }
  return line + ".RI [ options ]\n.br\n";
}

std::string describe(const OptionShape& option) {
  std::string text = ".TP\n";
  if (option.is_positional()) {
    text += ".I " + literal(option.value) + "\n";
  } else {
    std::vector<std::string> names;
    if (!option.short_name.empty()) names.push_back("\\fB" + literal(option.short_name) + "\\fR");
    if (!option.long_name.empty()) names.push_back("\\fB" + literal(option.long_name) + "\\fR");
    text += fmt::format("{}", fmt::join(names, ", "));
    if (!option.choices.empty()) {
      text += " \\fI" + literal(fmt::format("{}", fmt::join(option.choices, "|"))) + "\\fR";
    } else if (!option.value.empty()) {
      text += " \\fI" + literal(option.value) + "\\fR";
    }
    text += "\n";
  }
  text += literal(option.what);
  if (!option.initial.empty()) text += " (default: " + literal(option.initial) + ")";
  return text + ".\n";
}

constexpr std::string_view description = R"(.SH DESCRIPTION
attnscope computes self\-attention, shows every intermediate matrix of every head, and writes them as numbers,
pictures and code. Without a command it opens
.IR FILE ,
or an example, in a window. A document is a JSON file in which every key has a default, so "{}" is a document. The file
name "\-" means standard input.
)";

constexpr std::string_view scripts = R"(.SH SCRIPTS
.B attnscope drive
carries out a script as a person would, with pointer and keyboard. It waits after each step until the window is at rest.
.PP
.nf
{ "document": {"dropout": 0.5}, "size": [1280, 720], "scale": 1, "interface_scale": 1, "theme": "light",
  "steps": [
    {"enter": "setup/num_heads", "text": "4"},
    {"drag": "setup/dropout", "to": 0.25},
    {"click": "menu/view/heads"},
    {"click": "weights[0,0,1,0]"},
    {"keys": "Ctrl+Z"},
    {"screenshot": "a.png"}, {"read": "a.json"}, {"document": "a\-document.json"} ] }
.fi
.PP
.B document
is a document, the name of a file beside the script, or "example:" and the id of an example.
.B scale
is the number of pixels per unit in pictures. A target is the name of a widget, as
.B read
writes it, or a cell by the axes of its stage, counted from 0, as in "weights[0,0,1,0]". An object of stage, head, row and
col names a cell, too, and without row and col the middle of the matrix. A target in a
menu or a list, such as "menu/view/heads", needs no step that opens the menu. If a window of fewer than 1400 units shows
the setup as a rail, a target in it opens the setup over the stages until a step clicks beside it or presses Escape. The
steps are:
.TP
.BR click ", " double_click ", " right_click ", " hover
a target; hovering over "nothing" takes the pointer out of the window.
.TP
.B drag
a target, either
.B by
[right, down] in units, or
.B to
the value of a slider.
.TP
.B enter
a target and a
.BR text ,
which replaces the text of a field or the value of a slider.
.TP
.B type
text for the field that was clicked.
.TP
.B keys
a key or an array of keys: "Ctrl+Shift+Z", "Left", "F1".
.TP
.B wheel
a target, and
.B by
lines; up is positive.
.TP
.BR resize ", " scale ", " theme
of the window: [1920, 1080], 2, "light", "dark" or "high\-contrast".
.TP
.B open
a file, as if it was dropped on the window.
.TP
.B wait
seconds of the window's own time, after which old messages disappear.
.TP
.B expect
a target and what it must be:
.BR text ", " enabled ", " on ", " shown .
.TP
.BR screenshot ", " read ", " document
a file to write, .png or .json, in the folder of \-o: a picture of the window that carries its document; everything that
the window shows (widgets, matrices with their numbers as shown and in full, the inspector, messages, every text), with
places in pixels at scale 1; the current document.
.PP
.BR click ", " drag " and " wheel
may be done
.B holding
"Ctrl", "Shift" or "Alt". A step fails if its target is not on the screen, does not accept the step, or is not as
expected. The script then ends with status 2 and one line that names the step. The same script writes the same bytes.
)";

constexpr std::string_view end_of_page = R"(.SH EXIT STATUS
0 for success; 2 for wrong usage, a bad document or a bad script, with one line that names the file, the field, the
value and what is allowed; 130 for a sweep that Ctrl+C or SIGTERM stopped, which leaves no file; 1 for any other error.
Files are written whole or not at all.
.SH ENVIRONMENT
.TP
.B ATTNSCOPE_ISA
The instruction set of the kernels: avx512, avx2, sse2 or portable (default: the best of the processor).
.TP
.B XDG_CONFIG_HOME
The folder of attnscope/settings.json, which holds the settings (default: ~/.config).
.SH EXAMPLES
.nf
attnscope lecture.json
attnscope eval lecture.json \-o stages.npz
attnscope screenshot lecture.json \-o slide.png \-\-size 1280x720 \-\-scale 2
echo '{"dropout": 0.5, "seed": 123}' | attnscope eval \-
.fi
)";

}  // namespace

std::string manual_page(const std::vector<CommandShape>& commands) {
  std::string page = fmt::format(".TH ATTNSCOPE 1 \"\" \"attnscope {}\" \"User Commands\"\n", version());
  page += ".SH NAME\nattnscope \\- compute attention and explain every number\n.SH SYNOPSIS\n";
  for (const CommandShape& command : commands) page += usage_of(command);
  page += description;
  for (const CommandShape& command : commands) {
    if (command.name.empty()) {
      page += ".SH OPTIONS\n";
    } else {
      page += fmt::format(".SH {}\n{}.\n", literal(command.name), literal(command.what));
    }
    for (const OptionShape& option : command.options) page += describe(option);
  }
  return page + std::string(scripts) + std::string(end_of_page);
}

}  // namespace attnscope
