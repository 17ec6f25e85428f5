#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "look/diagram.h"
#include "paint_window/imgui_compat.h"
#include "paint_window/text.h"
#include "views/format.h"
#include "views/heatmap.h"
#include "views/imgui_keys.h"
#include "views/panels.h"
#include "views/stage_card.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float least_heat = 40;
constexpr float side_share = 0.2f;  // of the width, for what the stage follows from
constexpr float least_side = 96;
constexpr float most_side = 220;
constexpr float focus_gap = 12;
constexpr float least_arrow = 32;
constexpr float least_before = 8;  // of the height of a small picture

ImVec2 large_heat(const ViewContext& context, CardSpec card, ImVec2 available) {
  card.heat_size = {available.x * 0.7f, available.y};
  ImVec2 heat;
  for (int turn = 0; turn < 2; ++turn) {  // how high the names of columns are depends on the width of a cell
    const CardMargins margins = card_margins(context, card);
    const ImVec2 room{std::max(least_heat, available.x - margins.left - margins.right),
                      std::max(least_heat, available.y - margins.top - margins.bottom)};
    card.heat_size = heat = shaped_heat(card.stage, room);
  }
  const float cols = static_cast<float>(card.stage.cols);
  const float rows = static_cast<float>(card.stage.rows);
  if (card.stage.rows <= 64) heat.y = std::max(1.0f, std::floor(heat.y / rows)) * rows;
  if (card.stage.cols <= 64) heat.x = std::max(1.0f, std::floor(heat.x / cols)) * cols;
  return heat;
}

// What the stage follows from, past what the document does without.
std::vector<StageView> views_before(const ViewContext& context, const StageView& view) {
  const AttentionConfig& config = view.result->config;
  std::vector<StageView> views;
  if (view.result->external) return views;
  for (Stage stage : predecessors(config, view.info->stage)) {
    while (!acts_in(config, stage) && predecessors(config, stage).size() > 0) stage = predecessors(config, stage)[0];
    if (const std::optional<StageView> before = stage_view(context, stage, view.head)) views.push_back(*before);
  }
  return views;
}

float title_height(const ViewContext& context) { return font_height(context.fonts.small_text) + 3 * unit(context); }

// A small picture of it with its name above; a click makes it the large one. Returns its lower right corner.
ImVec2 draw_before(const ViewContext& context, CommandQueue& queue, const StageView& view, ImVec2 min_screen,
                   ImVec2 room) {
  const float line = title_height(context);
  const ImVec2 heat = shaped_heat(view, {room.x, room.y - line});
  const ImVec2 heat_min{min_screen.x, min_screen.y + line};
  const CellGrid grid = cell_grid(context, view, heat_min, {heat_min.x + heat.x, heat_min.y + heat.y});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, context.fonts.small_text, min_screen, to_u32(context.theme.text),
            fit_text(context.fonts.small_text, view.info->title, room.x));
  if (context.heatmaps) context.heatmaps->draw(list, heatmap_quad(context, view, grid));
  ImGui::SetCursorScreenPos(min_screen);
  if (ImGui::InvisibleButton(std::string(view.info->id).c_str(), {heat.x, heat.y + line})) {
    queue.push_back(UpdateView{[stage = view.info->stage](ViewState& state) { state.stage = stage; }});
  }
  const bool is_hovered = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && shows_focus());
  list.AddRect(grid.min_screen, grid.max_screen, to_u32(is_hovered ? context.theme.accent : context.theme.border), 0, 0,
               (is_hovered ? 2 : 1) * unit(context));
  register_item(context, fmt::format("focus/{}", view.info->id));
  item_tooltip(context, fmt::format("Show {} large: {}", view.info->title, format_shape(view.shape)));
  return grid.max_screen;
}

// What turns them into the stage, on an arrow into its card.
void draw_arrow(const ViewContext& context, const StageView& view, float left, float right, float y) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = with_alpha(context.theme.dim_text, 0.6F);
  const float head = 7 * unit(context);
  list.AddLine({left, y}, {right - head, y}, colour, std::max(1.0F, 1.5F * unit(context)));
  list.AddTriangleFilled({right, y}, {right - head, y + 0.6F * head}, {right - head, y - 0.6F * head}, colour);
  const DiagramOperator words = diagram_operator(view.result->config, view.info->stage);
  const ImFont* const font = context.fonts.small_text;
  const float gap = 3 * unit(context);
  const auto centred = [&](std::string_view text, float top, const ImVec4& ink) {
    const float width = text_size(font, text).x;
    draw_text(list, font, {std::floor((left + right - width) / 2), top}, to_u32(ink), text);
  };
  centred(words.sign, y - font_height(font) - gap, context.theme.text);
  centred(words.note, y + gap, context.theme.dim_text);
}

float arrow_width(const ViewContext& context, const StageView& view) {
  const DiagramOperator words = diagram_operator(view.result->config, view.info->stage);
  const ImFont* const font = context.fonts.small_text;
  const float widest = std::max(text_size(font, words.sign).x, text_size(font, words.note).x);
  return std::max(least_arrow * unit(context), widest + 12 * unit(context));
}

// A line from each to one that the arrow begins at. Returns the width that all of it takes, with the space behind: none
// in a window that is too low for the pictures.
float draw_all_before(const ViewContext& context, CommandQueue& queue, const StageView& view, ImVec2 available) {
  const std::vector<StageView> views = views_before(context, view);
  if (views.empty()) return 0;
  const float space = focus_gap * unit(context);
  const float width = std::clamp(side_share * available.x, least_side * unit(context), most_side * unit(context));
  const auto count = static_cast<float>(views.size());
  const float height = std::min(available.y / count, width * 1.2f + space);
  if (height < space + title_height(context) + least_before * unit(context)) return 0;
  const float arrow = arrow_width(context, view);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float joint = corner.x + width + space;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = with_alpha(context.theme.dim_text, 0.6F);
  const float thickness = std::max(1.0F, 1.5F * unit(context));
  std::vector<float> middles;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const ImVec2 pos{corner.x, corner.y + height * static_cast<float>(i)};
    const ImVec2 high = draw_before(context, queue, views[i], pos, {width, height - space});
    middles.push_back(std::floor((pos.y + title_height(context) + high.y) / 2));
    list.AddLine({high.x + 3 * unit(context), middles.back()}, {joint, middles.back()}, colour, thickness);
  }
  list.AddLine({joint, middles.front()}, {joint, middles.back()}, colour, thickness);
  const float y = std::floor((middles.front() + middles.back()) / 2);
  draw_arrow(context, view, joint, joint + arrow, y);
  return width + space + arrow + 3 * unit(context);
}

struct LargeCard {
  CardSpec spec;
  ImVec2 min_screen;
  ImVec2 size;
};

// Beside what it follows from, which takes `side`.
LargeCard large_card(const ViewContext& context, const StageView& view, float side) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 available = ImGui::GetContentRegionAvail();
  LargeCard card{make_card(context, view), {origin.x + side, origin.y}, {available.x - side, available.y}};
  card.spec.is_large = true;
  card.spec.heat_size = large_heat(context, card.spec, card.size);
  return card;
}

}  // namespace

void draw_focus(const ViewContext& context, CommandQueue& queue) {
  const std::optional<StageView> view = stage_view(context, context.view.stage, context.view.head);
  if (!view) {
    dim_text(context, why_missing(context, context.view.stage));
    return;
  }
  const ImVec2 corner = ImGui::GetCursorPos();
  const float side = draw_all_before(context, queue, *view, ImGui::GetContentRegionAvail());
  ImGui::SetCursorPos(corner);
  const auto draw = [&](const ViewContext& sized) {
    const LargeCard card = large_card(sized, *view, side);
    draw_stage_card(sized, queue, card.spec, card.min_screen, card.size);
  };
  const int step = text_step_of_cards(
      context, *view, [&](const ViewContext& larger) { return large_card(larger, *view, side).spec.heat_size; });
  step == 0 ? draw(context) : draw(resized(context, step));  // which copies the names of all tokens
  ImGui::SetCursorPos(corner);
  ImGui::Dummy({1, 0});
}

}  // namespace attnscope
