#include <fmt/format.h>

#include <string>

#include "features/search/search_controller.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float go_to_width = 248;
constexpr std::size_t text_bytes = 128;

void draw_field(const ViewContext& context, CallQueue& queue) {
  std::string text = context.now.go_to.text;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool is_changed = text_field("##token", "Token, by name or number", text, text_bytes);
  register_item(context, "go_to/text");
  item_tooltip(context, "Enter goes to the next token of this name.");
  if (is_changed) queue.push([text](const Controllers& to) { to.search.seek(text); });
  // Enter takes the focus from the field; it comes back, so that Enter again goes on.
  const bool is_entered = ImGui::IsItemDeactivated() && is_key_pressed(keys::named(ImGuiKey_Enter));
  if (!is_entered) return;
  ImGui::SetKeyboardFocusHere(-1);
  queue.push([](const Controllers& to) { to.search.go_to(GoToState::Target::token); });
}

void draw_sides(const ViewContext& context, CallQueue& queue) {
  static constexpr struct {
    GoToState::Side side;
    const char* name;
    const char* label;
    const char* help;
  } sides[] = {{GoToState::Side::query, "go_to/query", "query row", "The token as a query"},
               {GoToState::Side::key, "go_to/key", "key column", "The token as a key"},
               {GoToState::Side::both, "go_to/both", "both", "The token's weight on itself"}};
  for (const auto& item : sides) {
    if (&item != sides) ImGui::SameLine(0, 2);
    if (choice_button(context, item.name, item.label, context.now.go_to.side == item.side, item.help)) {
      queue.push([side = item.side](const Controllers& to) { to.search.choose_side(side); });
    }
  }
}

void draw_step(const ViewContext& context, CallQueue& queue, const char* name, const char* label,
               GoToState::Target target, const char* help) {
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0.0f, 0.5f});
  ImGui::PushID(name);
  if (ImGui::Button(label, {-1, 0})) queue.push([target](const Controllers& to) { to.search.go_to(target); });
  ImGui::PopID();
  ImGui::PopStyleVar();
  register_item(context, name);
  item_tooltip(context, help);
}

std::string place_text(const ViewContext& context, const GoToPlace& place) {
  const std::string_view title = info(place.stage).title;
  const Index heads = head_count(context.now.result()->config);
  return heads == 1 ? std::string(title) : fmt::format("{}, head {}", title, place.head + 1);
}

void draw_go_to_fields(const ViewContext& context, CallQueue& queue) {
  draw_field(context, queue);
  draw_sides(context, queue);
  ImGui::Separator();
  dim_text(context, place_text(context, go_to_place(context.now.view, *context.now.result())));
  draw_step(context, queue, "go_to/largest", "Next largest", GoToState::Target::largest,
            "The 20 cells of largest magnitude, one after the other");
  const AttentionConfig& config = context.now.result()->config;
  if (query_count(config) == key_count(config)) {
    draw_step(context, queue, "go_to/diagonal", "Along the diagonal", GoToState::Target::diagonal,
              "Along the diagonal: each token and its neighbours");
  }
  draw_step(context, queue, "go_to/first_column", "First token's column", GoToState::Target::first_column,
            "Attention sink: the key that gets weight when no other key fits");
  // Two lines always, so that the panel keeps its size.
  const ImVec2 start = ImGui::GetCursorPos();
  dim_text(context, context.now.go_to.status);
  const float height = 3 * font_height(context.fonts.small_text);
  ImGui::SetCursorPos(start);
  ImGui::Dummy({go_to_width * unit(context), height});
}

}  // namespace

void draw_go_to(const ViewContext& context, CallQueue& queue) {
  if (!context.now.go_to.is_open || !context.now.result()) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float edge = 8 * unit(context);
  // Over the setup, which is not needed meanwhile: heatmaps and inspector stay in sight.
  const float bottom = display.y - font_height(context.fonts.small_text) - 12 * unit(context) - edge;
  ImGui::SetNextWindowPos({edge, bottom}, ImGuiCond_Appearing, {0, 1});
  // Sets the width from the first frame on. In a narrower window the words would take many lines, and it would stand
  // too high.
  ImGui::SetNextWindowSize({go_to_width * unit(context) + 2 * ImGui::GetStyle().WindowPadding.x, 0},
                           ImGuiCond_Appearing);
  const bool is_open = floating_window(context, "Go to", 0, [&] {
    ImGui::PushItemWidth(go_to_width * unit(context));
    draw_go_to_fields(context, queue);
    ImGui::PopItemWidth();
  });
  if (!is_open) queue.push([](const Controllers& to) { to.search.close(); });
}

}  // namespace attnscope
