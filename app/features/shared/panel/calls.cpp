#include "features/shared/panel/calls.h"

#include <utility>

#include "features/files/exchange_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/setup/document_controller.h"
#include "features/shared/dialog_controller.h"
#include "features/shared/message_controller.h"
#include "features/shared/view_controller.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {

void change_view(CallQueue& queue, std::function<void(ViewState&)> change) {
  queue.push([change = std::move(change)](const Controllers& to) { to.views.change(change); });
}

void edit_document(CallQueue& queue, DocumentEdit edit) {
  queue.push([edit = std::move(edit)](const Controllers& to) { to.documents.edit(edit); });
}

void change_dialog(CallQueue& queue, std::function<void(DialogState&)> change) {
  queue.push([change = std::move(change)](const Controllers& to) { to.dialogs.change(change); });
}

void show_dialog(CallQueue& queue, DialogState::Kind kind) {
  queue.push([kind](const Controllers& to) { to.dialogs.show(kind); });
}

void close_dialog(CallQueue& queue) {
  queue.push([](const Controllers& to) { to.dialogs.close(); });
}

void hover(CallQueue& queue, const Source& cell) {
  queue.push_idle([cell](const Controllers& to) { to.views.hover(cell); });
}

void open_lesson(CallQueue& queue, std::string id) {
  queue.push([id = std::move(id)](const Controllers& to) { to.lessons.open(id); });
}

void copy_text(CallQueue& queue, std::string text, std::string message) {
  queue.push([text = std::move(text), message = std::move(message)](const Controllers& to) {
    to.exchange.copy_text(text, message);
  });
}

void say(CallQueue& queue, std::string message) {
  queue.push([message = std::move(message)](const Controllers& to) { to.messages.say(message); });
}

DocumentEdit held_edit(std::string label, std::function<void(Document&)> change) {
  return {std::move(label), std::move(change), false, ImGui::GetItemID()};
}

void finish_when_let_go(CallQueue& queue) {
  if (!ImGui::IsItemDeactivated()) return;
  const bool is_taken_back = is_key_pressed(keys::named(ImGuiKey_Escape));
  queue.push_idle([control = ImGui::GetItemID(), is_taken_back](const Controllers& to) {
    to.documents.finish_edit(control, is_taken_back);
  });
}

bool document_text_field(const ViewContext& context, CallQueue& queue, const char* id, const char* hint,
                         const std::string& before, std::size_t room, const char* label,
                         const std::function<void(Document&, const std::string&)>& change) {
  const std::optional<TypedText>& typed = context.now.typed;
  const ImGuiID field = ImGui::GetID(id);
  std::string text = typed && typed->control == field ? typed->text : before;
  if (text_field(id, hint, text, before.size() + room)) {
    TextEdit edit{field, label, text, {}};
    if (text != before) edit.change = [change, text](Document& document) { change(document, text); };
    queue.push([edit = std::move(edit)](const Controllers& to) { to.documents.type(edit); });
  }
  finish_when_let_go(queue);
  return ImGui::IsItemDeactivated() && is_key_pressed(keys::named(ImGuiKey_Enter));
}

void set_head(CallQueue& queue, Index head) {
  change_view(queue, [head](ViewState& state) {
    state.head = head;
    if (state.pinned) state.pinned->head = head;  // what is explained is what is shown
  });
}

void step_head(const ViewContext& context, CallQueue& queue, Index step) {
  if (!context.now.result()) return;
  const Index heads = head_count(context.now.result()->config);
  set_head(queue, (std::min(context.now.view.head, heads - 1) + step + heads) % heads);
}

}  // namespace attnscope
