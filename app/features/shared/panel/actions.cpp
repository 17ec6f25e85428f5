#include "features/shared/panel/actions.h"

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

void action_items(const ViewContext& context, CommandQueue& queue, std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    if (id.empty()) {
      ImGui::Separator();
      continue;
    }
    const Action& row = action(id);
    const std::string label = row.label_now ? row.label_now(context) : row.label;
    const std::string chord = row.chord.text();
    const std::string obstacle = obstacle_of(row, context);
    const bool is_on = row.is_on && row.is_on(context);
    const std::string name = fmt::format("menu/{}", id);
    if (menu_item(context, name, label.c_str(), chord.empty() ? nullptr : chord.c_str(), is_on, obstacle.empty()))
      row.run(context, queue);
    item_tooltip(context, obstacle);
  }
}

}  // namespace attnscope
