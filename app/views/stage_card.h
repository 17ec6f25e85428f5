#pragma once

#include <functional>

#include "views/stage_view.h"

namespace attnscope {

// One stage as a card: title, formula and shape, colour bar, heatmap with labels on both axes, numbers and row sums.
struct CardSpec {
  StageView stage;
  ImVec2 heat_size;                // of the heatmap itself, in units
  float sum_width = 0;             // of the column of row sums
  bool is_titled_by_head = false;  // Heads view: the head is the title
  bool is_large = false;           // Focus view: colour bar at the side, the PyTorch line below the formula
};

// Space around the heatmap: what a layout adds to heat_size to get the card's size.
struct CardMargins {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

// A card of the stage, measured once: layouts ask for its margins many times.
CardSpec make_card(const ViewContext& context, const StageView& view);

constexpr Index few_tokens = 16;  // so few that their numbers are to be read
// As much of the room for a heatmap as it fills without cells that are too far from square.
ImVec2 shaped_heat(const StageView& view, ImVec2 room);

// A step up in the size of text where cells stay tall against its lines, and wide against the names above them. `heat`
// is the size of a card's heatmap in larger text.
int text_step_of_cards(const ViewContext& context, const StageView& view,
                       const std::function<ImVec2(const ViewContext&)>& heat);

CardMargins card_margins(const ViewContext& context, const CardSpec& spec);
float min_card_width(const ViewContext& context, const CardSpec& spec);  // so that the title is whole

void draw_stage_card(const ViewContext& context, CommandQueue& queue, const CardSpec& spec, ImVec2 min_screen,
                     ImVec2 size);

}  // namespace attnscope
