#include "features/shared/panel/menu.h"

#include <cfloat>
#include <string>

#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {

bool menu_item(const ViewContext& context, std::string_view name, std::string_view label, const MenuItem& item) {
  const bool is_enabled = item.is_enabled && item.obstacle.empty();
  const std::string keys(item.keys);
  const bool pressed =
      ImGui::MenuItem(std::string(label).c_str(), keys.empty() ? nullptr : keys.c_str(), item.is_on, is_enabled);
  register_item(context, name, {.enabled = is_enabled, .is_on = item.is_on});
  const std::string_view said = item.obstacle.empty() ? item.help : item.obstacle;
  if (!said.empty()) item_tooltip(context, said);
  return pressed;
}

bool begin_menu(const ViewContext& context, std::string_view name, const char* label) {
  // Below its bar, and scrolled where it is higher than the room there: over the pointer, the click that opens it would
  // choose an item.
  const float room = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y - ImGui::GetFrameHeight();
  const bool is_in_bar = ImGui::GetCurrentContext()->CurrentWindow->DC.NavLayerCurrent == ImGuiNavLayer_Menu;
  if (is_in_bar) ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, room});
  const bool is_reached = ImGui::GetCurrentContext()->NavJustMovedToId == ImGui::GetID(label);
  if (is_in_bar && is_reached) ImGui::OpenPopup(label);  // by an arrow, from the menu beside it
  const bool open = ImGui::BeginMenu(label);
  register_opener(context, name, open);
  return open;
}

std::string_view viewing_reason(const ViewContext& context) {
  return context.now.viewing ? "The file that is shown only holds attention that was computed elsewhere." : "";
}

}  // namespace attnscope
