#include <fmt/format.h>

#include <string>

#include "paint_window/imgui_compat.h"
#include "views/comparison.h"
#include "views/keyboard.h"
#include "views/layouts.h"
#include "views/panels.h"
#include "views/study.h"
#include "views/widgets.h"

namespace attnscope {

void draw_stages(const ViewContext& context, CommandQueue& queue) {
  if (!context.evaluation.error.empty() && context.is_current)
    warning_text(context, context.evaluation.error + " The picture below is the last valid one.");
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
