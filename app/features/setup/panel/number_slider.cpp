#include "features/shared/panel/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "features/studies/panel/study.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

// Returns a format with the decimals that the number has, two at the least.
std::string slider_format(float value) {
  const std::string digits = fmt::format("{}", value);
  if (digits.find('e') != std::string::npos) return "%g";
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  return fmt::format("%.{}f", std::max<std::size_t>(decimals, 2));
}

// Sets the typed number; nothing where the field is empty.
void set_whole(AttentionConfig& config, const WholeField& field, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped_at, error] = std::from_chars(text.data(), end, value);
  if (!text.empty() && (error != std::errc() || stopped_at != end)) {
    const std::string key(field.key);
    throw Error(key, fmt::format("{} is {}, but it must be {}.", key, text, field.allowed()));
  }
  field.set(config, text.empty() ? std::nullopt : std::optional(value));
}

}  // namespace

void draw_number_slider(const ViewContext& context, CommandQueue& queue, const NumberField& field) {
  const std::string_view reason = field.reason(context.now.document.config);
  const std::optional<double> current = field.get(context.now.document.config);
  const std::string label(field.label);
  auto value = static_cast<float>(current.value_or(0));
  draw_why_of_control(context, queue, field.key, label);
  begin_row(context, label.c_str(), reason);
  ImGui::PushID(label.c_str());
  const std::string shown = current ? slider_format(value) : "off";
  if (value_slider(context, "##number", value, 0.0f, static_cast<float>(field.slider_end), shown.c_str(),
                   ImGuiSliderFlags_NoRoundToFormat)) {
    const double rounded = std::stod(fmt::format("{}", value));  // what is meant, not the float next to it
    const bool is_off = field.can_be_off && rounded <= 0;
    const auto chosen = is_off ? std::nullopt : std::optional(std::clamp(rounded, field.lowest, field.highest));
    queue.push_back(
        EditDocument{label, [set = field.set, chosen](Document& document) { set(document.config, chosen); }, false});
  }
  ImGui::PopID();
  if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
  end_row(context, fmt::format("setup/{}", field.key), reason, field.help);
}

void draw_whole_input(const ViewContext& context, CommandQueue& queue, const WholeField& field) {
  constexpr std::size_t most_digits = 24;
  const std::optional<std::uint64_t> current = field.get(context.now.document.config);
  const std::string label(field.label);
  std::string text = current ? std::to_string(*current) : "";
  ImGui::PushID(label.c_str());
  const bool is_changed = text_field("##whole", std::string(field.off).c_str(), text, most_digits,
                                     ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  if (is_changed && !(text.empty() && field.off.empty())) {
    const auto change = [&field, text](Document& document) { set_whole(document.config, field, text); };
    queue.push_back(EditDocument{label, change, false});
  }
  if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
}

void draw_whole_row(const ViewContext& context, CommandQueue& queue, const WholeField& field) {
  const std::string_view reason = field.reason(context.now.document.config);
  begin_row(context, field.label, reason);
  draw_whole_input(context, queue, field);
  end_row(context, fmt::format("setup/{}", field.key), reason, field.help);
}

}  // namespace attnscope
