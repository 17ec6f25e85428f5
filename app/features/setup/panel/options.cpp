#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "document/spelling.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

// Returns a format with the decimals that the number has, two at the least where it is small.
std::string slider_format(float value) {
  constexpr float large = 1000;
  const std::string digits = fmt::format("{}", value);
  if (digits.find('e') != std::string::npos) return "%g";
  if (value >= large && digits.find('.') == std::string::npos) return "%.0f";
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  return fmt::format("%.{}f", std::max<std::size_t>(decimals, 2));
}

// The texts of a row beside its control.
struct FieldRow {
  std::string_view key;
  std::string_view label;
  std::string_view reason;
  std::string_view help;
  std::string edit;  // what undo will say
};

template <typename Field>
FieldRow row_of(const Field& field, const AttentionConfig& config) {
  std::string edit(field.label);
  return {field.key, field.label, field.reason(config), field.help, std::move(edit)};
}

// Sets the typed number; nothing where the field is empty.
void set_whole(AttentionConfig& config, const IntegerField& field, const std::string& text) {
  const std::optional<std::uint64_t> value = number_of<std::uint64_t>(text);
  if (!text.empty() && !value) {
    const std::string key(field.key);
    throw Error(key, fmt::format("{} is {}, but it must be {}.", key, text, field.allowed()));
  }
  field.set(config, value);
}

template <typename Change>
void draw_list(const ViewContext& context, CallQueue& queue, const FieldRow& row, std::span<const Choice> choices,
               int current, const Change& change) {
  draw_why_of_control(context, queue, row.key, row.label);
  const int chosen = choose(context, std::string(row.label).c_str(), fmt::format("setup/{}", row.key), choices, current,
                            row.reason, row.help);
  if (chosen < 0) return;
  edit_document(queue, {row.edit, [change, chosen](Document& document) { change(document, chosen); }});
}

// The box that switches a number on, before its slider in one row.
void draw_box_before(const ViewContext& context, CallQueue& queue, const NumberField& field) {
  const FlagField& flag = *field.flag;
  bool is_on = context.now.document.config.*flag.member;
  if (ImGui::Checkbox("##flag", &is_on))
    edit_document(queue, {std::string(flag.label), [is_on](Document& to) { set_scaling(to, is_on); }});
  register_item(context, fmt::format("setup/{}", flag.key), {.is_on = context.now.document.config.*flag.member});
  item_tooltip(context, flag.help);
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!field.reason(context.now.document.config).empty());
  ImGui::SetNextItemWidth(-1);
}

// Returns the text beside the slider: its number, or the words for none. Beside a box there is no room for many.
std::string slider_text(const NumberField& field, const AttentionConfig& config) {
  const std::optional<double> number = field.get(config);
  if (number) return (field.flag ? "× " : "") + slider_format(static_cast<float>(*number));
  if (!field.flag) return std::string(field.off);
  return config.*field.flag->member ? fmt::format("÷ √{}", head_features(config)) : "off";
}

void draw_field(const ViewContext& context, CallQueue& queue, const CountField& field) {
  constexpr int slider_end = 8;  // more are typed
  int value = static_cast<int>(context.now.document.config.*field.member);
  const std::string_view reason = field.reason(context.now.document.config);
  begin_row(context, field.label, reason);
  if (value_step_slider(context, fmt::format("##{}", field.key).c_str(), value, 1, slider_end)) {
    const Index count = std::clamp<Index>(value, 1, field.highest);
    edit_document(queue, held_edit(std::string(field.label),
                                   [&field, count](Document& document) { set_count(document, field, count); }));
  }
  finish_when_let_go(queue);
  end_row(context, fmt::format("setup/{}", field.key), reason,
          fmt::format("{} Ctrl+click to type up to {}.", field.help, field.highest));
}

struct OrderChoice {
  std::array<Projection, 3> order;
  const char* label;
  const char* short_label;
};
void draw_weight_order(const ViewContext& context, CallQueue& queue) {
  using enum Projection;
  static constexpr OrderChoice orders[] = {
      {{query, key, value}, "query, key, value", "Q, K, V"}, {{query, value, key}, "query, value, key", "Q, V, K"},
      {{key, query, value}, "key, query, value", "K, Q, V"}, {{key, value, query}, "key, value, query", "K, V, Q"},
      {{value, query, key}, "value, query, key", "V, Q, K"}, {{value, key, query}, "value, key, query", "V, K, Q"}};
  const AttentionConfig& config = context.now.document.config;
  std::vector<Choice> choices;
  for (const OrderChoice& choice : orders)
    choices.push_back({.label = choice.label, .short_label = choice.short_label});
  const auto at = std::ranges::find(orders, config.weight_order, &OrderChoice::order) - std::begin(orders);
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  draw_why_of_control(context, queue, "weight_order", "draw order");
  const int chosen = choose(context, "draw order", "setup/weight_order", choices, static_cast<int>(at),
                            has_weights ? "" : "This mechanism has no weights to draw.",
                            "Order in which the class declares its weights. It decides which random numbers each one "
                            "gets.");
  if (chosen < 0) return;
  edit_document(
      queue, {"weight order", [chosen](Document& document) { document.config.weight_order = orders[chosen].order; }});
}

}  // namespace

void draw_field(const ViewContext& context, CallQueue& queue, const FlagField& field) {
  const AttentionConfig& config = context.now.document.config;
  const FieldRow row = row_of(field, config);
  const bool is_on = config.*field.member;
  if (!field.off.empty()) {
    const Choice choices[] = {{std::string(field.on)}, {std::string(field.off)}};
    return draw_list(context, queue, row, choices, is_on ? 0 : 1,
                     [&field](Document& document, int chosen) { document.config.*field.member = chosen == 0; });
  }
  bool value = is_on;
  begin_row(context, row.label, row.reason);
  ImGui::PushID(row.edit.c_str());
  if (ImGui::Checkbox(std::string(field.on).c_str(), &value))
    edit_document(queue, {row.edit, [&field, value](Document& to) { to.config.*field.member = value; }});
  ImGui::PopID();
  end_row(context, fmt::format("setup/{}", row.key), row.reason, row.help, {.is_on = is_on});
}

void draw_field(const ViewContext& context, CallQueue& queue, const ChoiceField& field) {
  const AttentionConfig& config = context.now.document.config;
  const FieldRow row = row_of(field, config);
  std::vector<Choice> choices;
  for (const ChoiceField::Value& value : field.values) {
    const auto index = static_cast<int>(choices.size());
    choices.push_back({.label = std::string(value.label),
                       .reason = field.obstacle ? field.obstacle(config, index) : "",
                       .short_label = std::string(value.short_label)});
  }
  const bool first_acts = field.is_first_without_effect && !row.reason.empty();
  draw_list(context, queue, row, choices, first_acts ? 0 : field.get(config), [&field](Document& document, int value) {
    // Another mask takes the hidden keys of the user's own with it, or begins with those that it hid.
    field.key == "mask" ? set_mask(document, static_cast<MaskRoute>(value)) : field.set(document.config, value);
  });
}

void draw_field(const ViewContext& context, CallQueue& queue, const NumberField& field) {
  const AttentionConfig& config = context.now.document.config;
  const std::string_view reason = field.reason(config);
  const std::string label(field.label);
  auto value = static_cast<float>(field.get(config).value_or(0));
  draw_why_of_control(context, queue, field.key, label);
  begin_row(context, label, field.flag ? "" : reason);
  ImGui::PushID(label.c_str());
  if (field.flag) draw_box_before(context, queue, field);
  const std::string shown = slider_text(field, config);
  if (value_slider(context, "##number", value, 0.0f, static_cast<float>(field.slider_end), shown.c_str(),
                   ImGuiSliderFlags_NoRoundToFormat)) {
    const double rounded = std::stod(fmt::format("{}", value));  // what is meant, not the float next to it
    const bool is_off = !field.off.empty() && rounded <= 0;
    const auto chosen = is_off ? std::nullopt : std::optional(std::clamp(rounded, field.lowest, field.highest));
    edit_document(queue,
                  held_edit(label, [set = field.set, chosen](Document& document) { set(document.config, chosen); }));
  }
  ImGui::PopID();
  finish_when_let_go(queue);
  end_row(context, fmt::format("setup/{}{}", field.key, field.flag ? "_factor" : ""), reason, field.help);
}

void draw_whole_input(const ViewContext& context, CallQueue& queue, const IntegerField& field) {
  constexpr std::size_t most_digits = 24;
  const std::optional<std::uint64_t> current = field.get(context.now.document.config);
  const std::string label(field.label);
  std::string text = current ? std::to_string(*current) : "";
  ImGui::PushID(label.c_str());
  const bool is_changed = text_field("##whole", std::string(field.off).c_str(), text, most_digits,
                                     ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  if (is_changed && !(text.empty() && field.off.empty())) {
    edit_document(queue,
                  held_edit(label, [&field, text](Document& document) { set_whole(document.config, field, text); }));
  }
  finish_when_let_go(queue);
}

void draw_field(const ViewContext& context, CallQueue& queue, const IntegerField& field) {
  const std::string_view reason = field.reason(context.now.document.config);
  begin_row(context, field.label, reason);
  draw_whole_input(context, queue, field);
  end_row(context, fmt::format("setup/{}", field.key), reason, field.help);
}

bool is_option(std::string_view key) {
  bool stands_above = false;
  visit_fields([&](const auto& field) { stands_above = stands_above || (field.key == key && !field.is_option); });
  return !stands_above;
}

void draw_options(const ViewContext& context, CallQueue& queue) {
  visit_fields([&](const auto& field) {
    const bool is_of_no_rope = !context.now.document.config.rope && field.key.starts_with("rope.");
    if (!field.is_option || (is_of_no_rope && field.key != "rope.layout")) return;
    draw_field(context, queue, field);
    if (field.key == "mask") draw_mask_presets(context, queue);
    if (field.key == "softcap") draw_bias(context, queue);
  });
  draw_weight_order(context, queue);
}

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
