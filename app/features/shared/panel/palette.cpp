#include "features/shared/panel/palette.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/shared/panel/menu.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float palette_width = 560;
constexpr float from_top = 0.14F;  // of the window
constexpr int rows_in_sight = 12;
constexpr std::size_t most_typed_bytes = 100;

void close_palette(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) { state.passing.palette.reset(); });
}

void choose_entry(const ViewContext& context, CommandQueue& queue, const PaletteEntry& entry) {
  if (!entry.obstacle.empty()) return;
  close_palette(queue);
  entry.run(context, queue);
}

void draw_entry(const ViewContext& context, CommandQueue& queue, const PaletteEntry& entry, int number,
                bool is_chosen) {
  const std::string right = entry.keys.empty() ? entry.kind : fmt::format("{}   {}", entry.keys, entry.kind);
  const float right_width = text_size(context.fonts.small_text, right).x;
  const float room = palette_width * unit(context) - right_width - 24 * unit(context);
  const bool is_possible = entry.obstacle.empty();
  ImGui::BeginDisabled(!is_possible);
  if (text_item(number, fit_text(context.fonts.text, entry.title, room), is_chosen))
    choose_entry(context, queue, entry);
  ImGui::EndDisabled();
  register_item(context, fmt::format("palette/{}", entry.id), {.enabled = is_possible, .is_on = is_chosen});
  item_tooltip(context, entry.obstacle);
  if (is_chosen) ImGui::SetScrollHereY(0.5F);
  const ImVec2 low = ImGui::GetItemRectMin();
  const float drop = (ImGui::GetItemRectSize().y - font_height(context.fonts.small_text)) / 2;
  draw_text(context.fonts.small_text, {low.x + room + 12 * unit(context), low.y + drop}, {context.theme.inks.dim_text},
            right);
}

void draw_palette_fields(const ViewContext& context, CommandQueue& queue) {
  const Palette& palette = *context.now.view.passing.palette;
  std::string typed = palette.typed;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(palette_width * unit(context));
  if (text_field("##palette", "Type what you want to do or see", typed, most_typed_bytes))
    change_view(queue, [typed](ViewState& state) { state.passing.palette = Palette{.typed = typed}; });
  register_item(context, "palette/text");
  const bool is_entered = ImGui::IsWindowFocused() && is_key_pressed(keys::named(ImGuiKey_Enter));
  const std::vector<PaletteEntry> found = found_entries(palette_entries(context), palette.typed);
  const int last = std::max(static_cast<int>(found.size()) - 1, 0);
  const int step = (is_key_pressed(keys::named(ImGuiKey_DownArrow), true) ? 1 : 0) -
                   (is_key_pressed(keys::named(ImGuiKey_UpArrow), true) ? 1 : 0);
  const int chosen = std::clamp(palette.chosen + step, 0, last);
  if (chosen != palette.chosen)
    change_view(queue, [chosen](ViewState& state) {
      if (state.passing.palette) state.passing.palette->chosen = chosen;
    });
  const float height = static_cast<float>(rows_in_sight) * ImGui::GetTextLineHeightWithSpacing();
  ImGui::BeginChild("entries", {palette_width * unit(context), height}, false, ImGuiWindowFlags_NoNav);
  if (found.empty()) dim_text(context, "Nothing has this name.");
  for (int number = 0; number < static_cast<int>(found.size()); ++number)
    draw_entry(context, queue, found[static_cast<std::size_t>(number)], number, number == chosen);
  ImGui::EndChild();
  if (is_entered && !found.empty()) choose_entry(context, queue, found[static_cast<std::size_t>(chosen)]);
}

}  // namespace

void open_palette(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) { state.passing.palette = Palette{}; });
}

void draw_palette(const ViewContext& context, CommandQueue& queue) {
  if (!context.now.view.passing.palette) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * from_top}, ImGuiCond_Appearing, {0.5F, 0});
  const bool is_open =
      floating_window(context, "Commands", ImGuiWindowFlags_NoNavInputs, [&] { draw_palette_fields(context, queue); });
  if (!is_open) close_palette(queue);
}

}  // namespace attnscope
