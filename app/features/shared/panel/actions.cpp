#include <fmt/format.h>

#include <algorithm>

#include "features/shared/panel/menu.h"
#include "ui/widgets.h"

namespace attnscope {

std::string Chord::text() const {
  if (!is_there()) return {};
  std::string name = function != 0 ? fmt::format("F{}", function) : std::string(1, key);
  if (arrow != Arrow::none) name = arrow == Arrow::left ? "←" : "→";
  return fmt::format("{}{}{}{}", control ? "Ctrl+" : "", shift ? "Shift+" : "", alt ? "Alt+" : "", name);
}

const Action& action(std::string_view id) {
  const auto found = std::ranges::find(actions(), id, [](const Action& row) { return std::string_view(row.id); });
  IM_ASSERT(found != actions().end() && "menus name actions of the table");
  return *found;
}

std::string obstacle_of(const Action& action, const ViewContext& context) {
  return action.obstacle ? action.obstacle(context) : "";
}

void action_button(const ViewContext& context, CallQueue& queue, std::string_view name, const char* label,
                   const Action& action, std::string_view more) {
  const std::string help =
      fmt::format("{} ({}){}{}", action.label, action.chord.text(), more.empty() ? "" : ": ", more);
  if (push_button(context, name, label, obstacle_of(action, context), help)) action.run(context, queue);
}

static void action_item(const ViewContext& context, CallQueue& queue, const Action& row) {
  const std::string label = row.label_now ? row.label_now(context) : row.label;
  if (menu_item(
          context, fmt::format("menu/{}", row.id), label,
          {.keys = row.chord.text(), .is_on = row.is_on && row.is_on(context), .obstacle = obstacle_of(row, context)}))
    row.run(context, queue);
}

void action_items(const ViewContext& context, CallQueue& queue, std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    if (id.empty()) {
      ImGui::Separator();
    } else {
      action_item(context, queue, action(id));
    }
  }
}

void end_menu(const ViewContext& context, CallQueue& queue, std::string_view menu) {
  for (const Action& row : actions()) {
    if (row.ends_menu && std::string_view(row.id).starts_with(menu)) action_item(context, queue, row);
  }
  ImGui::EndMenu();
}

}  // namespace attnscope
