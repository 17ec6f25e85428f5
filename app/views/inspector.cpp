#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "views/explanation_text.h"
#include "views/format.h"
#include "views/panels.h"
#include "views/stage_view.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t max_terms = 16;

// A cell that the result shown still has.
std::optional<Cell> inspected_cell(const ViewContext& context) {
  const std::optional<Cell> cell = context.hovered ? context.hovered : context.view.pinned;
  if (!cell || !context.result()) return {};
  const std::optional<StageView> view = stage_view(context, cell->stage, cell->head);
  if (!view || cell->row >= view->rows || cell->col >= view->cols) return {};
  Cell valid = *cell;
  valid.head = view->head;
  valid.batch = std::min(valid.batch, context.result()->config.batch_size - 1);
  return valid;
}

void draw_place(const ViewContext& context, const Cell& cell) {
  const StageInfo& stage = info(cell.stage);
  const Index heads = head_count(context.result()->config);
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(stage.title).c_str());
  ImGui::PopFont();
  if (context.viewing && context.viewing->layers > 1) {
    ImGui::Text("Layer %lld of %lld", static_cast<long long>(context.viewing->layer) + 1,
                static_cast<long long>(context.viewing->layers));
  }
  if (is_per_head(cell.stage) && heads > 1) {
    const ImVec4 colour = head_colour(static_cast<long>(cell.head), context.theme.dark);
    ImGui::TextColored(colour, "Head %lld of %lld", static_cast<long long>(cell.head) + 1,
                       static_cast<long long>(heads));
  }
  if (context.result()->config.batch_size > 1 && stage.axes != StageAxes::query_key) {
    ImGui::Text("Batch entry %lld", static_cast<long long>(cell.batch) + 1);
  }
  if (is_query_by_key(stage.axes)) {
    ImGui::TextUnformatted(format_position("query", cell.row, context.labels).c_str());
    ImGui::TextUnformatted(format_position("key", cell.col, context.labels).c_str());
  } else {
    ImGui::TextUnformatted(format_position("token", cell.row, context.labels).c_str());
    ImGui::Text("feature %lld", static_cast<long long>(cell.col) + 1);
  }
}

void draw_value(const ViewContext& context, const Cell& cell) {
  const Result& result = *context.result();
  push_font(context.fonts.large_number);
  ImGui::TextUnformatted(format_full(value_at(result, cell)).c_str());
  ImGui::PopFont();
  if (is_masked(result, cell)) dim_text(context, "masked: the key comes after the query");
  if (is_dropped(result, cell)) dim_text(context, "dropped: its random number was not below 1 − p");
}

// One line of arithmetic; a click follows it to the cell that it came from.
void draw_line(const ViewContext& context, CommandQueue& queue, const ExplanationLine& line, int index) {
  ImGui::PushID(index);
  push_font(line.is_words ? context.fonts.small_text : context.fonts.number);
  if (line.source) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
    if (ImGui::Selectable(line.text.c_str())) {
      queue.push_back(UpdateView{[cell = *line.source](ViewState& state) { state.pinned = cell; }});
    }
    ImGui::PopStyleColor();
    item_tooltip(fmt::format("Go to {}", info(line.source->stage).title));
    register_item(context, fmt::format("inspector/line/{}", index));
  } else {
    ImGui::PushStyleColor(ImGuiCol_Text, line.is_words ? context.theme.dim_text : context.theme.text);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(line.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
  ImGui::PopFont();
  ImGui::PopID();
}

void draw_nothing_selected(const ViewContext& context) {
  dim_text(
      context,
      "Rest the pointer on a cell to see how its number came to be. Click to keep it here, click again or press Esc "
      "to let it go.");
}

}  // namespace

void draw_inspector(const ViewContext& context, CommandQueue& queue) {
  section_heading(context, "Inspector");
  const std::optional<Cell> cell = inspected_cell(context);
  if (!cell) {
    draw_nothing_selected(context);
    return;
  }
  ImGui::Dummy({0, 2 * unit(context)});
  draw_place(context, *cell);
  ImGui::Dummy({0, 2 * unit(context)});
  draw_value(context, *cell);
  ImGui::Separator();
  push_font(context.fonts.small_text);
  ImGui::TextWrapped("%s", std::string(wording(*context.result(), cell->stage).formula).c_str());
  ImGui::PopFont();
  int index = 0;
  for (const ExplanationLine& line : explanation_lines(*context.result(), *cell, context.labels, max_terms)) {
    draw_line(context, queue, line, index++);
  }
  if (context.view.pinned && !context.hovered) {
    ImGui::Dummy({0, 4 * unit(context)});
    if (push_button(context, "inspector/unpin", "Unpin (Esc)")) {
      queue.push_back(UpdateView{[](ViewState& state) { state.pinned.reset(); }});
    }
  }
}

}  // namespace attnscope
