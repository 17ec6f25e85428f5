#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "views/panels.h"
#include "views/stage_card.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float card_gap = 10;
constexpr float min_heat = 60;
struct HeadGrid {
  Index columns = 1;
  ImVec2 heat;
  float text = 0;  // how large a number could stand in a cell
};

ImVec2 heat_for_columns(const ViewContext& context, CardSpec card, Index heads, Index columns, ImVec2 available) {
  const Index rows = (heads + columns - 1) / columns;
  const float space = card_gap * unit(context);
  const ImVec2 card_size{(available.x - space * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                         (available.y - space * static_cast<float>(rows - 1)) / static_cast<float>(rows)};
  card.heat_size = {card_size.x * 0.7f, card_size.y};  // a first guess of the cell width, for the labels' height
  const CardMargins margins = card_margins(context, card);
  return shaped_heat(card.stage,
                     {card_size.x - margins.left - margins.right, card_size.y - margins.top - margins.bottom});
}

// Numbers with two decimals take about two and a half times as much width as height.
float text_in(const StageView& view, ImVec2 heat) {
  const float width = heat.x / static_cast<float>(view.cols);
  const float height = heat.y / static_cast<float>(view.rows);
  return view.rows <= few_tokens ? std::min(width / 2.5f, height) : std::min(width, height);
}

// Where there is no room for all of them, the page is scrolled down, but not beside an empty space.
Index columns_of_smallest(const ViewContext& context, CardSpec card, Index heads, ImVec2 available) {
  const float smallest = min_heat * unit(context);
  card.heat_size = {smallest, smallest};
  const CardMargins margins = card_margins(context, card);
  const float width = std::max(margins.left + smallest + margins.right, min_card_width(context, card));
  const float space = card_gap * unit(context);
  return std::clamp<Index>(static_cast<Index>((available.x + space) / (width + space)), 1, heads);
}

// As many columns as give the largest cells.
HeadGrid choose_grid(const ViewContext& context, const CardSpec& card, Index heads, ImVec2 available) {
  HeadGrid best;
  for (Index columns = 1; columns <= std::min<Index>(heads, 16); ++columns) {
    const ImVec2 heat = heat_for_columns(context, card, heads, columns, available);
    const float text = text_in(card.stage, heat);
    if (text > best.text) best = {columns, heat, text};
  }
  const float smallest = min_heat * unit(context);
  if (std::min(best.heat.x, best.heat.y) < smallest)
    best.columns = columns_of_smallest(context, card, heads, available);
  best.heat = {std::max(best.heat.x, smallest), std::max(best.heat.y, smallest)};
  if (card.stage.rows <= few_tokens) {
    const float cols = static_cast<float>(card.stage.cols);
    const float tokens = static_cast<float>(card.stage.rows);
    best.heat = {std::max(1.0f, std::floor(best.heat.x / cols)) * cols,
                 std::max(1.0f, std::floor(best.heat.y / tokens)) * tokens};
  }
  return best;
}

// So many numbers that it would take minutes to read them are not read for a picture.
void draw_share(const ViewContext& context, const StageView& view) {
  const double share = view.share();
  if (share == 1) return;
  dim_text(context, fmt::format("These matrices are drawn from {} of the {} rows of each, evenly spread: all of them "
                                "are {:.0f} billion numbers. One head at a time is drawn from every row.",
                                rows_read(view.rows, share), view.rows,
                                1e-9 * static_cast<double>(view.rows * view.cols * view.side_by_side)));
}

// What there is of each, in a grid.
void draw_cards(const ViewContext& context, CommandQueue& queue, CardSpec card, Index heads, ImVec2 available) {
  const HeadGrid grid = choose_grid(context, card, heads, available);
  card.heat_size = grid.heat;
  const CardMargins margins = card_margins(context, card);
  const ImVec2 size{std::max(margins.left + grid.heat.x + margins.right, min_card_width(context, card)),
                    margins.top + grid.heat.y + margins.bottom};
  const float space = card_gap * unit(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  for (Index head = 0; head < heads; ++head) {
    const Index row = head / grid.columns;
    const ImVec2 pos{origin.x + static_cast<float>(head % grid.columns) * (size.x + space),
                     origin.y + static_cast<float>(row) * (size.y + space)};
    const bool is_seen = ImGui::IsRectVisible(pos, {pos.x + size.x, pos.y + size.y});
    if (const std::optional<StageView> view = stage_view(context, context.view.stage, head, is_seen)) {
      card.stage = *view;
      ImGui::PushID(static_cast<int>(head));
      draw_stage_card(context, queue, card, pos, size);
      ImGui::PopID();
    } else {
      ImGui::SetCursorScreenPos(pos);
      dim_text(context, fmt::format("Head {} follows.", head + 1));
    }
  }
  const Index rows = (heads + grid.columns - 1) / grid.columns;
  ImGui::SetCursorScreenPos({origin.x, origin.y + static_cast<float>(rows) * (size.y + space) - space});
  ImGui::Dummy({1, 0});
}

}  // namespace

void draw_heads(const ViewContext& context, CommandQueue& queue) {
  const bool is_of_heads = context.result() && is_per_head(context.result()->config, context.view.stage);
  const Index heads = is_of_heads ? head_count(context.result()->config) : 1;
  std::optional<StageView> first;
  for (Index head = 0; head < heads && !first; ++head) first = stage_view(context, context.view.stage, head);
  if (!first) {
    dim_text(context, why_missing(context, context.view.stage));
    return;
  }
  draw_share(context, *first);
  const ImVec2 available = ImGui::GetContentRegionAvail();
  const auto card_in = [&](const ViewContext& sized) {
    CardSpec card = make_card(sized, *first);
    card.is_titled_by_head = heads > 1;
    return card;
  };
  const int step = text_step_of_cards(context, *first, [&](const ViewContext& larger) {
    return choose_grid(larger, card_in(larger), heads, available).heat;
  });
  const auto draw = [&](const ViewContext& sized) { draw_cards(sized, queue, card_in(sized), heads, available); };
  step == 0 ? draw(context) : draw(resized(context, step));  // which copies the names of all tokens
}

}  // namespace attnscope
