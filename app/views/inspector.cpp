#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "views/actions.h"
#include "views/explanation_text.h"
#include "views/format.h"
#include "views/menu.h"
#include "views/panels.h"
#include "views/stage_view.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t max_terms = 16;

// A cell that the result shown still has.
std::optional<Source> inspected_cell(const ViewContext& context) {
  const std::optional<Source>& cell = shown_cell(context);
  if (!cell || !context.result()) return {};
  const std::optional<StageView> view = stage_view(context, cell->stage, cell->head);
  if (!view || cell->row >= view->rows || cell->col >= view->cols) return {};
  Source valid = *cell;
  valid.head = view->head;
  valid.batch = std::min(valid.batch, context.result()->config.batch_size - 1);
  return valid;
}

const char* kind_text(SourceKind kind) {
  switch (kind) {
    case SourceKind::row_maximum:
      return "largest of a row: ";
    case SourceKind::row_sum:
      return "sum of a row: ";
    case SourceKind::exponential_sum:
      return "sum of a row's exponentials: ";
    case SourceKind::draw:
      return "drawn for: ";
    case SourceKind::cell:
      break;
  }
  return "";
}

void draw_place(const ViewContext& context, const Source& cell) {
  const StageInfo& stage = info(cell.stage);
  const Index heads = head_count(context.result()->config);
  push_font(context.fonts.heading);
  ImGui::TextUnformatted((std::string(kind_text(cell.kind)) + std::string(stage.title)).c_str());
  ImGui::PopFont();
  if (context.viewing && context.viewing->layers > 1) {
    ImGui::Text("Layer %lld of %lld", static_cast<long long>(context.viewing->layer) + 1,
                static_cast<long long>(context.viewing->layers));
  }
  if (is_per_head(context.result()->config, cell.stage) && heads > 1) {
    const ImVec4 colour = head_colour(static_cast<long>(cell.head), context.theme.dark);
    ImGui::TextColored(colour, "Head %lld of %lld", static_cast<long long>(cell.head) + 1,
                       static_cast<long long>(heads));
  }
  if (context.result()->config.batch_size > 1 && is_per_batch(cell.stage)) {
    ImGui::Text("Batch entry %lld", static_cast<long long>(cell.batch) + 1);
  }
  for (const std::string& line : position_lines(context, cell)) plain_text(line);
}

void draw_value(const ViewContext& context, const Source& cell) {
  const Result& result = *context.result();
  push_font(context.fonts.large_number);
  ImGui::TextUnformatted(format_full(value_at(result, cell)).c_str());
  ImGui::PopFont();
  if (cell.kind != SourceKind::cell) return;
  if (is_masked(result, cell)) dim_text(context, "masked: the key comes after the query");
  if (is_dropped(result, cell)) dim_text(context, "dropped: its random number was 1 − p or more");
}

// A number that another one came from: a click or Enter leads to it.
void draw_link(const ViewContext& context, CommandQueue& queue, const std::string& name, bool is_pressed,
               const Source& source) {
  if (is_pressed) change_view(queue, [source](ViewState& state) { look_at(state, source); });
  register_item(context, name);
  item_tooltip(context, fmt::format("Go to {}{}", kind_text(source.kind), info(source.stage).title));
}

// "inspector/line/3", and "inspector/line/3/second" where the line leads to two numbers.
void draw_links(const ViewContext& context, CommandQueue& queue, const ExplanationLine& line, int index) {
  const std::string name = fmt::format("inspector/line/{}", index);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
  if (line.second) {
    draw_link(context, queue, name, text_part(0, line.text.substr(0, line.second_begin)), *line.source);
    ImGui::SameLine(0, 0);
    draw_link(context, queue, name + "/second", text_part(1, line.text.substr(line.second_begin)), *line.second);
  } else {
    draw_link(context, queue, name, text_item(0, line.text), *line.source);
  }
  ImGui::PopStyleColor();
}

// One line of arithmetic, or of words.
void draw_line(const ViewContext& context, CommandQueue& queue, const ExplanationLine& line, int index) {
  ImGui::PushID(index);
  push_font(line.is_words ? context.fonts.small_text : context.fonts.number);
  if (line.source) {
    draw_links(context, queue, line, index);
  } else {
    ImGui::PushStyleColor(ImGuiCol_Text, line.is_words ? context.theme.dim_text : context.theme.text);
    ImGui::PushTextWrapPos(0.0f);
    plain_text(line.text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
  ImGui::PopFont();
  ImGui::PopID();
}

void draw_step(const ViewContext& context, CommandQueue& queue, std::string_view name, const char* label,
               const Action& step) {
  const std::string help = fmt::format("{} ({}): {}", step.label, step.chord.text(), step.help);
  if (push_button(context, name, label, obstacle_of(step, context), help)) step.run(context, queue);
}

// The heading, with Back and Forward at its right end.
void draw_heading(const ViewContext& context, CommandQueue& queue) {
  section_heading(context, "Inspector");
  const float gap = 3 * unit(context);
  const float width = ImGui::CalcTextSize("‹").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 2 * width - gap);
  draw_step(context, queue, "inspector/back", "‹", action("view/back"));
  ImGui::SameLine(0, gap);
  draw_step(context, queue, "inspector/forward", "›", action("view/forward"));
}

void draw_nothing_selected(const ViewContext& context) {
  dim_text(
      context,
      "Rest the pointer on a cell to see how its number came to be. Click to keep it here, click again or press Esc "
      "to let it go.");
}

}  // namespace

void draw_inspector(const ViewContext& context, CommandQueue& queue) {
  draw_heading(context, queue);
  const std::optional<Source> cell = inspected_cell(context);
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
  if (context.view.pinned && shown_cell(context) == context.view.pinned) {
    ImGui::Dummy({0, 4 * unit(context)});
    if (push_button(context, "inspector/unpin", "Unpin (Esc)")) {
      queue.push_back(UpdateView{[](ViewState& state) { state.pinned.reset(); }});
    }
  }
}

}  // namespace attnscope
