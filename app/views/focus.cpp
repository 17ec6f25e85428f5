#include <algorithm>
#include <cmath>

#include "views/panels.h"
#include "views/stage_card.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float max_cell = 96;

// As large as there is room for; few tokens get cells wider than high.
ImVec2 large_heat(const ViewContext& context, CardSpec card, ImVec2 available) {
  card.heat_size = {available.x * 0.7f, available.y};
  const CardMargins margins = card_margins(context, card);
  ImVec2 heat{available.x - margins.left - margins.right, available.y - margins.top - margins.bottom};
  const float cols = static_cast<float>(card.stage.cols);
  const float rows = static_cast<float>(card.stage.rows);
  heat.x = std::clamp(heat.x, 40.0f, max_cell * 1.4f * unit(context) * cols);
  heat.y = std::clamp(heat.y, 40.0f, max_cell * unit(context) * rows);
  if (is_query_by_key(card.stage.info->axes)) heat.x = std::min(heat.x, heat.y * (rows <= 16 ? 1.5f : 1.0f));
  if (is_query_by_key(card.stage.info->axes)) heat.y = std::min(heat.y, heat.x);
  if (rows <= 64) heat.y = std::max(1.0f, std::floor(heat.y / rows)) * rows;
  if (cols <= 64) heat.x = std::max(1.0f, std::floor(heat.x / cols)) * cols;
  return heat;
}

}  // namespace

void draw_focus(const ViewContext& context, CommandQueue& queue) {
  const std::optional<StageView> view = stage_view(context, context.view.stage, context.view.head);
  if (!view) {
    dim_text(context, why_missing(context, context.view.stage));
    return;
  }
  CardSpec card = make_card(context, *view);
  card.is_large = true;
  const ImVec2 available = ImGui::GetContentRegionAvail();
  card.heat_size = large_heat(context, card, available);
  draw_stage_card(context, queue, card, ImGui::GetCursorScreenPos(), available);
  ImGui::Dummy({1, 0});
}

}  // namespace attnscope
