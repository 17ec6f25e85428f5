#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

struct Modifiers {
  bool control = false;
  bool shift = false;
  bool alt = false;
};
// A key with what is held: "Ctrl+Z", "Shift+Left", "F1".
struct KeyPress {
  Modifiers held;
  std::string key;
};

// Nothing where the text names no key.
std::optional<KeyPress> key_press_named(std::string_view text);
// "Ctrl", "Shift+Alt".
std::optional<Modifiers> modifiers_named(std::string_view text);

// Returns Dear ImGui's code of the key, in its current context.
int code_of(const KeyPress& press);

}  // namespace attnscope
