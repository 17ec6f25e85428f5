#include "features/shared/panel/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <string>
#include <utility>

#include "features/files/exchange_controller.h"
#include "features/film/film_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/app_services.h"
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

bool menu_item(const ViewContext& context, std::string_view name, std::string_view label, const MenuItem& item) {
  const bool is_enabled = item.is_enabled && item.obstacle.empty();
  const std::string keys(item.keys);
  const std::size_t id = std::min(label.find("##"), label.size());
  const std::string shown(label.substr(0, id));
  // On a small screen a label that is too long for its line gets another one.
  const float room = ImGui::GetIO().DisplaySize.x - ImGui::GetCursorPosX() - 2 * ImGui::GetFrameHeight();
  const bool is_long = is_small_screen(context) && ImGui::CalcTextSize((shown + "   " + keys).c_str()).x > room;
  bool pressed = false;
  if (is_long) {
    const std::string lines = wrapped(ImGui::GetFont(), shown + (keys.empty() ? "" : " · " + keys), room);
    pressed = ImGui::Selectable((lines + std::string(label.substr(id))).c_str(), item.is_on,
                                is_enabled ? 0 : ImGuiSelectableFlags_Disabled);
  } else {
    pressed =
        ImGui::MenuItem(std::string(label).c_str(), keys.empty() ? nullptr : keys.c_str(), item.is_on, is_enabled);
  }
  register_item(context, name, {.enabled = is_enabled, .is_on = item.is_on});
  const std::string_view said = item.obstacle.empty() ? item.help : item.obstacle;
  if (!said.empty()) item_tooltip(context, said);
  return pressed;
}

namespace {

// Counts the menus that stand as lists within the menu on the current window.
int& lists_within() { return *ImGui::GetStateStorage()->GetIntRef(ImHashStr("lists within")); }

// Returns whether the current menu leaves room for another one at one of its sides. Over the pointer, the tap or click
// that opens it would choose an item.
bool has_room_for_menu_beside(const ViewContext& context) {
  constexpr float widest_menu = 520;
  const float left = ImGui::GetWindowPos().x;
  const float right = ImGui::GetIO().DisplaySize.x - left - ImGui::GetWindowWidth();
  return !is_small_screen(context) && std::max(left, right) >= widest_menu * unit(context);
}

bool begin_list_within(const ViewContext& context, std::string_view name, const char* label, bool is_enabled) {
  ImGui::BeginDisabled(!is_enabled);
  const bool is_open = ImGui::TreeNodeEx(label, ImGuiTreeNodeFlags_SpanAvailWidth);
  ImGui::EndDisabled();
  register_item(context, name, {.enabled = is_enabled, .is_on = is_open, .opens = true});
  if (is_open) ++lists_within();
  return is_open;
}

}  // namespace

bool begin_menu(const ViewContext& context, std::string_view name, const char* label, bool is_enabled) {
  // Below its bar, and scrolled where it is higher than the room there: over the pointer, the click that opens it would
  // choose an item.
  const float room = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y - ImGui::GetFrameHeight();
  const bool is_in_bar = ImGui::GetCurrentContext()->CurrentWindow->DC.NavLayerCurrent == ImGuiNavLayer_Menu;
  if (is_in_bar) ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, room});
  const bool is_reached = ImGui::GetCurrentContext()->NavJustMovedToId == ImGui::GetID(label);
  if (is_in_bar && is_reached) ImGui::OpenPopup(label);  // by an arrow, from the menu beside it
  if (!is_in_bar && !has_room_for_menu_beside(context)) return begin_list_within(context, name, label, is_enabled);
  const bool open = ImGui::BeginMenu(label, is_enabled);
  register_opener(context, name, open, is_enabled);
  return open;
}

void end_menu() {
  if (lists_within() == 0) return ImGui::EndMenu();
  --lists_within();
  ImGui::TreePop();
}

void show_layout(CallQueue& queue, const ViewMode& layout) {
  queue.push([](const Controllers& to) { to.films.leave(); });
  change_view(queue, [layout](ViewState& state) {
    // The stage of the pinned number is what one wants to see large.
    const bool is_larger = layout.shows_one_stage && !state.mode.shows_one_stage && !state.transient.presenting;
    if (is_larger && state.pinned) state.stage = state.pinned->stage;
    state.mode = layout;
    state.transient.has_answer_beside = false;
  });
}

std::string_view viewing_reason(const ViewContext& context) {
  return context.now.viewing ? "These weights were read from a file: nothing here computes or changes them." : "";
}

std::string Chord::text() const {
  if (!is_there()) return {};
  std::string name = function != 0 ? fmt::format("F{}", function) : std::string(1, key);
  if (arrow != Arrow::none) name = arrow == Arrow::left ? "←" : "→";
  return fmt::format("{}{}{}{}", control ? "Ctrl+" : "", shift ? "Shift+" : "", alt ? "Alt+" : "", name);
}

const Action& action(std::string_view id) {
  const auto found = std::ranges::find(actions(), id, [](const Action& row) { return std::string_view(row.id); });
  IM_ASSERT(found != actions().end() && "menus name actions of the table");
  return *found;
}

std::string obstacle_of(const Action& action, const ViewContext& context) {
  return action.obstacle ? action.obstacle(context) : "";
}

void action_button(const ViewContext& context, CallQueue& queue, std::string_view name, const char* label,
                   const Action& action, std::string_view more) {
  const std::string keys = action.chord.text();
  const std::string help = fmt::format("{}{}{}{}", action.label, keys.empty() ? "" : fmt::format(" ({})", keys),
                                       more.empty() ? "" : ": ", more);
  if (push_button(context, name, label, obstacle_of(action, context), help)) action.run(context, queue);
}

static void action_item(const ViewContext& context, CallQueue& queue, const Action& row) {
  const std::string label = row.label_now ? row.label_now(context) : row.label;
  if (menu_item(
          context, fmt::format("menu/{}", row.id), label,
          {.keys = row.chord.text(), .is_on = row.is_on && row.is_on(context), .obstacle = obstacle_of(row, context)}))
    row.run(context, queue);
}

void action_items(const ViewContext& context, CallQueue& queue, std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    if (id.empty()) {
      ImGui::Separator();
    } else {
      action_item(context, queue, action(id));
    }
  }
}

void end_menu(const ViewContext& context, CallQueue& queue, std::string_view menu) {
  for (const Action& row : actions()) {
    if (row.ends_menu && std::string_view(row.id).starts_with(menu)) action_item(context, queue, row);
  }
  end_menu();
}

}  // namespace attnscope
