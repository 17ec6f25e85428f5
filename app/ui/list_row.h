#pragma once

#include <string>
#include <string_view>

#include "ui/imgui_keys.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {

constexpr float typed_number_width = 76;

struct RowText {
  std::string_view reason;  // why the row is disabled; empty when it is not
  std::string_view help;
};

// One line of a list; whether it was chosen.
inline bool list_item(const ViewContext& context, const std::string& name, const std::string& label, bool is_chosen) {
  const bool pressed = ImGui::Selectable((label + "##" + name).c_str(), is_chosen);
  register_item(context, name, {.is_on = is_chosen});
  return pressed;
}

// A list of `items`, which are drawn while it is open.
template <typename Items>
void draw_list(const ViewContext& context, const char* label, const std::string& name, const std::string& shown,
               const RowText& text, const Items& items) {
  begin_list_row(context, label, shown, text.reason);
  const bool is_open = ImGui::BeginCombo(("##" + name).c_str(), shown.c_str(), ImGuiComboFlags_HeightLarge);
  register_opener(context, name, is_open, text.reason.empty());
  if (!is_open) item_tooltip(context, text.reason.empty() ? text.help : text.reason);
  if (is_open) {
    items();
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
}

}  // namespace attnscope
