#include <algorithm>
#include <utility>

#include "core/shown_text.h"
#include "features/files/file_controller.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

void answer_unsaved(CallQueue& queue, FileController::Answer answer) {
  queue.push([answer](const Controllers& to) { to.files.answer_unsaved(answer); });
}

void draw_unsaved(const ViewContext& context, CallQueue& queue) {
  const std::string name = context.now.file.empty() ? "This document" : shown_path(context.now.file.filename());
  ImGui::TextWrapped("%s has changes that are not saved.", name.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/save", "Save")) answer_unsaved(queue, FileController::Answer::save);
  ImGui::SameLine();
  if (push_button(context, "dialog/discard", "Discard")) answer_unsaved(queue, FileController::Answer::discard);
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) answer_unsaved(queue, FileController::Answer::cancel);
}

void draw_question(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  ImGui::TextWrapped("%s", dialog.question.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  const bool is_agreed = push_button(context, "dialog/yes", dialog.yes.c_str());
  ImGui::SameLine();
  const bool is_cancelled = push_button(context, "dialog/cancel", "Cancel");
  if (is_agreed) queue.push(dialog.agreed);
  if (is_agreed || is_cancelled) close_dialog(queue);
}

struct Dialog {
  DialogState::Kind kind;
  const char* title;
  ImVec2 size;  // in units; 0 fits the content
  void (*draw)(const ViewContext& context, CallQueue& queue);
};
using Kind = DialogState::Kind;
const Dialog dialogs[] = {
    {Kind::open, "Open", {820, 480}, draw_file_dialog},
    {Kind::save_as, "Save the document as", {620, 440}, draw_file_dialog},
    {Kind::export_weights, "Export the weights as", {620, 440}, draw_file_dialog},
    {Kind::screenshot_folder, "Folder for screenshots", {620, 440}, draw_file_dialog},
    {Kind::shortcuts, "Keys and pointer", {660, 0}, draw_shortcuts},
    {Kind::glossary, "Stages", {860, 560}, draw_glossary},
    {Kind::figure, "Export figure", {1400, 900}, draw_figure_dialog},
    {Kind::about, "About attnscope", {640, 0}, draw_about},
    {Kind::restore, "Unsaved changes were left behind", {620, 0}, draw_restore_dialog},
    {Kind::unsaved, "Unsaved changes", {420, 0}, draw_unsaved},
    {Kind::question, "This cannot be undone", {420, 0}, draw_question},
};

// Closes a list that is open in the dialog; whether there was one.
bool close_list() {
  if (had_popup()) return true;  // Dear ImGui did it
  const ImGuiContext& imgui = *ImGui::GetCurrentContext();
  if (imgui.OpenPopupStack.Size <= imgui.BeginPopupStack.Size) return false;
  ImGui::ClosePopupToLevel(imgui.BeginPopupStack.Size, true);
  return true;
}

// A dialog that is drawn no more would stay in front of windows that open next, and Dear ImGui does not know where
// then.
void forget_ended_dialog() {
  const ImVector<ImGuiPopupData>& open = ImGui::GetCurrentContext()->OpenPopupStack;
  const ImGuiWindow* const last = open.empty() ? nullptr : open.back().Window;
  if (last && (last->Flags & ImGuiWindowFlags_Modal) != 0) ImGui::ClosePopupToLevel(open.Size - 1, true);
}

}  // namespace

void ask_first(const ViewContext& context, CallQueue& queue, std::string question, std::string yes, Call call) {
  change_dialog(queue, [question = std::move(question), yes = std::move(yes), call = std::move(call),
                        from = context.now.dialog.kind](DialogState& dialog) {
    dialog = {};
    dialog.kind = DialogState::Kind::question;
    dialog.question = question;
    dialog.yes = yes;
    dialog.agreed = call;
    dialog.returns_to = from;
  });
}

void draw_dialog(const ViewContext& context, CallQueue& queue) {
  if (context.now.dialog.kind == DialogState::Kind::none) return forget_ended_dialog();
  const Dialog& frame = *std::ranges::find(dialogs, context.now.dialog.kind, &Dialog::kind);
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
  frame.draw(context, queue);
  if (!open || (is_key_pressed(keys::named(ImGuiKey_Escape)) && !close_list())) {
    if (context.now.dialog.kind == DialogState::Kind::unsaved) {
      answer_unsaved(queue, FileController::Answer::cancel);
    } else {
      close_dialog(queue);
    }
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
