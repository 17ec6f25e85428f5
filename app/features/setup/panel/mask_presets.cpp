#include "features/shared/panel/panels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/visibility.h"
#include "document/edit.h"
#include "document/spelling.h"
#include "features/shared/panel/calls.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float amount_width = 48;
constexpr int first_window = 3;
constexpr std::size_t most_of_starts = 256;
constexpr std::size_t most_of_numbers = 1 << 16;
constexpr float usual_slope = 0.5f;

void apply(CallQueue& queue, const MaskChoice& choice) {
  edit_document(queue, {"mask", [choice](Document& document) { set_mask_preset(document, choice); }});
}

// A number beside the item that uses it, as long as the list is open and after.
Index amount_beside(const ViewContext& context, const char* id, std::string_view name, int first, Index most) {
  int& kept = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID(id), first);
  ImGui::SameLine(0, 8 * unit(context));
  ImGui::SetNextItemWidth(amount_width * unit(context));
  ImGui::InputInt(id, &kept, 0);
  kept = std::clamp(kept, 1, static_cast<int>(most));
  register_item(context, name, {.value = static_cast<double>(kept)});
  return kept;
}

bool preset_item(const ViewContext& context, const char* id, const char* label, const char* list = "mask_preset") {
  const bool is_chosen = text_part(0, label);
  register_item(context, fmt::format("setup/{}/{}", list, id));
  if (is_chosen) ImGui::CloseCurrentPopup();
  return is_chosen;
}

// "3, 5": the first tokens of the blocks after the first one, counted from 1.
std::vector<Index> starts_in(const std::string& text) {
  std::vector<Index> starts;
  for (const std::vector<float>& row : parse_number_block(text)) {
    for (const float number : row) starts.push_back(static_cast<Index>(number) - 1);
  }
  return starts;
}

void draw_blocks(const ViewContext& context, CallQueue& queue) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Blocks that begin at tokens");
  ImGui::SameLine(0, 8 * unit(context));
  ImGui::SetNextItemWidth(2 * amount_width * unit(context));
  const bool is_entered = document_text_field(
      context, queue, "##blocks", "3, 5", "", most_of_starts, "mask", [](Document& document, const std::string& text) {
        set_mask_preset(document, {.preset = MaskPreset::blocks, .starts = starts_in(text)});
      });
  register_item(context, "setup/mask_preset/blocks");
  item_tooltip(context, "Documents packed into one row: a token sees those of its own block. Enter applies it.");
  if (is_entered) ImGui::CloseCurrentPopup();
}

}  // namespace

void draw_mask_presets(const ViewContext& context, CallQueue& queue) {
  const Index keys = key_count(context.now.document.config);
  begin_row(context, "mask preset");
  ImGui::EndDisabled();
  const bool is_open = begin_text_combo("##mask_preset", "choose", ImGuiComboFlags_HeightLargest);
  register_opener(context, "setup/mask_preset", is_open);
  if (!is_open) return item_tooltip(context, "Windows, blocks, padding: masks whose cells you can then edit.");
  static constexpr struct {
    MaskPreset preset;
    const char* id;
    const char* label;
  } plain[] = {{MaskPreset::none, "none", "None"},
               {MaskPreset::causal, "causal", "Causal"},
               {MaskPreset::first_visible, "first_visible", "First token always visible"}};
  for (const auto& row : plain) {
    ImGui::PushID(row.id);
    if (preset_item(context, row.id, row.label)) apply(queue, {.preset = row.preset});
    ImGui::PopID();
  }
  ImGui::Separator();
  ImGui::PushID("window");
  const bool is_window = preset_item(context, "window", "Causal window of");
  const Index window = amount_beside(context, "##window", "setup/mask_preset/window/keys", first_window, keys);
  if (is_window) apply(queue, {.preset = MaskPreset::window, .amount = window});
  ImGui::PopID();
  ImGui::PushID("padding");
  const bool is_padding = preset_item(context, "padding", "Padding after token");
  const Index tokens = amount_beside(context, "##padding", "setup/mask_preset/padding/tokens",
                                     static_cast<int>(std::max<Index>(1, keys - 1)), keys);
  if (is_padding) apply(queue, {.preset = MaskPreset::padding, .amount = tokens});
  ImGui::PopID();
  draw_blocks(context, queue);
  ImGui::EndCombo();
}

void draw_bias(const ViewContext& context, CallQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  begin_row(context, "bias");
  ImGui::EndDisabled();
  const std::string shown =
      has_bias(config) ? fmt::format("numbers, {}", fmt::join(config.bias.shape(), " × ")) : "none";
  const bool is_open = begin_text_combo("##bias", shown, ImGuiComboFlags_HeightLargest);
  register_opener(context, "setup/bias", is_open);
  if (!is_open) return item_tooltip(context, "Numbers that are added to the scaled scores, before softmax.");
  ImGui::PushID("none");
  if (preset_item(context, "none", "None", "bias")) edit_document(queue, {"bias", remove_bias});
  ImGui::PopID();
  ImGui::PushID("distance");
  const bool is_distance = preset_item(context, "distance", "Less for distant keys: − distance ×", "bias");
  float& slope = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("slope"), usual_slope);
  ImGui::SameLine(0, 8 * unit(context));
  ImGui::SetNextItemWidth(amount_width * unit(context));
  ImGui::InputFloat("##slope", &slope, 0, 0, "%g");
  register_item(context, "setup/bias/distance/slope", {.value = static_cast<double>(slope)});
  if (is_distance)
    edit_document(queue, {"bias", [by = slope](Document& document) { set_distance_bias(document, by); }});
  ImGui::PopID();
  ImGui::SetNextItemWidth(5 * amount_width * unit(context));
  const bool is_entered = document_text_field(
      context, queue, "##numbers", "numbers, as [[0, -1], [-1, 0]]", "", most_of_numbers, "bias",
      [](Document& document, const std::string& text) { set_bias(document, parse_number_block(text)); });
  register_item(context, "setup/bias/numbers");
  item_tooltip(context, "A row for each query, or one row for all of them. Enter applies them.");
  if (is_entered) ImGui::CloseCurrentPopup();
  ImGui::EndCombo();
}

void draw_mask_items(const ViewContext& context, CallQueue& queue, const Source& cell) {
  const auto label = [&](Index token) {
    const auto at = static_cast<std::size_t>(token);
    return at < context.now.labels.size() ? context.now.labels[at] : std::to_string(token + 1);
  };
  const Index window = cell.row - cell.col + 1;
  const std::string back =
      fmt::format("A causal window of {}: from “{}” back to “{}”", window, label(cell.row), label(cell.col));
  if (window > 0 && menu_item(context, "cell/window", back))
    apply(queue, {.preset = MaskPreset::window, .amount = window});
  if (cell.col > 0) {
    const std::string name = label(cell.col);
    if (menu_item(context, "cell/padding", fmt::format("Padding from “{}” on", name)))
      apply(queue, {.preset = MaskPreset::padding, .amount = cell.col});
    if (menu_item(context, "cell/block", fmt::format("Two blocks: the second begins at “{}”", name)))
      apply(queue, {.preset = MaskPreset::blocks, .starts = {cell.col}});
  }
  if (menu_item(context, "cell/first_visible", "First token always visible"))
    apply(queue, {.preset = MaskPreset::first_visible});
  if (menu_item(context, "cell/causal", "Causal mask")) apply(queue, {.preset = MaskPreset::causal});
  if (menu_item(context, "cell/unmasked", "No mask")) apply(queue, {.preset = MaskPreset::none});
}

}  // namespace attnscope
