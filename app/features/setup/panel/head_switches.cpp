#include <fmt/format.h>

#include <string>

#include "features/edit/panel/cell_edits.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"

namespace attnscope {

void draw_head_switches(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const std::size_t off = config.heads_off.size();
  const std::string state = off == 0 ? "All heads are on." : fmt::format("{} of {} heads off.", off, config.num_heads);
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(off == 0 ? context.theme.inks.text : context.theme.inks.warning));
  const bool is_open = ImGui::BeginCombo("##heads_off", "", ImGuiComboFlags_HeightLarge | ImGuiComboFlags_NoPreview);
  ImGui::PopStyleColor();
  register_opener(context, "setup/heads_off", is_open);
  if (!is_open) return item_tooltip(context, state + " Switch them here: the context of a head that is off is zero.");
  for (Index head = 0; head < config.num_heads; ++head) {
    const bool is_on = !is_off(config, head);
    const std::string label = fmt::format("Head {} {}", head + 1, is_on ? "" : "(off)");
    if (text_item(static_cast<int>(head), label, is_on, ImGuiSelectableFlags_DontClosePopups))
      switch_head(context, queue, head);
    register_item(context, fmt::format("setup/heads_off/{}", head), {.is_on = is_on});
  }
  ImGui::EndCombo();
}

}  // namespace attnscope
