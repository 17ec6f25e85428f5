
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <system_error>

#include "core/text.h"
#include "document/file_formats.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/shared/app_services.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "session/ui_state.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

void draw_recent_menu(const ViewContext& context, CallQueue& queue) {
  const bool is_empty = context.now.recent.empty();
  if (!begin_menu(context, "menu/file/recent", "Recent", !is_empty)) return;
  if (ImGui::IsWindowAppearing()) queue.push([](const Controllers& to) { to.files.refresh_recent(); });
  int index = 0;
  for (const RecentFile& file : context.now.recent) {
    const std::string name = shown_path(file.path.filename()) + (file.is_there ? "" : " (missing)");
    if (text_item(index, name)) queue.push([path = file.path](const Controllers& to) { to.reading.open(path); });
    register_item(context, fmt::format("menu/file/recent/{}", index));
    item_tooltip(context, file.is_there ? shown_path(file.path) : shown_path(file.path) + " is not there any more.");
    ++index;
  }
  end_menu();
}

// Draws the menu that reads arrays as something else: a square table can be embeddings or attention.
void draw_arrays_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/file/arrays", "Read again as")) return;
  const ArraysAs shown = context.now.viewing ? arrays_as(*context.now.viewing) : ArraysAs::inputs;
  for (const ArraysItem& item : arrays_items) {
    if (menu_item(context, fmt::format("menu/file/arrays/{}", item.id), item.label, {.is_on = item.as == shown}))
      queue.push(
          [path = context.now.arrays, as = item.as](const Controllers& to) { to.reading.open_arrays(path, as); });
  }
  end_menu();
}

}  // namespace

void draw_file_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/file", "File")) return;
  action_items(context, queue, {"file/new", "file/open"});
  draw_recent_menu(context, queue);
  if (!context.now.arrays.empty()) draw_arrays_menu(context, queue);
  action_items(context, queue, {"file/examples"});
  if (!context.now.lost.empty()) action_items(context, queue, {"file/restore"});
  action_items(context, queue, {"", "file/save", "file/save_as", "", "file/figure"});
  if (begin_menu(context, "menu/file/export", "Export")) {
    action_items(context, queue, {"file/page", "file/export_weights"});
    end_menu();
  }
  action_items(context, queue, {"file/screenshot"});
  if (!in_browser) action_items(context, queue, {"", "file/quit"});
  end_menu(context, queue, "file/");
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_name_bytes = 4096;  // of a path as it is typed

bool wants_folder(const DialogState& dialog) { return dialog.kind == DialogState::Kind::screenshot_folder; }

bool wants_new_name(const DialogState& dialog) {
  return dialog.kind == DialogState::Kind::save_as || dialog.kind == DialogState::Kind::save_lesson ||
         dialog.kind == DialogState::Kind::export_weights || dialog.kind == DialogState::Kind::figure ||
         dialog.kind == DialogState::Kind::export_page;
}

void go_to(CallQueue& queue, const fs::path& folder) {
  change_dialog(queue, [folder](DialogState& dialog) {
    list_folder(dialog, folder);
    if (!wants_new_name(dialog)) dialog.name.clear();
  });
}

void draw_new_folder(const ViewContext& context, CallQueue& queue) {
  std::string name = *context.now.dialog.new_folder;
  const float buttons = 150 * unit(context);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - buttons);
  if (name.empty() && ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  if (text_field("##folder", "Name of the new folder", name, most_name_bytes)) {
    change_dialog(queue, [name](DialogState& state) {
      state.new_folder = name;
      state.error.clear();
    });
  }
  register_item(context, "dialog/new_folder/name");
  ImGui::SameLine();
  if (push_button(context, "dialog/new_folder/create", "Create"))
    queue.push([](const Controllers& to) { to.dialogs.create_folder(); });
  ImGui::SameLine();
  if (push_button(context, "dialog/new_folder/cancel", "Cancel##folder"))
    change_dialog(queue, [](DialogState& state) { state.new_folder.reset(); });
}

void draw_filter(const ViewContext& context, CallQueue& queue) {
  struct Choice {
    DialogState::Filter filter;
    const char* name;
    const char* label;
    std::string help;
  };
  using Filter = DialogState::Filter;
  const std::string endings =
      listed(&PictureFormat::ending, [](const PictureFormat& format) { return format.reopens; });
  const Choice choices[] = {
      {Filter::all, "dialog/filter/all", "All", "Everything that can be opened"},
      {Filter::documents, "dialog/filter/documents", "Documents", ".json"},
      {Filter::pictures, "dialog/filter/pictures", "Pictures", fmt::format("A {} carries its document", endings)},
      {Filter::arrays, "dialog/filter/arrays", "Arrays", array_endings()}};
  for (const Choice& choice : choices) {
    if (choice.filter != Filter::all) ImGui::SameLine(0, 2 * unit(context));
    if (!choice_button(context, choice.name, choice.label, context.now.dialog.filter == choice.filter, choice.help))
      continue;
    change_dialog(queue, [filter = choice.filter](DialogState& state) {
      state.filter = filter;
      list_folder(state, state.folder);
    });
  }
}

// Draws the content of the chosen file beside the listing.
void draw_preview(const ViewContext& context) {
  const DialogState& dialog = context.now.dialog;
  ImGui::PushTextWrapPos(0);
  if (!context.now.reading.empty()) dim_text(context, context.now.reading + " …");
  if (dialog.preview.empty() && !dialog.is_previewing) dim_text(context, "Click a file to see what it holds.");
  for (const std::string& line : dialog.preview) {
    ImGui::TextUnformatted(line.c_str());
    ImGui::Dummy({0, 2 * unit(context)});
  }
  ImGui::PopTextWrapPos();
}

const char* accept_label(const DialogState& dialog) {
  if (dialog.kind == DialogState::Kind::open) return "Open";
  if (wants_folder(dialog)) return "Use this folder";
  return replaces_a_file(dialog) ? "Replace" : "Save";
}

}  // namespace

void accept_name(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  const fs::path path = chosen_path(dialog);
  std::error_code ignored;
  if (wants_folder(dialog)) {
    queue.push([folder = dialog.name.empty() ? dialog.folder : typed_path(dialog)](const Controllers& to) {
      to.screenshots.choose_folder(folder);
    });
  } else if (dialog.name.empty()) {
    change_dialog(queue, [](DialogState& state) { state.error = "Type or click a file name first."; });
  } else if (fs::is_directory(typed_path(dialog), ignored)) {
    go_to(queue, typed_path(dialog));
  } else if (dialog.kind == DialogState::Kind::open) {
    queue.push([path](const Controllers& to) { to.reading.open(path); });
  } else if (dialog.kind == DialogState::Kind::export_weights) {
    queue.push([path](const Controllers& to) { to.exchange.write_weights(path); });
  } else if (dialog.kind == DialogState::Kind::export_page) {
    queue.push([path](const Controllers& to) { to.exchange.export_page(path); });
  } else if (dialog.kind == DialogState::Kind::save_lesson) {
    queue.push([path](const Controllers& to) { to.lesson_editor.save(path); });
  } else if (dialog.kind == DialogState::Kind::figure) {
    queue.push([path](const Controllers& to) { to.figures.export_to(path); });
  } else {
    queue.push([path](const Controllers& to) { to.files.save(path); });
  }
}

void draw_listing(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  const float room = ImGui::GetContentRegionAvail().x;
  int index = 0;
  for (const DialogState::Entry& entry : dialog.entries) {
    const std::string label =
        fit_text(context.fonts.text, (entry.is_folder ? "▸ " : "   ") + shown_text(entry.name), room);
    const bool chosen = entry.name == dialog.name;
    if (text_item(index++, label, chosen,
                  ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
      if (entry.is_folder) {
        go_to(queue, dialog.folder / entry.name);
      } else {
        change_dialog(queue, [name = entry.name](DialogState& state) {
          state.name = name;
          state.figure.name_follows_stage = false;
        });
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) accept_name(context, queue);
      }
    }
    register_item(context, "dialog/entry/" + entry.name);
  }
  if (dialog.entries.empty()) dim_text(context, "Nothing to choose here.");
}

void draw_name_field(const ViewContext& context, CallQueue& queue, const char* hint, float width) {
  std::string name = context.now.dialog.name;
  ImGui::SetNextItemWidth(width);
  if (text_field("##name", hint, name, most_name_bytes)) {
    change_dialog(queue, [name](DialogState& state) {
      state.name = name;
      state.figure.name_follows_stage = false;
      state.error.clear();
    });
  }
  register_item(context, "dialog/name");
}

void draw_folder_line(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  if (push_button(context, "dialog/up", "Up")) go_to(queue, dialog.folder.parent_path());
  ImGui::SameLine();
  if (dialog.kind != DialogState::Kind::open) {
    const char* const label = "New folder";
    const bool fits =
        ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x <= ImGui::GetContentRegionAvail().x;
    if (!fits) ImGui::NewLine();
    if (push_button(context, "dialog/new_folder", label))
      change_dialog(queue, [](DialogState& state) { state.new_folder = ""; });
    ImGui::SameLine();
  }
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(fit_text(context.fonts.text, shown_path(dialog.folder), room).c_str());
  if (dialog.new_folder) draw_new_folder(context, queue);
}

void draw_file_dialog(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  const bool opens = dialog.kind == DialogState::Kind::open;
  if (!in_browser) draw_folder_line(context, queue);
  if (opens) draw_filter(context, queue);
  const float footer =
      2 * ImGui::GetFrameHeightWithSpacing() + (dialog.error.empty() ? 0 : ImGui::GetTextLineHeightWithSpacing() * 2);
  constexpr float share = 0.58f;  // of the width, for the names
  begin_flat_child("listing", {opens ? ImGui::GetContentRegionAvail().x * share : 0, -footer}, true);
  draw_listing(context, queue);
  ImGui::EndChild();
  if (opens) {
    ImGui::SameLine();
    ImGui::BeginChild("preview", {0, -footer}, true);
    draw_preview(context);
    ImGui::EndChild();
    register_item(context, "dialog/preview");
  }
  if (!dialog.error.empty()) warning_text(context, dialog.error);
  draw_name_field(context, queue, wants_folder(dialog) ? "This folder, or type another" : "File name or path", -1);
  const bool enter = is_key_pressed(keys::named(ImGuiKey_Enter)) && !is_used_by_focus();
  if (push_button(context, "dialog/accept", accept_label(dialog)) || enter) accept_name(context, queue);
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) close_dialog(queue);
}

namespace {

std::string name_of(const LostDocument& lost) {
  const char* const unnamed = lost.is_lesson ? "A lesson without a name" : "A document without a name";
  return lost.file.empty() ? unnamed : shown_path(lost.file.filename());
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
    ask_first(context, queue,
              fmt::format("The unsaved changes of {} are deleted.", lost.file.empty() ? lower_case(name) : name),
              "Discard", [kept_in = lost.kept_in](const Controllers& to) { to.files.discard_lost(kept_in); });
  }
}

}  // namespace

void draw_restore_dialog(const ViewContext& context, CallQueue& queue) {
  ImGui::TextWrapped(
      "These changes were not saved when attnscope ended. Restoring them touches no file until you save.");
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
