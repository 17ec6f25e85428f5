#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "views/file_dialog.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

bool wants_folder(const DialogState& dialog) { return dialog.kind == DialogState::Kind::screenshot_folder; }

bool wants_new_name(const DialogState& dialog) {
  return dialog.kind == DialogState::Kind::save_as || dialog.kind == DialogState::Kind::export_weights ||
         dialog.kind == DialogState::Kind::figure;
}

bool has_ending(const std::string& name, std::initializer_list<std::string_view> endings) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(endings, ending) != endings.end();
}

bool is_document_name(const std::string& name) { return has_ending(name, {".json"}); }

bool is_picture_name(const std::string& name) { return has_ending(name, {".png", ".svg", ".pdf"}); }

bool is_array_name(const std::string& name) { return has_ending(name, {".npy", ".npz", ".safetensors", ".csv"}); }

// Pictures carry documents, but none is saved over one.
bool is_listed(const DialogState& dialog, const std::string& name) {
  switch (dialog.kind) {
    case DialogState::Kind::open:
      return is_document_name(name) || is_picture_name(name) || is_array_name(name) ||
             (dialog.lists_tokens && has_ending(name, {".txt"}));
    case DialogState::Kind::save_as:
      return is_document_name(name);
    case DialogState::Kind::export_weights:
      return has_ending(name, {".safetensors"});
    case DialogState::Kind::figure:
      return is_picture_name(name);
    default:
      return false;
  }
}

// Absolute whatever was typed: a name in the listed folder, a path, or a path from the home folder.
fs::path typed_path(const DialogState& dialog) {
  if (dialog.name.starts_with("~/")) {
    if (const char* home = std::getenv("HOME")) return fs::path(home) / dialog.name.substr(2);
  }
  return dialog.folder / dialog.name;
}

// Of names that were typed without one.
const char* usual_ending(const DialogState& dialog) {
  switch (dialog.kind) {
    case DialogState::Kind::save_as:
      return ".json";
    case DialogState::Kind::export_weights:
      return ".safetensors";
    case DialogState::Kind::figure:
      return ".png";
    default:
      return "";
  }
}

void go_to(CommandQueue& queue, const fs::path& folder) {
  queue.push_back(UpdateDialog{[folder](DialogState& dialog) {
    list_folder(dialog, folder);
    if (!wants_new_name(dialog)) dialog.name.clear();
  }});
}

const char* accept_label(const DialogState& dialog) {
  if (dialog.kind == DialogState::Kind::open) return "Open";
  if (wants_folder(dialog)) return "Use this folder";
  return replaces_a_file(dialog) ? "Replace" : "Save";
}

}  // namespace

fs::path chosen_path(const DialogState& dialog) {
  fs::path path = typed_path(dialog);
  if (path.extension().empty()) path += usual_ending(dialog);
  return path;
}

bool replaces_a_file(const DialogState& dialog) {
  std::error_code ignored;
  return !dialog.name.empty() && fs::is_regular_file(chosen_path(dialog), ignored);
}

void accept_name(const ViewContext& context, CommandQueue& queue) {
  const DialogState& dialog = context.dialog;
  std::error_code ignored;
  if (wants_folder(dialog)) {
    queue.push_back(ChooseScreenshotFolder{dialog.name.empty() ? dialog.folder : typed_path(dialog)});
  } else if (dialog.name.empty()) {
    queue.push_back(UpdateDialog{[](DialogState& state) { state.error = "Type or click a file name first."; }});
  } else if (fs::is_directory(typed_path(dialog), ignored)) {
    go_to(queue, typed_path(dialog));
  } else if (dialog.kind == DialogState::Kind::open) {
    queue.push_back(OpenFile{chosen_path(dialog)});
  } else if (dialog.kind == DialogState::Kind::export_weights) {
    queue.push_back(ExportWeights{chosen_path(dialog)});
  } else if (dialog.kind == DialogState::Kind::figure) {
    queue.push_back(ExportFigure{chosen_path(dialog)});
  } else {
    queue.push_back(SaveFile{chosen_path(dialog)});
  }
}

void draw_listing(const ViewContext& context, CommandQueue& queue) {
  const DialogState& dialog = context.dialog;
  int index = 0;
  for (const DialogState::Entry& entry : dialog.entries) {
    ImGui::PushID(index++);
    const std::string label = entry.is_folder ? "▸ " + entry.name : "   " + entry.name;
    const bool chosen = entry.name == dialog.name;
    if (ImGui::Selectable(label.c_str(), chosen,
                          ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
      if (entry.is_folder) {
        go_to(queue, dialog.folder / entry.name);
      } else {
        queue.push_back(UpdateDialog{[name = entry.name](DialogState& state) {
          state.name = name;
          state.figure.name_follows_stage = false;
        }});
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) accept_name(context, queue);
      }
    }
    register_item(context, "dialog/entry/" + entry.name);
    ImGui::PopID();
  }
  if (dialog.entries.empty()) dim_text(context, "Nothing to choose here.");
}

void draw_name_field(const ViewContext& context, CommandQueue& queue, const char* hint, float width) {
  std::string name = context.dialog.name;
  name.resize(name.size() + 1024);
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputTextWithHint("##name", hint, name.data(), name.size())) {
    queue.push_back(UpdateDialog{[text = std::string(name.c_str())](DialogState& state) {
      state.name = text;
      state.figure.name_follows_stage = false;
      state.error.clear();
    }});
  }
  register_item(context, "dialog/name");
}

void draw_folder_line(const ViewContext& context, CommandQueue& queue) {
  const DialogState& dialog = context.dialog;
  if (push_button(context, "dialog/up", "Up")) go_to(queue, dialog.folder.parent_path());
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(fit_text(context.fonts.text, dialog.folder.string(), room).c_str());
}

void list_folder(DialogState& dialog, const fs::path& folder) {
  dialog.entries.clear();
  dialog.error.clear();
  std::error_code failure;
  dialog.folder = fs::weakly_canonical(folder, failure);
  if (failure) dialog.folder = folder;
  for (fs::directory_iterator at(dialog.folder, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    DialogState::Entry entry{at->path().filename().string(), at->is_directory(ignored)};
    if (entry.name.starts_with('.')) continue;
    if (entry.is_folder || is_listed(dialog, entry.name)) dialog.entries.push_back(entry);
  }
  if (failure) dialog.error = fmt::format("{}: {}.", dialog.folder.string(), failure.message());
  std::sort(dialog.entries.begin(), dialog.entries.end(),
            [](const auto& a, const auto& b) { return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name; });
}

void draw_file_dialog(const ViewContext& context, CommandQueue& queue) {
  const DialogState& dialog = context.dialog;
  draw_folder_line(context, queue);
  const float footer =
      2 * ImGui::GetFrameHeightWithSpacing() + (dialog.error.empty() ? 0 : ImGui::GetTextLineHeightWithSpacing() * 2);
  ImGui::BeginChild("listing", {0, -footer}, true);
  draw_listing(context, queue);
  ImGui::EndChild();
  if (!dialog.error.empty()) warning_text(context, dialog.error);
  draw_name_field(context, queue, wants_folder(dialog) ? "This folder, or type another" : "File name or path", -1);
  const bool enter = is_key_pressed(keys::named(ImGuiKey_Enter));
  if (push_button(context, "dialog/accept", accept_label(dialog)) || enter) accept_name(context, queue);
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) queue.push_back(CloseDialog{});
}

}  // namespace attnscope
