#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "views/comparison.h"
#include "views/format.h"
#include "views/imgui_compat.h"
#include "views/keyboard.h"
#include "views/layouts.h"
#include "views/panels.h"
#include "views/stage_view.h"
#include "views/study.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr Index max_head_chips = 12;
constexpr float batch_slider_width = 64;
constexpr float chip_width = 30;  // of a head, with a gap
constexpr float zoom_slider_width = 72;
constexpr float decimals_width = 100;
constexpr float range_width = 198;

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

void set_head(CommandQueue& queue, Index head) {
  queue.push_back(UpdateView{[head](ViewState& state) {
    state.head = head;
    if (state.pinned) state.pinned->head = head;  // what is explained is what is shown
  }});
}

// Goes on beside the last item where there is room for `width`, else on the next line.
void same_line_if_fits(float spacing, float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + spacing + width <= right) ImGui::SameLine(0, spacing);
}

void draw_layout_choice(const ViewContext& context, CommandQueue& queue) {
  int number = 0;
  for (const LayoutInfo& row : layouts()) {
    ++number;
    if ((row.obstacle_in(context) || row.is_of_menus) && context.view.layout != row.layout) continue;
    const float width = ImGui::CalcTextSize(row.title).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (number > 1) same_line_if_fits(2, width);
    const std::string help = fmt::format("{} (Ctrl+{})", capitalized(row.help), number);
    if (choice_button(context, fmt::format("view/{}", row.layout.id), row.title, context.view.layout == row.layout,
                      help))
      queue.push_back(UpdateView{[layout = row.layout](ViewState& state) { state.layout = layout; }});
  }
}

void draw_stage_choice(const ViewContext& context, CommandQueue& queue) {
  std::vector<Choice> choices;
  std::vector<Stage> offered;
  for (const StageInfo& stage : stages()) {
    if (!context.result() || !has(*context.result(), stage.stage)) continue;
    choices.push_back({std::string(stage.title), {}, stage.id});
    offered.push_back(stage.stage);
  }
  const auto at = std::ranges::find(offered, context.view.stage);
  const StageInfo& current = info(context.view.stage);
  if (at == offered.end()) {  // of another mechanism: what is shown instead says so
    choices.push_back({std::string(current.title), "This mechanism has no such stage.", current.id});
    offered.push_back(context.view.stage);
  }
  const auto shown = static_cast<int>(std::ranges::find(offered, context.view.stage) - offered.begin());
  ImGui::SetNextItemWidth(170 * unit(context));
  const int chosen = choose_from(context, "view/stage", choices, shown);
  if (chosen < 0) return;
  queue.push_back(
      UpdateView{[stage = offered[static_cast<std::size_t>(chosen)]](ViewState& state) { state.stage = stage; }});
}

// A chip per head in the head's colour while there are few; arrows always.
void draw_head_chips(const ViewContext& context, CommandQueue& queue, Index heads) {
  for (Index head = 0; head < heads; ++head) {
    ImGui::SameLine(0, (head == 0 ? 6 : 3) * unit(context));
    const ImVec4 colour = head_colour(static_cast<long>(head), context.theme.dark);
    const bool chosen = head == context.view.head;
    ImGui::PushStyleColor(ImGuiCol_Button, chosen ? colour : ImVec4{0, 0, 0, 0});
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? context.theme.card : colour);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
    ImGui::PushStyleColor(ImGuiCol_Border, colour);
    const bool is_head_off = is_off(context.result()->config, head);
    if (push_button(context, "view/head/" + std::to_string(head), std::to_string(head + 1).c_str(), {},
                    is_head_off ? "Switched off (H): its context is zero" : "", chosen))
      set_head(queue, head);
    if (is_head_off) {
      ImGui::GetWindowDrawList()->AddLine({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y},
                                          {ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y},
                                          to_u32(chosen ? context.theme.card : colour), 1.5f * unit(context));
    }
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar();
  }
}

std::string head_text(const ViewContext& context, Index head, Index heads) {
  const bool are_all = context.result()->finished.are_all();
  return fmt::format("Head {} of {}{}", head + 1, heads, are_all ? "" : ": the others follow");
}

void draw_head_choice(const ViewContext& context, CommandQueue& queue, Index heads) {
  const Index head = std::min(context.view.head, heads - 1);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(head_text(context, head, heads).c_str());
  if (heads == 1) {  // the room of two, so that the line breaks alike
    ImGui::SameLine(0, 6 * unit(context));
    ImGui::Dummy({2 * chip_width * unit(context), 0});
    return;
  }
  if (heads <= max_head_chips) {
    draw_head_chips(context, queue, heads);
    return;
  }
  ImGui::SameLine(0, 6);
  if (push_button(context, "view/head/previous", "‹", {}, "Previous head ([)")) step_head(context, queue, -1);
  ImGui::SameLine(0, 3);
  if (push_button(context, "view/head/next", "›", {}, "Next head (])")) step_head(context, queue, 1);
}

void draw_range_choice(const ViewContext& context, CommandQueue& queue) {
  std::vector<Choice> choices;
  int shown = 0;
  for (const RangeModeName& row : range_modes) {
    if (row.mode == context.view.range) shown = static_cast<int>(choices.size());
    choices.push_back({fmt::format("Colours: {}", row.title), {}, row.id});
  }
  ImGui::SetNextItemWidth(std::min(range_width * unit(context), ImGui::GetContentRegionAvail().x));
  const int chosen = choose_from(context, "view/range", choices, shown, {}, range_modes_help);
  if (chosen < 0) return;
  const RangeMode mode = range_modes[static_cast<std::size_t>(chosen)].mode;
  queue.push_back(UpdateView{[mode](ViewState& state) { state.range = mode; }});
}

void draw_decimals_choice(const ViewContext& context, CommandQueue& queue) {
  const bool four = context.view.decimals == 4;
  if (choice_button(context, "view/decimals", four ? "4 decimals" : "2 decimals", four,
                    "Decimals of the numbers in the cells: 2, or 4 to match a notebook")) {
    queue.push_back(UpdateView{[four](ViewState& state) { state.decimals = four ? 2 : 4; }});
  }
}

void draw_zoom(const ViewContext& context, CommandQueue& queue) {
  constexpr int percent = 100;
  int zoom = static_cast<int>(std::lround(percent * context.view.diagram_zoom));
  ImGui::SetNextItemWidth(zoom_slider_width * unit(context));
  if (step_slider("##zoom", zoom, static_cast<int>(percent * min_diagram_zoom),
                  static_cast<int>(percent * max_diagram_zoom), "%.0f %%", ImGuiSliderFlags_Logarithmic)) {
    queue.push_back(UpdateView{[zoom](ViewState& state) { state.diagram_zoom = static_cast<float>(zoom) / percent; }});
  }
  register_item(context, "view/zoom", {.value = static_cast<double>(zoom)});
  item_tooltip(
      context,
      "Size of the diagram: at 100 % it fits the window where its numbers can be read in it, below that it gives them "
      "up. Ctrl+wheel zooms around the pointer, 0 is 100 %.");
}

std::string batch_text(Index batch, Index batch_size) {
  return "Batch " + std::to_string(batch) + " of " + std::to_string(batch_size);
}

float batch_choice_width(const ViewContext& context, Index batch_size) {
  return ImGui::CalcTextSize(batch_text(batch_size, batch_size).c_str()).x + (6 + batch_slider_width) * unit(context);
}

void draw_batch_choice(const ViewContext& context, CommandQueue& queue, Index batch_size) {
  int batch = static_cast<int>(std::min(context.view.batch, batch_size - 1)) + 1;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(batch_text(batch, batch_size).c_str());
  ImGui::SameLine(0, 6 * unit(context));
  ImGui::SetNextItemWidth(batch_slider_width * unit(context));
  if (step_slider("##batch", batch, 1, static_cast<int>(batch_size), "")) {
    queue.push_back(UpdateView{[batch](ViewState& state) { state.batch = batch - 1; }});
  }
  register_item(context, "view/batch", {.value = static_cast<double>(batch)});
}

float head_choice_width(const ViewContext& context, Index heads) {
  const auto chips = static_cast<float>(std::clamp<Index>(heads, 2, max_head_chips));
  return (90 + chip_width * chips) * unit(context);
}

// On a line of their own where there is no room beside what stands on the left.
void draw_right_end(const ViewContext& context, CommandQueue& queue, bool has_zoom) {
  const float right = ImGui::GetWindowContentRegionMax().x;
  const float zoom = has_zoom ? (zoom_slider_width + 8) * unit(context) : 0;
  const float needed = (range_width + decimals_width) * unit(context) + zoom;
  ImGui::SameLine();
  if (ImGui::GetCursorPosX() + needed >= right) ImGui::NewLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - needed));
  if (has_zoom) {
    draw_zoom(context, queue);
    ImGui::SameLine(0, 8 * unit(context));
  }
  draw_decimals_choice(context, queue);
  same_line_if_fits(8 * unit(context), range_width * unit(context));
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - range_width * unit(context)));
  draw_range_choice(context, queue);
}

}  // namespace

void step_head(const ViewContext& context, CommandQueue& queue, Index step) {
  if (!context.result()) return;
  const Index heads = head_count(context.result()->config);
  set_head(queue, (std::min(context.view.head, heads - 1) + step + heads) % heads);
}

void draw_tool_bar(const ViewContext& context, CommandQueue& queue) {
  draw_layout_choice(context, queue);
  const Layout& layout = context.view.layout;
  if (layout.shows_one_stage) {
    same_line_if_fits(10 * unit(context), 170 * unit(context));
    draw_stage_choice(context, queue);
  }
  const Result* result = context.result();
  if (!result) return;
  const Index heads = head_count(result->config);
  if (layout.shows_one_head) {
    same_line_if_fits(14 * unit(context), head_choice_width(context, heads));
    draw_head_choice(context, queue, heads);
  }
  if (result->config.batch_size > 1) {
    same_line_if_fits(14 * unit(context), batch_choice_width(context, result->config.batch_size));
    draw_batch_choice(context, queue, result->config.batch_size);
  }
  draw_right_end(context, queue, layout == Layout::diagram);
}

void draw_stages(const ViewContext& context, CommandQueue& queue) {
  if (!context.evaluation.error.empty() && context.is_current)
    warning_text(context, context.evaluation.error + " The picture below is the last one that worked.");
  // The arrows move the cell in there, not from item to item.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  // Each teaching view begins at its top, however far the diagram was scrolled.
  const bool is_study = context.view.layout == Layout::study;
  const std::string name = is_study ? fmt::format("stages/{}", shown_study(context.view).id) : "stages";
  ImGui::BeginChild(name.c_str(), {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  register_item(context, "stages");
  if (context.scrolled) share_scrolling(*context.scrolled);
  begin_panel(context, queue, Panel::stages);
  const LayoutInfo& layout = info(context.view.layout);
  const char* const obstacle = layout.obstacle_in(context);
  if (!context.result()) {
    dim_text(context, "The first evaluation is under way.");
  } else if (obstacle) {
    dim_text(context, obstacle);
  } else {
    layout.draw(context, queue);
  }
  end_panel(context, Panel::stages);
  ImGui::EndChild();
  ImGui::PopItemFlag();
}

}  // namespace attnscope
