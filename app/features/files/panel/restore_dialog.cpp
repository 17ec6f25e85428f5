#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <string>

#include "core/shown_text.h"
#include "features/files/file_controller.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

std::string name_of(const LostDocument& lost) {
  return lost.file.empty() ? "A document without a name" : shown_path(lost.file.filename());
}

std::string time_of(const LostDocument& lost) {
  const auto system_time = std::chrono::file_clock::to_sys(lost.time);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(system_time));
  return fmt::format("{:%Y-%m-%d %H:%M}", local_time(seconds));
}

void draw_row(const ViewContext& context, CallQueue& queue, const LostDocument& lost, std::size_t index) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  const std::string name = name_of(lost);
  ImGui::TextUnformatted(fit_text(context.fonts.text, name, ImGui::GetContentRegionAvail().x).c_str());
  register_item(context, fmt::format("restore/{}/name", index));
  if (!lost.file.empty()) item_tooltip(context, shown_path(lost.file));
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", time_of(lost).c_str());
  ImGui::TableNextColumn();
  if (push_button(context, fmt::format("restore/{}/restore", index), "Restore")) {
    queue.push([kept_in = lost.kept_in](const Controllers& to) { to.files.restore_lost(kept_in); });
  }
  ImGui::SameLine();
  if (push_button(context, fmt::format("restore/{}/discard", index), "Discard")) {
    ask_first(
        context, queue,
        fmt::format("The unsaved changes of {} are deleted.", lost.file.empty() ? "a document without a name" : name),
        "Discard", [kept_in = lost.kept_in](const Controllers& to) { to.files.discard_lost(kept_in); });
  }
}

}  // namespace

void draw_restore_dialog(const ViewContext& context, CallQueue& queue) {
  ImGui::TextWrapped(
      "attnscope ended unexpectedly, and these changes were not saved. Restoring them touches no file until you save.");
  ImGui::Dummy({0, 4 * unit(context)});
  constexpr int visible_rows = 6;
  const float row_height = ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const auto rows = static_cast<float>(std::min<std::size_t>(context.now.lost.size(), visible_rows));
  const ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY;
  if (ImGui::BeginTable("lost", 3, flags, {0, rows * row_height + 2})) {
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("buttons", ImGuiTableColumnFlags_WidthFixed);
    for (std::size_t index = 0; index < context.now.lost.size(); ++index) {
      ImGui::PushID(static_cast<int>(index));
      draw_row(context, queue, context.now.lost[index], index);
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (!context.now.reading.empty()) dim_text(context, context.now.reading + " …");
  if (!context.now.dialog.error.empty()) warning_text(context, context.now.dialog.error);
  ImGui::Dummy({0, 4 * unit(context)});
  if (push_button(context, "dialog/close", "Later", {}, "They are kept and offered again at the next start.")) {
    close_dialog(queue);
  }
}

}  // namespace attnscope
