#include "features/model/panel/model_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "ui/widgets.h"

// Computes the places of the parts of the layout Model.
namespace attnscope {
namespace {

constexpr float margin = 14;
constexpr float gap_between = 8;
constexpr float next_words_width = 268;   // of the likeliest next words
constexpr float tallest_token = 26;       // line of the text
constexpr float least_name = 13.3F;       // line of a token's name where names would not fit below each other
constexpr float likely_share = 0.36F;     // of the height, for the next words before an audience
constexpr float heads_share = 0.34F;      // and for all heads
constexpr float most_head_above = 0.62F;  // of the height, for the chosen head above them
constexpr float widest_text = 150;        // of a token's name
constexpr float most_column_names = 60;   // height of a token's name above its column
constexpr float least_head = 14;          // of a head
constexpr float least_for_fall = 46;      // of a head whose number stands below it

// Makes the heads as large as a room of `wide` × `high` for each allows, and leaves little of it between small ones.
void fit_heads(ModelPlan& plan, float wide, float high, float least) {
  plan.fall = 0;
  plan.grid_gap = std::min(plan.gap, 0.15F * std::min(wide, high));
  plan.side = std::floor(std::max(std::min(wide, high) - plan.grid_gap, least * plan.unit));
}

// Gives all heads the same room, between the text and the next words.
void place_all_heads(ModelPlan& plan, float height, float right, float label) {
  plan.grid = plan.arcs + arc_width * plan.unit + label;
  plan.grid_top = plan.top;
  plan.words_width = next_words_width * plan.unit;
  plan.words = right - plan.words_width;
  const auto columns = static_cast<float>(plan.heads + 2);
  const float wide = (plan.words - 2 * plan.gap - plan.grid) / columns;
  const auto rows = static_cast<float>(plan.layers + 1);  // the last one of the embeddings
  const float high = height / rows;
  const float number = plan.line + 2 * plan.unit;
  plan.side = std::floor(std::min(wide, high - number) - plan.gap);
  plan.fall = number;
  if (plan.side >= least_for_fall * plan.unit) return;
  fit_heads(plan, wide, high, least_head);
  // Many heads need more room than there is: the page scrolls to the words behind them.
  plan.words = std::max(plan.words, plan.strip(0, 1).x + plan.side + 2 * plan.gap);
}

// Gives the heads of one of two models the room beside its words or above them, whichever makes them larger.
void place_half(ModelPlan& plan, float height, float right, float label) {
  constexpr float most_share = 0.42F;           // of the width, for the words
  constexpr float least_share = 0.8F;           // of the side that the width allows: else the words make way
  const float row = plan.line + 5 * plan.unit;  // of a word
  plan.grid = plan.left + label;
  plan.grid_top = plan.top - plan.line;
  height += plan.line;
  plan.fall = plan.line + 2 * plan.unit;
  const float width = right - plan.left;
  const auto heads = static_cast<float>(plan.heads);
  const auto layers = static_cast<float>(plan.layers);
  const auto side_in = [&](float wide, float high) {
    return std::min(wide / heads, high / layers - plan.fall) - plan.gap;
  };
  const float whole = right - 2 * plan.gap - plan.grid;
  const float beside = std::min(next_words_width * plan.unit, most_share * width);
  float below = presented_words * row + 3 * plan.line;
  const float in_row = side_in(whole, height - row - 2 * plan.line);
  plan.has_words_in_row =
      side_in(whole, height - below) < least_share * (whole / heads - plan.gap) && in_row >= least_for_fall * plan.unit;
  if (plan.has_words_in_row) below = row + 2 * plan.line;
  plan.has_words_below = side_in(whole, height - below) > side_in(whole - beside, height);
  plan.words_width = plan.has_words_below ? width / 2 : beside;
  plan.words = plan.has_words_below ? plan.left : right - beside;
  const float wide = (plan.has_words_below ? whole : whole - beside) / heads;
  const float high = (plan.has_words_below ? height - below : height) / layers;
  plan.side = std::floor(std::min(wide, high - plan.fall) - plan.gap);
  if (plan.side < least_for_fall * plan.unit) fit_heads(plan, wide, high, least_head);
}

// Puts the chosen head above the next words, and all heads, small, beside these: a narrow screen has no room beside it.
void place_large_head_above(ModelPlan& plan, float height, float right, float label) {
  const float left = plan.large.x;
  plan.large_side = std::floor(std::min(right - left, most_head_above * height));
  plan.token = plan.large_side / static_cast<float>(plan.tokens);
  plan.has_words_below = true;
  plan.words = plan.left;
  plan.words_width = (right - plan.left) / 2 - plan.gap;
  plan.grid = plan.words + plan.words_width + plan.gap + label;
  const float below = plan.top + plan.large_side;
  plan.grid_top = below + 2 * plan.line + plan.gap;
  fit_heads(plan, (right - plan.grid) / static_cast<float>(plan.heads),
            (plan.top + height - plan.grid_top) / static_cast<float>(plan.layers), 1);
}

// Gives the chosen head the height of the screen. Its rows stand beside the text, and all heads are small between the
// next words and the list of heads that matter.
void place_large_head(ModelPlan& plan, float height, float right, float label) {
  const float left = plan.arcs + arc_width * plan.unit;
  plan.words_width = std::clamp(right - left - height - 2 * plan.gap, next_words_width * plan.unit, 380 * plan.unit);
  plan.words = right - plan.words_width;
  plan.large_side = std::floor(std::max(std::min(height, plan.words - 2 * plan.gap - left), plan.unit));
  plan.large = {std::floor(left), std::floor(plan.top)};
  if (plan.large_side < std::min(right - left, most_head_above * height))
    return place_large_head_above(plan, height, right, label);
  plan.token = plan.large_side / static_cast<float>(plan.tokens);
  plan.grid = plan.words + label;
  plan.grid_top = plan.top + likely_share * height + plan.line;
  const float wide = (right - plan.grid) / static_cast<float>(plan.heads);
  const float high = heads_share * height / static_cast<float>(plan.layers);
  fit_heads(plan, wide, high, 1);
}

}  // namespace

ModelPlan plan_of(const ViewContext& context) {
  const ModelRun& run = run_of(context);
  ModelPlan plan;
  plan.layers = run.pass->layer_count();
  plan.heads = run.config.num_heads;
  plan.tokens = std::ssize(run.pass->tokens);
  plan.unit = unit(context);
  plan.line = font_height(context.fonts.small_text);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  plan.gap = plan.grid_gap = gap_between * plan.unit;
  plan.left = corner.x + margin * plan.unit;
  plan.top = corner.y + margin * plan.unit + 2 * plan.line;
  float height = std::max(room.y - (plan.top - corner.y) - margin * plan.unit, 1.0F);
  plan.token = std::min(height / static_cast<float>(plan.tokens), tallest_token * plan.unit);
  for (const Index token : run.pass->tokens)
    plan.text = std::max(plan.text, text_size(context.fonts.small_text, visible_name(context, token)).x);
  plan.text = std::min(std::ceil(plan.text + 1), widest_text * plan.unit) + 2 * plan.gap;
  plan.arcs = plan.left + plan.text;
  const float right = corner.x + room.x;
  plan.is_half = context.beside != nullptr || stacks_panels(context);
  if (is_presenting(context) && !plan.is_half) {
    plan.column_names = std::min(plan.text - 2 * plan.gap, most_column_names * plan.unit) + 6 * plan.unit;
    plan.top += plan.column_names;
    height -= plan.column_names;
  }
  const float label = text_size(context.fonts.small_text, fmt::format("Layer {}", plan.layers)).x + plan.gap;
  const auto place = plan.is_half ? place_half : is_presenting(context) ? place_large_head : place_all_heads;
  place(plan, height, right, label);
  plan.name = std::clamp(plan.token / letters_high, std::min(least_name * plan.unit, plan.line), plan.line);
  return plan;
}

}  // namespace attnscope
