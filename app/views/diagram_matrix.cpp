#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/external_attention.h"
#include "look/diagram_words.h"
#include "views/axis_labels.h"
#include "views/colour_bar.h"
#include "views/diagram_parts.h"
#include "views/format.h"
#include "views/heatmap.h"
#include "views/reach_outlines.h"
#include "views/stage_card.h"
#include "views/study_questions.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float strip_height = 3;
constexpr float awaited_opacity = 0.6F;  // of the outline

ImVec2 at(ImVec2 origin, float x, float y) { return {std::floor(origin.x + x), std::floor(origin.y + y)}; }

// What is asked at this stage, behind its title, where there is room for both and the colour bar.
void draw_question(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, ImVec2 end,
                   float room) {
  const ReaderQuestion* const question = question_at(placed.matrix.stage);
  if (!question || placed.matrix.role != DiagramRole::result || why_width(context) > room) return;
  draw_why(context, queue, *question, info(placed.matrix.stage).id, end);
}

// Title and colour bar, and what there is room for below them.
void draw_header_of_result(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed,
                           const StageView& view, const DiagramHeader& words, ImVec2 pos, bool is_roomy) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Fonts& fonts = context.fonts;
  const float width = placed.header.width;
  const float heading = font_height(fonts.heading);
  const float small = font_height(fonts.small_text);
  const std::string shown = fit_text(fonts.heading, words.title, width);
  draw_text(list, fonts.heading, pos, to_u32(context.theme.text), shown);
  const float bar = small_colour_bar_width(context, view, true);
  const float title = text_size(fonts.heading, shown).x;
  const bool has_bar =
      placed.matrix.role == DiagramRole::result && title + bar + 8 * unit(context) <= placed.slot.width;
  if (has_bar) draw_small_colour_bar(context, view, true, pos.x + placed.slot.width, pos.y + heading - small - 1);
  draw_question(context, queue, placed, {pos.x + title, pos.y + heading - small - 1},
                (has_bar ? placed.slot.width - bar : width) - title);
  const auto width_of = [&](std::string_view text) { return text_size(fonts.small_text, text).x; };
  float y = pos.y + heading;
  for (const std::string& line :
       fitted_lines(words, is_roomy ? HeaderSize::roomy : HeaderSize::usual, width, width_of)) {
    draw_text(list, fonts.small_text, {pos.x, y}, to_u32(context.theme.dim_text),
              fit_text(fonts.small_text, line, width));
    y += small;
  }
}

void draw_header(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, const StageView& view,
                 ImVec2 origin, bool is_roomy) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Fonts& fonts = context.fonts;
  const ImVec2 pos = at(origin, placed.header.x, placed.header.y);
  const DiagramHeader words = diagram_header(*context.result(), placed.matrix, view.head);
  const bool is_small = is_operand(placed.matrix) || info(placed.matrix.result).place.is_above;
  if (!is_small) return draw_header_of_result(context, queue, placed, view, words, pos, is_roomy);
  draw_text(list, fonts.small_text, pos, to_u32(context.theme.text), words.title);
  const float title = text_size(fonts.small_text, words.title).x;
  const bool may_be_asked = placed.matrix.role == DiagramRole::result || info(placed.matrix.stage).place.column < 0;
  const ReaderQuestion* const question = may_be_asked ? question_at(placed.matrix.stage) : nullptr;
  const bool is_asked = question && title + why_width(context) <= placed.header.width;
  if (is_asked) draw_why(context, queue, *question, info(placed.matrix.stage).id, {pos.x + title, pos.y});
  const float used = title + 6 * unit(context) + (is_asked ? why_width(context) : 0);
  const auto width_of = [&](std::string_view text) { return text_size(fonts.small_text, text).x; };
  draw_text(list, fonts.small_text, {pos.x + used, pos.y}, to_u32(context.theme.dim_text),
            fitted_lines(words, HeaderSize::small, placed.header.width - used, width_of).front());
}

// Why a stage is left out is written where all of it fits, and said to the pointer everywhere.
void draw_absence(const ViewContext& context, const PlacedMatrix& placed, ImVec2 origin) {
  if (!context.view.show_absent || placed.matrix.absence.empty()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const DiagramBox& box = placed.slot;
  const ImVec2 low = at(origin, box.x, box.y);
  const ImVec2 high = at(origin, box.right(), box.bottom());
  list.AddRect(low, high, with_alpha(context.theme.border, 0.8F), 3 * unit(context));
  const ImFont* const font = context.fonts.small_text;
  const float pad = std::min(6 * unit(context), (box.height - font_height(font)) / 2);
  const std::string lines = wrapped(font, placed.matrix.absence, box.width - 2 * pad);
  const ImVec2 size = text_size(font, lines);
  if (pad >= 0 && size.x + 2 * pad <= box.width && size.y + 2 * pad <= box.height)
    draw_text(list, font, {low.x + pad, low.y + pad}, to_u32(context.theme.dim_text), lines);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy({box.width, box.height});
  register_item(context, fmt::format("stages/{}/absent", info(placed.matrix.stage).id));
  item_tooltip(context, placed.matrix.absence);
  ImGui::SetCursorScreenPos(cursor);
}

std::string widget_name(const PlacedMatrix& placed, Index head, Index viewed) {
  std::string name = "stages/" + std::string(info(placed.matrix.stage).id);
  if (placed.matrix.role != DiagramRole::result && !is_parameter(info(placed.matrix.stage).axes) &&
      info(placed.matrix.stage).place.column >= 0) {
    name += "/of_" + std::string(info(placed.matrix.result).id);
  }
  return head == viewed ? name : name + "/" + std::to_string(head);
}

void draw_cells(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, const StageView& view,
                Index viewed, ImVec2 low, ImVec2 high) {
  // Of many heads side by side each has less than a pixel: that is what is pointed at then.
  const CellGrid grid = cell_grid(context, view, low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)});
  draw_heatmap(context, queue, view, widget_name(placed, view.head, viewed), grid);
  if (context.reach) draw_reach(context, view, grid);
}

// The heads of a projection side by side, the one that is looked at in full colours, each below its own colour.
void draw_heads_side_by_side(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, Index viewed,
                             ImVec2 origin) {
  const Index heads = head_count(context.result()->config);
  const float width = placed.cells.width / static_cast<float>(heads);
  for (Index head = 0; head < heads; ++head) {
    std::optional<StageView> view = stage_view(context, placed.matrix.stage, head);
    if (!view) continue;
    if (placed.matrix.is_transposed) view = transposed(*view);
    if (head != viewed) view->opacity = other_head_opacity;
    const float left = placed.cells.x + width * static_cast<float>(head);
    const ImVec2 low = at(origin, left, placed.cells.y);
    const ImVec2 high = at(origin, left + width, placed.cells.bottom());
    draw_cells(context, queue, placed, *view, viewed, low, high);
    if (heads == 1 || is_operand(placed.matrix)) continue;
    const float strip = strip_height * unit(context);
    ImGui::GetWindowDrawList()->AddRectFilled({low.x + 1, low.y - strip - 1}, {high.x - 1, low.y - 1},
                                              to_u32(head_colour(static_cast<long>(head), context.theme.dark)));
  }
}

// The names of the tokens beside the first matrix of a band.
void draw_names(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, const StageView& view,
                ImVec2 origin, float row_sums) {
  const ImVec2 low = at(origin, placed.cells.x, placed.cells.y);
  const CellGrid grid = cell_grid(context, view, low, at(origin, placed.cells.right(), placed.cells.bottom()));
  if (placed.begins_band) draw_row_labels(context, view, grid);
  if (placed.has_names) draw_column_labels(context, view, grid);
  if (!sums_to_one(placed.matrix.stage)) return;
  const float width = std::min(row_sum_width(context, view), row_sums);
  draw_row_sums(context, view, grid, width);
  ImGui::PushID(static_cast<int>(placed.matrix.result));
  handle_row_sums(context, queue, view, widget_name(placed, view.head, view.head), grid, width);
  ImGui::PopID();
}

// A band whose first place is empty has the names of its tokens all the same.
void draw_names_of_absent(const ViewContext& context, const PlacedMatrix& placed, ImVec2 origin) {
  const Result& result = *context.result();
  const std::optional<StageView> view =
      stage_view(context, result.external ? result.external->stage : Stage::head_context, 0);
  if (!placed.begins_band || !view) return;
  const CellGrid grid = cell_grid(context, *view, at(origin, placed.cells.x, placed.cells.y),
                                  at(origin, placed.cells.right(), placed.cells.bottom()));
  draw_row_labels(context, *view, grid);
}

}  // namespace

void draw_awaited_matrix(const ViewContext& context, const PlacedMatrix& placed, ImVec2 origin) {
  if (!placed.matrix.is_present) return;
  const DiagramBox& box = placed.cells;
  ImGui::GetWindowDrawList()->AddRect(at(origin, box.x, box.y), at(origin, box.right(), box.bottom()),
                                      with_alpha(context.theme.border, awaited_opacity), 3 * unit(context));
}

void draw_diagram_matrix(const ViewContext& context, CommandQueue& queue, const DiagramLayout& layout,
                         const PlacedMatrix& placed, ImVec2 origin) {
  if (!placed.matrix.is_present) {
    draw_absence(context, placed, origin);
    draw_names_of_absent(context, placed, origin);
    return;
  }
  std::optional<StageView> view = stage_view(context, placed.matrix.stage, context.view.head);
  if (!view) {
    if (!context.pictured) return;
    PlacedMatrix missing = placed;
    missing.matrix.absence =
        fmt::format("{}: {}", info(placed.matrix.stage).title, why_missing(context, placed.matrix.stage));
    return draw_absence(context, missing, origin);
  }
  if (placed.matrix.is_transposed) view = transposed(*view);
  if (placed.header.height > 0) draw_header(context, queue, placed, *view, origin, layout.headers_are_roomy);
  const ImVec2 low = at(origin, placed.cells.x, placed.cells.y);
  const ImVec2 high = at(origin, placed.cells.right(), placed.cells.bottom());
  ImGui::PushID(static_cast<int>(placed.matrix.result));
  ImGui::PushID(static_cast<int>(placed.matrix.role));
  if (placed.matrix.shows_all_heads) {
    draw_heads_side_by_side(context, queue, placed, view->head, origin);
  } else {
    draw_cells(context, queue, placed, *view, view->head, low, high);
  }
  ImGui::PopID();
  ImGui::PopID();
  if (!is_operand(placed.matrix)) draw_names(context, queue, placed, *view, origin, layout.row_sums);
}

}  // namespace attnscope
