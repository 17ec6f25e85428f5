#include "cli/keyboard.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/words.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_keys.h"

namespace attnscope {
namespace {

constexpr std::pair<std::string_view, ImGuiKey> named_keys[] = {
    {"escape", ImGuiKey_Escape},  {"esc", ImGuiKey_Escape},          {"enter", ImGuiKey_Enter},
    {"tab", ImGuiKey_Tab},        {"backspace", ImGuiKey_Backspace}, {"delete", ImGuiKey_Delete},
    {"left", ImGuiKey_LeftArrow}, {"right", ImGuiKey_RightArrow},    {"up", ImGuiKey_UpArrow},
    {"down", ImGuiKey_DownArrow}, {"home", ImGuiKey_Home},           {"end", ImGuiKey_End},
    {"page up", ImGuiKey_PageUp}, {"page down", ImGuiKey_PageDown},  {"space", ImGuiKey_Space}};
constexpr std::pair<char, int (*)()> signs[] = {
    {'[', keys::left_bracket}, {']', keys::right_bracket}, {'-', keys::minus}, {'=', keys::equal}};
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

}  // namespace

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

}  // namespace attnscope
