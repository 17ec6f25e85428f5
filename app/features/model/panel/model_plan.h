#pragma once

#include <imgui.h>

#include <cmath>
#include <string>

#include "core/tensor.h"
#include "features/shared/panel/panels.h"

// The parts of the layout Model share these.
namespace attnscope {

constexpr float arc_width = 84;             // beside the text, in units
constexpr float letters_high = 0.84F;       // of a line
constexpr std::size_t presented_words = 6;  // likeliest next words before an audience

// The places of everything, in Dear ImGui's units.
struct ModelPlan {
  Index layers = 1;
  Index heads = 1;
  Index tokens = 1;
  float unit = 1;
  float line = 1;   // height of a line of the small font
  float name = 1;   // height of a line of the tokens' names
  float top = 0;    // upper edge of the text
  float left = 0;   // left edge of the text
  float token = 0;  // height of a token's line
  float text = 0;   // width of the names
  float arcs = 0;   // where the arcs begin
  float grid = 0;   // where the first head begins
  float grid_top = 0;
  float side = 0;  // side of a picture
  float gap = 0;
  float grid_gap = 0;  // between heads
  float fall = 0;      // height of the number below a head; 0: there is no room
  float words = 0;     // where the next words begin
  float words_width = 0;
  // Before an audience the chosen head is large, and its rows stand beside the text; the others are small.
  ImVec2 large = {};
  bool is_half = false;           // beside another model, or on a small screen: heads and words have all the room
  bool has_words_below = false;   // the words stand below the heads of a half or the large head
  bool has_words_in_row = false;  // three of them in one row, if heads would be small above more
  float large_side = 0;           // 0: no head is larger than others
  float column_names = 0;         // height of the tokens' names above the columns of the large head

  float pitch() const { return side + fall + grid_gap; }
  ImVec2 head(Index layer, Index head) const {
    return {std::floor(grid + static_cast<float>(head) * (side + grid_gap)),
            std::floor(grid_top + static_cast<float>(layers - 1 - layer) * pitch())};
  }
  ImVec2 strip(Index layer, Index strip) const { return head(layer, heads + strip); }
  ImVec2 embeddings() const {
    const ImVec2 last = strip(0, 1);
    return {last.x, last.y + pitch()};
  }
  // Every so many tokens have their names: a line's letters are lower than the line.
  Index name_step() const { return std::max<Index>(static_cast<Index>(std::ceil(letters_high * name / token)), 1); }
  float token_y(Index position) const { return top + (static_cast<float>(position) + 0.5F) * token; }
  float bottom() const { return embeddings().y + side; }
};

// Lays the run out in the room that the window has for it.
ModelPlan plan_of(const ViewContext& context);

inline const ModelRun& run_of(const ViewContext& context) { return *context.now.model.run; }

// A token's text, in which a line's end is seen; "∅" for an empty one.
std::string visible_name(const ViewContext& context, Index token);

// "Layer 1, head 1 (previous word)", without brackets if the model gives the head no name.
std::string head_title(const ViewContext& context, const LayerPicture& picture);

// Shows the layer and the head in Diagram, from where Esc leads back.
void open_head(CallQueue& queue, const LayerPicture& picture);

// "+0.02", "−0.88", and "0.00" without a sign.
std::string change_text(float change, int decimals);

// Returns null until every head was tried at the position that is looked at.
const HeadRanking* ranking_of(const ViewContext& context);

// Draws the tokens below each other; a click chooses the position whose next word is shown.
void draw_tokens_of_model(const ViewContext& context, CallQueue& queue, const ModelPlan& plan);

// Returns whether a question covers weights of the layer: of the other layers nothing is covered.
bool has_covers(const ViewContext& context, Index layer);

// Draws the weights of a head as arcs beside the text, those of the chosen position strong.
void draw_arcs(const ViewContext& context, const ModelPlan& plan, const LayerPicture& picture, const Rgb& colour);

// Draws the column of next words, and appends the word that is chosen.
void draw_next_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan);

// Draws the likeliest next words alone, from the top of the column on.
void draw_likely_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, std::size_t most);

// Draws the three likeliest next words beside each other, below the heads of one of two models.
void draw_row_of_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan);

// Draws the list of the heads without which the followed word's probability changes most, from `top` on.
void draw_falls(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, float top, std::size_t most);

}  // namespace attnscope
