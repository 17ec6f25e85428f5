#include "views/dialog.h"

#include <fmt/format.h>

#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

struct DialogFrame {
  const char* title;
  ImVec2 size;  // in units; 0 fits the content
};

DialogFrame frame_of(DialogState::Kind kind) {
  switch (kind) {
    case DialogState::Kind::open:
      return {"Open", {820, 480}};
    case DialogState::Kind::save_as:
      return {"Save the document as", {620, 440}};
    case DialogState::Kind::export_weights:
      return {"Export the weights as", {620, 440}};
    case DialogState::Kind::screenshot_folder:
      return {"Folder for screenshots", {620, 440}};
    case DialogState::Kind::shortcuts:
      return {"Keys and pointer", {660, 0}};
    case DialogState::Kind::glossary:
      return {"Stages", {860, 560}};
    case DialogState::Kind::figure:
      return {"Export figure", {1400, 900}};
    case DialogState::Kind::about:
      return {"About attnscope", {460, 0}};
    case DialogState::Kind::restore:
      return {"Unsaved changes were left behind", {620, 0}};
    default:
      return {"Unsaved changes", {420, 0}};
  }
}

void draw_unsaved(const ViewContext& context, CommandQueue& queue) {
  const std::string name = context.file.empty() ? "This document" : context.file.filename().string();
  ImGui::TextWrapped("%s has changes that are not saved.", name.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/save", "Save")) queue.push_back(AnswerUnsaved{AnswerUnsaved::Answer::save});
  ImGui::SameLine();
  if (push_button(context, "dialog/discard", "Discard")) queue.push_back(AnswerUnsaved{AnswerUnsaved::Answer::discard});
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) queue.push_back(AnswerUnsaved{AnswerUnsaved::Answer::cancel});
}

void draw_about(const ViewContext& context, CommandQueue& queue) {
  ImGui::TextWrapped(
      "attnscope computes self-attention as the notebooks do, shows every intermediate matrix, and explains every "
      "number "
      "on the screen.");
  ImGui::Dummy({0, 4 * unit(context)});
  dim_text(context, fmt::format("Version {} · Dear ImGui {} · {}", ATTNSCOPE_VERSION, IMGUI_VERSION,
                                has_openmp ? "with OpenMP" : "without OpenMP"));
  for (const std::string& message : context.fonts.messages) dim_text(context, message);
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) queue.push_back(CloseDialog{});
}

void draw_dialog_content(const ViewContext& context, CommandQueue& queue) {
  switch (context.dialog.kind) {
    case DialogState::Kind::open:
    case DialogState::Kind::save_as:
    case DialogState::Kind::export_weights:
    case DialogState::Kind::screenshot_folder:
      draw_file_dialog(context, queue);
      break;
    case DialogState::Kind::shortcuts:
      draw_shortcuts(context, queue);
      break;
    case DialogState::Kind::glossary:
      draw_glossary(context, queue);
      break;
    case DialogState::Kind::figure:
      draw_figure_dialog(context, queue);
      break;
    case DialogState::Kind::about:
      draw_about(context, queue);
      break;
    case DialogState::Kind::restore:
      draw_restore_dialog(context, queue);
      break;
    default:
      draw_unsaved(context, queue);
      break;
  }
}

// Closes a list that is open in the dialog; whether there was one.
bool close_list() {
  const ImGuiContext& imgui = *ImGui::GetCurrentContext();
  if (imgui.OpenPopupStack.Size <= imgui.BeginPopupStack.Size) return false;
  ImGui::ClosePopupToLevel(imgui.BeginPopupStack.Size, true);
  return true;
}

}  // namespace

void draw_dialog(const ViewContext& context, CommandQueue& queue) {
  if (context.dialog.kind == DialogState::Kind::none) return;
  const DialogFrame frame = frame_of(context.dialog.kind);
  if (!ImGui::IsPopupOpen(frame.title)) ImGui::OpenPopup(frame.title);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  const float width = std::min(frame.size.x * unit(context), display.x - 40);
  const float height = frame.size.y == 0 ? 0 : std::min(frame.size.y * unit(context), display.y - 60);
  ImGui::SetNextWindowSize({width, height}, ImGuiCond_Always);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * unit(context));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {18 * unit(context), 14 * unit(context)});
  bool open = true;
  const bool shown = ImGui::BeginPopupModal(frame.title, &open, flags);
  ImGui::PopStyleVar(3);
  if (!shown) return;
  draw_dialog_content(context, queue);
  if (!open || (is_key_pressed(keys::named(ImGuiKey_Escape)) && !close_list())) {
    if (context.dialog.kind == DialogState::Kind::unsaved) {
      queue.push_back(AnswerUnsaved{AnswerUnsaved::Answer::cancel});
    } else {
      queue.push_back(CloseDialog{});
    }
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
