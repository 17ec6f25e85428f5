#include "views/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/widgets.h"

namespace attnscope {

void draw_number_slider(const ViewContext& context, CommandQueue& queue, const NumberField& field) {
  const std::string_view reason = field.reason(context.document.config);
  const std::optional<double> current = field.get(context.document.config);
  const std::string label(field.label);
  auto value = static_cast<float>(current.value_or(0));
  begin_row(context, label.c_str(), reason);
  ImGui::PushID(label.c_str());
  if (ImGui::SliderFloat("##number", &value, 0.0f, static_cast<float>(field.slider_end), current ? "%.2f" : "off")) {
    // Two decimals, as shown.
    const double rounded = std::round(static_cast<double>(value) * 100) / 100;
    const bool is_off = field.can_be_off && rounded <= 0;
    const auto chosen = is_off ? std::nullopt : std::optional(std::clamp(rounded, field.lowest, field.highest));
    queue.push_back(
        EditDocument{label, [set = field.set, chosen](Document& document) { set(document.config, chosen); }, false});
  }
  ImGui::PopID();
  if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
  end_row(context, fmt::format("setup/{}", field.key), reason, field.help);
}

}  // namespace attnscope
