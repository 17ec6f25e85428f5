#include "cli/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "core/text.h"
#include "document/json.h"
#include "document/json_value.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr std::pair<std::string_view, ImGuiKey> named_keys[] = {
    {"escape", ImGuiKey_Escape},  {"esc", ImGuiKey_Escape},          {"enter", ImGuiKey_Enter},
    {"tab", ImGuiKey_Tab},        {"backspace", ImGuiKey_Backspace}, {"delete", ImGuiKey_Delete},
    {"left", ImGuiKey_LeftArrow}, {"right", ImGuiKey_RightArrow},    {"up", ImGuiKey_UpArrow},
    {"down", ImGuiKey_DownArrow}, {"home", ImGuiKey_Home},           {"end", ImGuiKey_End},
    {"page up", ImGuiKey_PageUp}, {"page down", ImGuiKey_PageDown},  {"space", ImGuiKey_Space}};
constexpr std::pair<char, int (*)()> signs[] = {
    {'[', keys::left_bracket}, {']', keys::right_bracket}, {'-', keys::minus}, {'=', keys::equal}, {',', keys::comma}};
constexpr int most_function_keys = 12;

// The number of "f12"; 0 for other names.
int function_key(std::string_view name) {
  if (name.size() < 2 || name.front() != 'f') return 0;
  const int number = number_of<int>(name.substr(1)).value_or(0);
  return number >= 1 && number <= most_function_keys ? number : 0;
}

bool is_key(const std::string& name) {
  if (function_key(name) != 0) return true;
  if (name.size() == 1) {
    const char c = name.front();
    const bool is_sign = std::ranges::find(signs, c, &std::pair<char, int (*)()>::first) != std::end(signs);
    return is_sign || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }
  const auto is_it = [&](const auto& entry) { return entry.first == name; };
  return std::ranges::any_of(named_keys, is_it);
}

bool hold(Modifiers& held, std::string_view name) {
  bool* const modifier = name == "ctrl"    ? &held.control
                         : name == "shift" ? &held.shift
                         : name == "alt"   ? &held.alt
                                           : nullptr;
  if (!modifier) return false;
  *modifier = true;
  return true;
}

// Returns the modifiers that a text names: "Ctrl", "Shift+Alt".
std::optional<Modifiers> modifiers_named(std::string_view text) {
  Modifiers held;
  std::string rest = lower_case(text);
  while (!rest.empty()) {
    const std::size_t plus = std::min(rest.find('+'), rest.size());
    if (!hold(held, trimmed(rest.substr(0, plus)))) return {};
    rest.erase(0, plus + 1);
  }
  return held;
}

}  // namespace

std::optional<KeyPress> key_press_named(std::string_view text) {
  const std::size_t plus = text.rfind('+');
  const std::string key = lower_case(trimmed(plus == std::string_view::npos ? text : text.substr(plus + 1)));
  const auto held = modifiers_named(plus == std::string_view::npos ? "" : text.substr(0, plus));
  if (!held || !is_key(key)) return {};
  return KeyPress{*held, key};
}

int code_of(const KeyPress& press) {
  if (const int number = function_key(press.key); number != 0) return keys::function(number);
  if (press.key.size() == 1) {
    const char c = press.key.front();
    for (const auto& [sign, code] : signs) {
      if (sign == c) return code();
    }
    return c >= '0' && c <= '9' ? keys::digit(c - '0') : keys::letter(static_cast<char>(c - 'a' + 'A'));
  }
  const auto* const named = std::ranges::find(named_keys, press.key, [](const auto& entry) { return entry.first; });
  return keys::named(named->second);
}

namespace {

using Value = JsonValue;

constexpr double most_pixels = 20000;  // of a drag, from one end of the largest window to the other and back
constexpr double most_lines = 1000;    // of the wheel
constexpr double most_seconds = 3600;
constexpr Index most_steps = 10000;

constexpr std::string_view target_words =
    "the name of a widget, as \"setup/dropout\", or a cell, as \"weights[0,0,1,0]\" or {\"stage\": \"weights\", "
    "\"row\": 1, \"col\": 0}";

std::optional<Index> place_of(const Value& cell, const std::string& key) {
  if (!cell.has(key)) return {};
  return cell[key].whole(0, std::max({max_tokens, max_features, max_heads}) - 1);
}

Target target_of(const Value& value) {
  if (value.is_text()) {
    const std::string name = value.text(target_words);
    const std::optional<Source> cell = cell_named(name);
    if (!cell) return name;
    const bool is_of_head = axis_count(info(cell->stage).axes) > 3;
    return CellTarget{cell->stage, is_of_head ? std::optional(cell->head) : std::nullopt, cell->row, cell->col};
  }
  if (!value.is_object() || !value.has("stage")) value.refuse(target_words);
  value.check_keys({"stage", "head", "row", "col"});
  const CellTarget cell{named_stage(value["stage"]), place_of(value, "head"), place_of(value, "row"),
                        place_of(value, "col")};
  if (cell.row.has_value() != cell.col.has_value())
    throw ScriptError(value.path(),
                      fmt::format("{} has one of \"row\" and \"col\", but a cell has both.", value.path()));
  return cell;
}

Modifiers held_in(const Value& step) {
  if (!step.has("holding")) return {};
  constexpr std::string_view allowed = "\"Ctrl\", \"Shift\" or \"Alt\", or several as in \"Ctrl+Shift\"";
  const Value holding = step["holding"];
  const std::optional<Modifiers> held = modifiers_named(holding.text(allowed));
  if (!held) holding.refuse(allowed);
  return *held;
}

KeyPress key_of(const Value& value) {
  constexpr std::string_view allowed =
      "a key, as \"Ctrl+Z\": a letter, a digit, [ ] - = or a comma, F1 to F12, Escape, Enter, Tab, Backspace, Delete, "
      "Left, "
      "Right, Up, Down, Home, End, Page Up, Page Down or Space, with Ctrl, Shift or Alt before it";
  const std::optional<KeyPress> press = key_press_named(value.text(allowed));
  if (!press) value.refuse(allowed);
  return *press;
}

// A file in the folder of the output: nowhere else, whoever wrote the script.
std::filesystem::path output_of(const Value& value, std::string_view ending) {
  const std::string allowed = fmt::format("the name of a file, ending in {}, below the folder of -o", ending);
  const std::filesystem::path name = value.text(allowed);
  const bool leads_out = name.is_absolute() || std::ranges::find(name, "..") != name.end();
  if (leads_out || lower_ending(name) != ending) value.refuse(allowed);
  return name.lexically_normal();
}

template <int button, int count>
steps::Click read_click(const Value& step, const Value& target) {
  return {target_of(target), button, count, held_in(step)};
}

steps::Drag read_drag(const Value& step, const Value& target) {
  steps::Drag drag{.target = target_of(target), .until_shown = {}, .right = 0, .down = 0, .held = held_in(step)};
  if (step.has("to") == step.has("by"))
    throw ScriptError(step.path(), fmt::format("{} needs one of \"to\", what is shown in the end, and \"by\", how far.",
                                               step.path()));
  if (step.has("to")) {
    const Value to = step["to"];
    if (!to.is_text() && !to.is_number()) to.refuse("a number, or the text that is shown in the end");
    drag.until_shown = to.is_text() ? to.text() : std::string(to.raw());
    return drag;
  }
  const Value by = step["by"];
  if (!by.is_array() || by.size() != 2) by.refuse("[right, down] in pixels");
  drag.right = by.element(0).number(-most_pixels, most_pixels);
  drag.down = by.element(1).number(-most_pixels, most_pixels);
  return drag;
}

steps::Enter read_enter(const Value& step, const Value& target) {
  const Value text = step.needed("text");
  if (!text.is_text() && !text.is_number()) text.refuse("a text or a number");
  return {target_of(target), text.is_text() ? text.text() : std::string(text.raw())};
}

steps::Keys read_keys(const Value&, const Value& value) {
  if (!value.is_array()) return {{key_of(value)}};
  steps::Keys keys;
  for (JsonItems items(value); const Value* key = items.next();) keys.presses.push_back(key_of(*key));
  return keys;
}

steps::Resize size_of(const Value& value) {
  constexpr Index least[] = {320, 240};
  constexpr Index most[] = {7680, 4320};
  if (!value.is_array() || value.size() != 2) value.refuse("[width, height]");
  return {static_cast<int>(value.element(0).whole(least[0], most[0])),
          static_cast<int>(value.element(1).whole(least[1], most[1]))};
}

float scale_of(const Value& value) { return value.number(0.5, 4); }

ThemeId theme_of(const Value& value) {
  std::string allowed;
  for (const ThemeColours& theme : themes()) {
    const std::string_view joint = allowed.empty() ? "" : theme.theme == themes().back().theme ? " or " : ", ";
    allowed += fmt::format("{}\"{}\"", joint, theme.id);
  }
  const std::string id = value.text(allowed);
  const auto named = std::ranges::find(themes(), id, &ThemeColours::id);
  if (named == themes().end()) value.refuse(allowed);
  return named->theme;
}

steps::Expect read_expect(const Value& step, const Value& target) {
  steps::Expect expect{.target = target_of(target), .text = {}, .is_shown = {}, .is_enabled = {}, .is_on = {}};
  if (step.has("text")) expect.text = step["text"].text("what the widget or the cell shows");
  if (step.has("shown")) expect.is_shown = step["shown"].flag();
  if (step.has("enabled")) expect.is_enabled = step["enabled"].flag();
  if (step.has("on")) expect.is_on = step["on"].flag();
  return expect;
}

using Action = decltype(ScriptStep::action);

struct ActionRow {
  std::string_view key;
  std::initializer_list<std::string_view> others;  // keys that may stand beside it
  Action (*read)(const Value& step, const Value& value);
};

const ActionRow action_rows[] = {
    {"click", {"holding"}, [](const Value& s, const Value& v) -> Action { return read_click<0, 1>(s, v); }},
    {"double_click", {"holding"}, [](const Value& s, const Value& v) -> Action { return read_click<0, 2>(s, v); }},
    {"right_click", {"holding"}, [](const Value& s, const Value& v) -> Action { return read_click<1, 1>(s, v); }},
    {"hover", {}, [](const Value&, const Value& v) -> Action { return steps::PointAt{target_of(v)}; }},
    {"drag", {"to", "by", "holding"}, [](const Value& s, const Value& v) -> Action { return read_drag(s, v); }},
    {"enter", {"text"}, [](const Value& s, const Value& v) -> Action { return read_enter(s, v); }},
    {"type", {}, [](const Value&, const Value& v) -> Action { return steps::Type{v.text("the text to type")}; }},
    {"keys", {}, [](const Value& s, const Value& v) -> Action { return read_keys(s, v); }},
    {"wheel",
     {"by", "holding"},
     [](const Value& s, const Value& v) -> Action {
       return steps::Wheel{target_of(v), s.needed("by").number(-most_lines, most_lines), held_in(s)};
     }},
    {"resize", {}, [](const Value&, const Value& v) -> Action { return size_of(v); }},
    {"scale", {}, [](const Value&, const Value& v) -> Action { return steps::Rescale{scale_of(v)}; }},
    {"theme", {}, [](const Value&, const Value& v) -> Action { return steps::Theme{theme_of(v)}; }},
    {"open", {}, [](const Value&, const Value& v) -> Action { return steps::Open{v.text("the name of a file")}; }},
    {"wait", {}, [](const Value&, const Value& v) -> Action { return steps::Wait{v.number(0, most_seconds)}; }},
    {"expect",
     {"text", "shown", "enabled", "on"},
     [](const Value& s, const Value& v) -> Action { return read_expect(s, v); }},
    {"screenshot",
     {},
     [](const Value&, const Value& v) -> Action { return steps::WritePicture{output_of(v, ".png")}; }},
    {"read", {}, [](const Value&, const Value& v) -> Action { return steps::WriteReading{output_of(v, ".json")}; }},
    {"document", {}, [](const Value&, const Value& v) -> Action {
       return steps::WriteDocument{output_of(v, ".json")};
     }}};

std::vector<std::string_view> action_keys() {
  std::vector<std::string_view> keys;
  for (const ActionRow& row : action_rows) keys.push_back(row.key);
  return keys;
}

ScriptStep read_step(const Value& value) {
  const std::vector<std::string_view> known = action_keys();
  if (!value.is_object()) value.refuse("an object, as {\"click\": \"menu/view/heads\"}");
  const ActionRow* found = nullptr;
  for (const ActionRow& row : action_rows) {
    if (!value.has(row.key)) continue;
    if (found)
      throw ScriptError(value.path(), fmt::format("{} does two things, \"{}\" and \"{}\": make it two steps.",
                                                  value.path(), found->key, row.key));
    found = &row;
  }
  if (!found) {
    value.check_keys(known);
    value.refuse(fmt::format("a step: one of {}", fmt::join(known, ", ")));
  }
  std::vector<std::string_view> keys(found->others);
  keys.insert(keys.begin(), found->key);
  value.check_keys(keys);
  const Value argument = value[found->key];
  return {found->read(value, argument), argument.path()};
}

const std::filesystem::path* output_of(const ScriptStep& step) {
  if (const auto* const picture = std::get_if<steps::WritePicture>(&step.action)) return &picture->name;
  if (const auto* const reading = std::get_if<steps::WriteReading>(&step.action)) return &reading->name;
  const auto* const document = std::get_if<steps::WriteDocument>(&step.action);
  return document ? &document->name : nullptr;
}

std::vector<ScriptStep> read_steps(const Value& value) {
  if (!value.is_array() || value.size() > most_steps)
    value.refuse(fmt::format("an array of at most {} steps", most_steps));
  std::vector<ScriptStep> all;
  for (JsonItems items(value); const Value* item = items.next();) {
    ScriptStep step = read_step(*item);
    const std::filesystem::path* const name = output_of(step);
    const auto writes_it = [&](const ScriptStep& other) {
      return name && output_of(other) && *output_of(other) == *name;
    };
    if (const auto before = std::ranges::find_if(all, writes_it); before != all.end())
      throw ScriptError(
          step.path, fmt::format("{} is \"{}\", which {} writes already.", step.path, shown_path(*name), before->path));
    all.push_back(std::move(step));
  }
  return all;
}

std::variant<Document, std::filesystem::path> document_of(const Value& value, const std::filesystem::path& folder) {
  std::string name;
  if (!value.is_object()) name = value.text("a document, the name of a file, or \"example:\" and the id of an example");
  try {
    if (value.is_object()) return parse_document(value.raw());
    if (const auto example = example_named(name)) return parse_document(example->json);
  } catch (const Error& error) {
    throw ScriptError(value.path(), fmt::format("{}: {}", value.path(), error.what()));
  }
  return folder / name;
}

// Throws Error.
Script read_script(std::string_view text, const std::filesystem::path& folder) {
  const JsonText json(text, "The script");
  const Value script = json.root();
  if (!script.is_object()) throw ScriptError("A script is an object, as {\"steps\": [{\"screenshot\": \"a.png\"}]}.");
  script.check_keys({"document", "size", "scale", "interface_scale", "theme", "steps"});
  Script read;
  if (script.has("document")) read.document = document_of(script["document"], folder);
  if (script.has("size")) {
    const steps::Resize size = size_of(script["size"]);
    read.width = size.width;
    read.height = size.height;
  }
  if (script.has("scale")) read.scale = scale_of(script["scale"]);
  if (script.has("interface_scale")) read.interface_scale = script["interface_scale"].number(0.75, 3);
  if (script.has("theme")) read.theme = theme_of(script["theme"]);
  if (script.has("steps")) read.steps = read_steps(script["steps"]);
  for (ScriptStep& step : read.steps) {
    if (auto* const open = std::get_if<steps::Open>(&step.action)) open->path = folder / open->path;
  }
  return read;
}

}  // namespace

Script parse_script(std::string_view text, const std::filesystem::path& folder) {
  try {
    return read_script(text, folder);
  } catch (const ScriptError&) {
    throw;
  } catch (const Error& error) {
    throw ScriptError(error.field, error.what());
  }
}

}  // namespace attnscope
