#include "features/stages/panel/diagram_notes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "core/parameters.h"
#include "document/builtin.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float padding_across = 9;
constexpr float padding_down = 4;
constexpr double reach = 260;  // a note stands no farther from what it is about

constexpr std::string_view hint_text = "Drag this number";
constexpr Index hinted_token = 1;  // thing of cat

ImVec2 size_of_note(const ViewContext& context, std::string_view text) {
  const ImVec2 size = text_size(context.fonts.small_text, text);
  return {size.x + 2 * padding_across * unit(context), size.y + 2 * padding_down * unit(context)};
}

std::optional<Box> place_of_note(const scene::DiagramLayout& layout, const PicturePlace& place, ImVec2 size,
                                 const picture::Point& near, double far) {
  return scene::free_place(layout, static_cast<double>(size.x / place.scale), static_cast<double>(size.y / place.scale),
                           near, far);
}

ImVec2 corner_of(const PicturePlace& place, const Box& box) {
  const ImVec2 pos = place.at(box.x, box.y);
  return {std::round(pos.x), std::round(pos.y)};
}

struct PlacedNote {
  std::string_view text;
  ImVec2 size;
  Box box;
};

// Returns the longest of these texts that has room beside the weights: below their card, above it, or further away.
std::optional<PlacedNote> place_at_weights(const ViewContext& context, const scene::DiagramLayout& layout,
                                           const PicturePlace& place, const Box& card,
                                           std::initializer_list<std::string_view> texts) {
  constexpr double close = 64;
  for (const double far : {close, reach}) {
    for (const std::string_view text : texts) {
      const ImVec2 size = size_of_note(context, text);
      const double height = static_cast<double>(size.y / place.scale);
      for (const double y : {card.bottom() + 4 * layout.unit, card.y - height - 4 * layout.unit}) {
        const std::optional<Box> box = place_of_note(layout, place, size, {card.x, y}, far);
        if (box) return PlacedNote{text, size, *box};
      }
    }
  }
  return {};
}

// Returns what is said of equal shares in this document.
std::string_view words_of_equal_shares(const AttentionConfig& config) {
  const bool is_drawn = !parameter_shapes(config).empty() && config.weight_overrides.empty() &&
                        !std::holds_alternative<ModelInputs>(config.inputs);
  return is_drawn ? "nearly equal shares: the weights are random" : "nearly equal shares: the scores are alike";
}

// Returns whether the document is the opening one but for the numbers of its embeddings.
bool has_opening_words(const Document& document) {
  const Document opening = opening_document();
  return document.tokens == opening.tokens && document.config.dimensions == opening.config.dimensions;
}

// Returns whether the number that the hint is about is as it was.
bool is_still_there(const Document& document) {
  const Document opening = opening_document();
  const auto number = [](const Document& of) {
    const auto* const inputs = std::get_if<SharedTensor>(&of.config.inputs);
    return inputs && inputs->rows() > hinted_token ? std::optional(inputs->row(hinted_token)[0]) : std::nullopt;
  };
  return number(document) == number(opening);
}

}  // namespace

void draw_equal_shares(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                       const PicturePlace& place) {
  const UiState& now = context.now;
  const bool is_said = now.has_equal_shares && now.is_current && !now.viewing && !now.is_comparing() &&
                       !now.lesson.lesson && !now.prediction.cover;
  const auto main = std::ranges::find_if(layout.frames, &scene::PlacedFrame::is_main);
  if (!is_said || main == layout.frames.end()) return;
  const std::optional<PlacedNote> note = place_at_weights(
      context, layout, place, main->box, {words_of_equal_shares(now.document.config), "nearly equal shares"});
  if (!note) return;
  const auto& [text, size, box] = *note;
  const ImVec2 low = corner_of(place, box);
  const ImVec2 high{low.x + size.x, low.y + size.y};
  ImGui::SetCursorScreenPos(low);
  const bool is_clicked = pressable_area("equal_shares", size);
  const ThemeInks& inks = context.theme.inks;
  fill_box(low, high, {inks.card}, size.y / 2);
  outline_box(low, high, {ImGui::IsItemHovered() ? inks.accent : inks.border}, unit(context), size.y / 2);
  draw_text(context.fonts.small_text, {low.x + padding_across * unit(context), low.y + padding_down * unit(context)},
            {inks.accent}, text);
  register_item(context, "stages/weights/equal_shares");
  item_tooltip(context, "Every weight lies within 0.1 of an equal share. Click for why, and for what changes it.");
  if (is_clicked) show_question(queue, "equal_shares");
}

void draw_drag_hint(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                    const PicturePlace& place) {
  const Document& document = context.now.document;
  const bool may_show = context.now.view.shows_drag_hint && !context.now.lesson.lesson && !context.now.is_comparing() &&
                        has_opening_words(document);
  if (!may_show) return;
  const auto close = [&] { change_view(queue, [](ViewState& state) { state.shows_drag_hint = false; }); };
  if (!is_still_there(document)) return close();
  const auto inputs = std::ranges::find_if(layout.matrices, [](const scene::PlacedMatrix& matrix) {
    return matrix.stage == Stage::inputs && !matrix.is_operand() && !matrix.is_thumb;
  });
  if (inputs == layout.matrices.end()) return;
  const double row = inputs->row_height();
  const Box cell{inputs->viewed().x, inputs->box.y + static_cast<double>(hinted_token) * row, inputs->cell_width(),
                 row};
  const float cross = text_size(context.fonts.small_text, "×").x + 2 * padding_across * unit(context);
  ImVec2 size = size_of_note(context, hint_text);
  size.x += cross;
  const std::optional<Box> box =
      place_of_note(layout, place, size, {inputs->box.x - 20 * layout.unit, inputs->box.y - 120 * layout.unit}, reach);
  const ThemeInks& inks = context.theme.inks;
  const ImVec2 from = place.at(cell.x, cell.y);
  const ImVec2 to = place.at(cell.right(), cell.bottom());
  outline_box({from.x - 2 * unit(context), from.y - 2 * unit(context)},
              {to.x + 2 * unit(context), to.y + 2 * unit(context)}, {inks.accent}, 2.5F * unit(context),
              3 * unit(context));
  if (!box) return;
  const ImVec2 low = corner_of(place, *box);
  const ImVec2 high{low.x + size.x, low.y + size.y};
  // A line leads from the note down between the names and the numbers.
  const float x = from.x - 4 * unit(context);
  const float middle = (from.y + to.y) / 2;
  const bool is_above = high.y < from.y && x >= low.x && x <= high.x;
  if (is_above) {
    stroke_line({x, high.y}, {x, middle}, {inks.accent}, 1.5F * unit(context));
    stroke_line({x, middle}, {from.x - 2 * unit(context), middle}, {inks.accent}, 1.5F * unit(context));
  }
  fill_box(low, high, {inks.accent}, 5 * unit(context));
  const Rgb ink = ink_on(inks.accent);
  const ImVec2 text{low.x + padding_across * unit(context), low.y + padding_down * unit(context)};
  draw_text(context.fonts.small_text, text, {ink}, hint_text);
  ImGui::SetCursorScreenPos({high.x - cross, low.y});
  const bool is_closed = pressable_area("close_hint", {cross, size.y});
  draw_text(context.fonts.small_text, {high.x - cross + padding_across * unit(context), text.y}, {ink}, "×");
  register_item(context, "stages/drag_hint/close");
  item_tooltip(context, "Closes the hint for good");
  register_part(context, "stages/drag_hint", low, high);
  if (is_closed) close();
}

}  // namespace attnscope
