#include <fmt/format.h>

#include <string>

#include "features/compare/panel/comparison.h"
#include "features/shared/panel/panels.h"
#include "features/teaching_views/panel/teaching_view.h"
#include "session/view_modes.h"
#include "ui/widgets.h"

namespace attnscope {

namespace {

void draw_layout(const ViewContext& context, CallQueue& queue) {
  const ViewMode& layout = context.now.view.mode;
  if (layout == ViewMode::heads) return draw_heads(context, queue);
  if (layout == ViewMode::focus) return draw_focus(context, queue);
  if (layout == ViewMode::model) return draw_model(context, queue);
  if (layout == ViewMode::layers) return draw_layers(context, queue);
  if (layout == ViewMode::study) return draw_study(context, queue);
  draw_diagram(context, queue);
}

}  // namespace

void draw_stages(const ViewContext& context, CallQueue& queue) {
  if (!context.now.evaluation.error.empty() && context.now.is_current)
    warning_text(context, context.now.evaluation.error + " The picture below is the last valid one.");
  // The arrows move the cell in there, not from item to item.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  // Each teaching view begins at its top, however far the diagram was scrolled.
  const bool is_study = context.now.view.mode == ViewMode::study;
  const std::string name = is_study ? fmt::format("stages/{}", shown_study(context.now.view.study).id) : "stages";
  ImGui::BeginChild(name.c_str(), {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  register_item(context, "stages");
  if (context.scrolled) share_scrolling(*context.scrolled);
  begin_panel(context, queue, Panel::stages);
  const std::string_view obstacle = info(context.now.view.mode).obstacle_in(context.now);
  if (!context.now.result()) {
    dim_text(context, "The first evaluation is under way.");
  } else if (!obstacle.empty()) {
    dim_text(context, obstacle);
  } else {
    draw_layout(context, queue);
  }
  end_panel(context, Panel::stages);
  ImGui::EndChild();
  ImGui::PopItemFlag();
}

}  // namespace attnscope
