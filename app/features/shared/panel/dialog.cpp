#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "document/document.h"
#include "features/files/file_controller.h"
#include "features/shared/licenses.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "session/view_state.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

void answer_unsaved(CallQueue& queue, FileController::Answer answer) {
  queue.push([answer](const Controllers& to) { to.files.answer_unsaved(answer); });
}

void draw_unsaved(const ViewContext& context, CallQueue& queue) {
  const std::string name = context.now.file.empty() ? "This document" : shown_path(context.now.file.filename());
  const DialogState& dialog = context.now.dialog;
  ImGui::TextWrapped("%s has changes that are not saved. %s", name.c_str(), dialog.question.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/save", "Save")) answer_unsaved(queue, FileController::Answer::save);
  ImGui::SameLine();
  const char* const discard = dialog.yes.empty() ? "Discard" : dialog.yes.c_str();
  if (push_button(context, "dialog/discard", discard)) answer_unsaved(queue, FileController::Answer::discard);
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) answer_unsaved(queue, FileController::Answer::cancel);
}

void draw_question(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  ImGui::TextWrapped("%s", dialog.question.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  for (std::size_t i = 0; i < dialog.answers.size(); ++i) {  // that keep what would be lost
    const auto& [answer, call] = dialog.answers[i];
    if (push_button(context, fmt::format("dialog/answer/{}", i), answer.c_str())) {
      close_dialog(queue);
      queue.push(call);  // which may open a dialog
    }
    ImGui::SameLine();
  }
  const bool is_agreed = push_button(context, "dialog/yes", dialog.yes.c_str());
  ImGui::SameLine();
  const bool is_cancelled = push_button(context, "dialog/cancel", "Cancel");
  if (is_agreed) queue.push(dialog.agreed);
  if (is_agreed || is_cancelled) close_dialog(queue);
}

// Goes with Tab to the next of these items, and with Shift and Tab to the one before. Dear ImGui's own way stops at
// fields alone.
void let_tab_go_on(const std::vector<ImGuiID>& items) {
  if (!is_key_pressed(keys::named(ImGuiKey_Tab), true)) return;
  const auto now = std::ranges::find(items, ImGui::GetCurrentContext()->NavId);
  const std::size_t count = items.size();
  const std::size_t at = now == items.end() ? count - 1 : static_cast<std::size_t>(now - items.begin());
  const std::size_t next = (at + (ImGui::GetIO().KeyShift ? count - 1 : 1)) % count;
  ImGui::SetFocusID(items[next], ImGui::GetCurrentWindow());
  show_focus();
}

// Draws buttons for the answers, the likeliest first, in as many lines as they take.
void draw_choice(const ViewContext& context, CallQueue& queue) {
  const DialogState& dialog = context.now.dialog;
  ImGui::TextWrapped("%s", dialog.question.c_str());
  ImGui::Dummy({0, 6 * unit(context)});
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  bool is_chosen = false;
  std::vector<ImGuiID> buttons;
  for (std::size_t i = 0; i < dialog.answers.size(); ++i) {
    const auto& [answer, call] = dialog.answers[i];
    const std::string shown = shown_text(answer.empty() ? "(no name)" : answer);
    const float width = ImGui::CalcTextSize(shown.c_str()).x + 2 * style.FramePadding.x;
    if (i > 0) ImGui::SameLine();
    if (i > 0 && ImGui::GetCursorPosX() + width > right) ImGui::NewLine();
    ImGui::PushID(static_cast<int>(i));
    if (push_button(context, fmt::format("dialog/answer/{}", i), shown.c_str())) {
      queue.push(call);
      is_chosen = true;
    }
    buttons.push_back(ImGui::GetItemID());
    ImGui::PopID();
  }
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/cancel", "Cancel") || is_chosen) close_dialog(queue);
  buttons.push_back(ImGui::GetItemID());
  let_tab_go_on(buttons);
}

struct Dialog {
  DialogState::Kind kind;
  const char* title;
  ImVec2 size;  // in units; 0 fits the content
  void (*draw)(const ViewContext& context, CallQueue& queue);
  bool shows_focus = false;  // a frame shows from the beginning which row the keys would choose
  bool is_beside = false;    // at the right end of the window, which shows at once what is chosen
};
using Kind = DialogState::Kind;
const Dialog dialogs[] = {
    {Kind::open, "Open", {820, 480}, draw_file_dialog},
    {Kind::save_as, "Save the document as", {620, 440}, draw_file_dialog},
    {Kind::save_lesson, "Save the lesson as", {620, 440}, draw_file_dialog},
    {Kind::export_weights, "Export the weights as", {620, 440}, draw_file_dialog},
    {Kind::export_page, "Export a page as", {620, 440}, draw_file_dialog},
    {Kind::screenshot_folder, "Folder for screenshots", {620, 440}, draw_file_dialog},
    {Kind::shortcuts, "Keys and pointer", {1860, 0}, draw_shortcuts},
    {Kind::glossary, "Stages", {860, 560}, draw_glossary},
    {Kind::figure, "Export figure", {1400, 900}, draw_figure_dialog},
    {Kind::about, "About attnscope", {640, 0}, draw_about},
    {Kind::settings, "Settings", {370, 660}, draw_settings, true, true},
    {Kind::examples, "Examples", {1200, 730}, draw_examples_gallery, true},
    {Kind::pairs, "Ready pairs", {1120, 560}, draw_pairs_gallery, true},
    {Kind::restore, "Unsaved changes were left behind", {620, 0}, draw_restore_dialog},
    {Kind::unsaved, "Unsaved changes", {420, 0}, draw_unsaved},
    {Kind::question, "This cannot be undone", {420, 0}, draw_question},
    {Kind::choice, "The file leaves something open", {520, 0}, draw_choice, true},
};

constexpr float dim_behind_dialogs = 0.35f;

// Closes a list that is open in the dialog; returns whether there was one.
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

// Dear ImGui hides the frame of the chosen item until a key moves it, and it chooses the first item only after the
// window has appeared.
void show_focus_at_first() {
  constexpr int frames_to_choose = 3;
  int& seen = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("seen"), 0);
  if (ImGui::IsWindowAppearing()) seen = 0;
  if (seen >= frames_to_choose) return;
  ++seen;
  show_focus();
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
  const bool can_keep = context.now.dialog.kind == Kind::question && !context.now.dialog.answers.empty();
  const char* const title = can_keep ? "Unsaved changes" : frame.title;
  if (!ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float at = frame.is_beside ? 1.0f : 0.5f;
  ImGui::SetNextWindowPos({(display.x - 20) * at + 10 * (1 - at), display.y / 2}, ImGuiCond_Always, {at, 0.5f});
  ImGui::GetStyle().Colors[ImGuiCol_ModalWindowDimBg].w = frame.is_beside ? 0 : dim_behind_dialogs;
  const float width = std::min(frame.size.x * unit(context), display.x - 40);
  const float height = frame.size.y == 0 ? 0 : std::min(frame.size.y * unit(context), display.y - 60);
  ImGui::SetNextWindowSize({width, height}, ImGuiCond_Always);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * unit(context));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {18 * unit(context), 14 * unit(context)});
  bool open = true;
  const bool shown = ImGui::BeginPopupModal(title, &open, flags);
  ImGui::PopStyleVar(3);
  if (!shown) return;
  if (frame.shows_focus) show_focus_at_first();
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

namespace {

constexpr float shortcuts_frame = 140;  // height of the window around the list and its margins
constexpr float keys_width = 190;
constexpr float keys_gap = 16;            // between two columns of keys
constexpr float least_keys_column = 560;  // a window has as many as it has room for

// Actions of the pointer, and of keys that are in no menu.
constexpr std::pair<const char*, const char*> by_hand[] = {
    {"rest on a cell", "explains the number and marks its query and key in every matrix"},
    {"click a cell", "pins it; Esc or the × of its card unpins"},
    {"wheel on a heatmap", "zooms at the pointer; with Ctrl where it scrolls the page"},
    {"drag a heatmap", "pans when zoomed; a double click shows all of it"},
    {"Tab, Shift+Tab", "to the next panel: stages, inspector, setup, tools"},
    {"arrow keys in a panel", "from item to item; Enter edits or opens it, Esc leaves"},
    {"right click a cell", "what can be done with it, its row, column and matrix"},
    {"Enter in the stages",
     "types the pinned input or weight; switches a cell of dropout or the mask; else the inspector"},
    {"Ctrl+↑, Ctrl+↓", "change the pinned number by 0.01; with Shift 0.1, with Alt 0.001"},
    {"Alt+drag in a matrix", "changes a weight or an input; paints what dropout drops or the mask hides"},
    {"double click a switch", "keeps or drops a weight of dropout; shows or hides a key"},
    {"Space", "in Model: switches the chosen head off, or on again"},
    {"Delete", "the pinned number is again what was drawn"},
    {"?", "this list"},
    {"+, −", "zoom in, zoom out"},
    {"arrow keys", "move the pinned cell, in the diagram on into the next matrix"},
    {"Shift+arrow keys", "move the view"},
    {"← → in Teaching views", "the view before, the next one"},
    {"arrow keys in Layers", "from picture to picture; Enter shows one large"},
    {"drag a number", "changes an embedding; Shift faster, Alt slower"},
    {"double-click a number", "types it"},
    {"Ctrl+click a slider", "types its value"},
    {"H, Shift+H", "the next head, the one before; so do ] and ["},
    {"Ctrl++, Ctrl+−, Ctrl+0", "interface larger, smaller, 100 %"},
    {"drop a file", "opens it"},
};

// Keys that mean this only while a presentation fills the screen.
constexpr std::pair<const char*, const char*> before_audience[] = {
    {"→, Page Down, Space", "the next scene of a stage, the next stage, teaching view, or head of a trained model"},
    {"←, Page Up, Backspace", "the same way back"},
    {"Home, End", "the first stage, all stages; the first and last head of a trained model"},
    {"B, .", "a blank screen"},
    {"S", "a spot around the pointer"},
    {"R", "in a lesson, whose steps the arrows go through: reveals the answer"},
    {"T", "in a lesson: hides its text, or shows it again"},
};

// Scrolls the list that is drawn: nothing in it can be chosen.
void scroll_by_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float page = std::max(ImGui::GetWindowHeight() - line, line);
  const std::pair<ImGuiKey, float> keys_and_steps[] = {{ImGuiKey_DownArrow, line},
                                                       {ImGuiKey_UpArrow, -line},
                                                       {ImGuiKey_PageDown, page},
                                                       {ImGuiKey_PageUp, -page},
                                                       {ImGuiKey_End, ImGui::GetScrollMaxY()},
                                                       {ImGuiKey_Home, -ImGui::GetScrollMaxY()}};
  for (const auto& [key, step] : keys_and_steps)
    if (is_key_pressed(keys::named(key), true))
      ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + step, 0.0F, ImGui::GetScrollMaxY()));
}

void draw_glossary_row(const ViewContext& context, const StageInfo& stage) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(stage.title).c_str());
  ImGui::PopFont();
  ImGui::TextDisabled("%s", shape_letters_in_class(context.now.document.config, stage.stage).c_str());
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0.0f);
  ImGui::TextUnformatted(std::string(stage.formula).c_str());
  push_font(context.fonts.small_number);
  ImGui::TextDisabled("%s", std::string(stage.pytorch).c_str());
  ImGui::PopFont();
  ImGui::PopTextWrapPos();
}

constexpr float list_height = 220;
constexpr float about_frame = 220;  // height of the window around the list

void draw_licenses(const ViewContext& context) {
  const float room = ImGui::GetIO().DisplaySize.y - about_frame * unit(context);
  ImGui::BeginChild("licenses", {0, std::min(list_height * unit(context), std::max(room, 0.0f))});
  scroll_by_keys();
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

std::vector<KeyRow> key_list() {
  std::vector<KeyRow> all;
  for (const auto& [keys, what] : by_hand) all.push_back({keys, what});
  for (const ViewModeInfo& row : view_modes())
    all.push_back({fmt::format("{}, {}", row.number(), row.keys()), row.title});
  for (const Action& action : actions()) {
    const std::string keys = action.chord.text();
    if (!keys.empty()) all.push_back({keys, *action.help ? action.help : action.label});
  }
  for (const auto& [keys, what] : before_audience) all.push_back({keys, what, true});
  return all;
}

void draw_glossary(const ViewContext& context, CallQueue& queue) {
  ImGui::BeginChild("stages", {0, -ImGui::GetFrameHeightWithSpacing()});
  scroll_by_keys();
  if (ImGui::BeginTable("stages", 2, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthFixed, 200 * unit(context));
    ImGui::TableSetupColumn("formula", ImGuiTableColumnFlags_WidthStretch);
    for (const StageInfo& stage : stages()) draw_glossary_row(context, stage);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

void draw_shortcuts(const ViewContext& context, CallQueue& queue) {
  // Low windows have no room for all of them: the list scrolls, the button stays.
  std::vector<KeyRow> all = key_list();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float avail = ImGui::GetContentRegionAvail().x - style.ScrollbarSize;
  const auto columns = static_cast<std::size_t>(std::clamp(avail / (least_keys_column * unit(context)), 1.0F, 3.0F));
  const float column = avail / static_cast<float>(columns);
  const std::size_t rows = (all.size() + columns - 1) / columns;
  std::vector<float> heights(rows, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_for_audience) all[i].what = "before an audience: " + all[i].what;
    all[i].what = wrapped(ImGui::GetFont(), all[i].what, column - (keys_width + keys_gap) * unit(context));
    heights[i % rows] = std::max(heights[i % rows], ImGui::CalcTextSize(all[i].what.c_str()).y + style.ItemSpacing.y);
  }
  const float room = ImGui::GetIO().DisplaySize.y - shortcuts_frame * unit(context);
  float height = 0;  // no row is cut at the lower end
  for (std::size_t row = 0; row < rows && (row == 0 || height + heights[row] <= room); ++row) height += heights[row];
  ImGui::BeginChild("shortcuts", {0, height}, false, ImGuiWindowFlags_NoNav);
  scroll_by_keys();
  float top = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row; i < all.size(); i += rows) {
      const std::size_t place = i / rows;
      const float left = column * static_cast<float>(place);
      ImGui::SetCursorPos({left, top});
      ImGui::TextUnformatted(all[i].keys.c_str());
      ImGui::SetCursorPos({left + keys_width * unit(context), top});
      ImGui::TextDisabled("%s", all[i].what.c_str());
    }
    top += heights[row];
  }
  ImGui::EndChild();
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

void draw_about(const ViewContext& context, CallQueue& queue) {
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
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

}  // namespace attnscope
