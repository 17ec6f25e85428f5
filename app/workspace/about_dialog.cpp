#include <fmt/format.h>

#include <algorithm>

#include "document/version.h"
#include "features/shared/panel/dialog.h"
#include "ui/widgets.h"
#include "workspace/licenses.h"

namespace attnscope {
namespace {

constexpr float list_height = 220;
constexpr float about_frame = 220;  // height of the window around the list

void draw_licenses(const ViewContext& context) {
  const float room = ImGui::GetIO().DisplaySize.y - about_frame * unit(context);
  ImGui::BeginChild("licenses", {0, std::min(list_height * unit(context), std::max(room, 0.0f))});
  if (ImGui::BeginTable("licenses", 3, ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 130 * unit(context));
    ImGui::TableSetupColumn("terms", ImGuiTableColumnFlags_WidthFixed, 180 * unit(context));
    ImGui::TableSetupColumn("holder", ImGuiTableColumnFlags_WidthStretch);
    for (const License& license : licenses()) {
      ImGui::TableNextRow();
      for (const char* const text : {license.name, license.terms, license.holder}) {
        ImGui::TableNextColumn();
        ImGui::PushTextWrapPos(0.0f);
        dim_text(context, text);
        ImGui::PopTextWrapPos();
      }
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

}  // namespace

void draw_about(const ViewContext& context, CommandQueue& queue) {
  ImGui::TextWrapped(
      "attnscope computes self-attention as the notebooks do, shows every intermediate matrix, and explains every "
      "number on the screen.");
  ImGui::Dummy({0, 4 * unit(context)});
  dim_text(context, fmt::format("Version {} · Dear ImGui {} · {}", version(), IMGUI_VERSION,
                                has_openmp ? "with OpenMP" : "without OpenMP"));
  for (const std::string& message : context.fonts.messages) dim_text(context, message);
  ImGui::Dummy({0, 4 * unit(context)});
  ImGui::TextWrapped("Free software under the MIT license, © the attnscope authors. It is made with these:");
  draw_licenses(context);
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) queue.push_back(CloseDialog{});
}

}  // namespace attnscope
