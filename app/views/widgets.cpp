#include "views/widgets.h"

#include <cmath>
#include <string>

#include "views/text.h"

namespace attnscope {
namespace {

constexpr float label_width = 92;
constexpr float tooltip_width = 320;

void text_view(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void wrapped_text(const ImVec4& colour, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(0.0f);
  text_view(text);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

}  // namespace

float unit(const ViewContext& context) { return context.theme.unit; }

void begin_row(const ViewContext& context, std::string_view label, std::string_view reason) {
  ImGui::BeginDisabled(!reason.empty());
  ImGui::AlignTextToFramePadding();
  text_view(label);
  ImGui::SameLine(label_width * unit(context) + ImGui::GetStyle().WindowPadding.x);
  ImGui::SetNextItemWidth(-1);
}

void end_row(const ViewContext& context, std::string_view name, std::string_view reason, std::string_view help) {
  ImGui::EndDisabled();
  register_item(context, name, reason.empty());
  item_tooltip(reason.empty() ? help : reason);
}

void register_item(const ViewContext& context, std::string_view name, bool enabled) {
  if (context.widgets) {
    context.widgets->add(std::string(name), ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
  }
}

void item_tooltip(std::string_view text) {
  // While a button is down the pointer is at work, and a tooltip would cover what is being changed.
  const bool is_resting = !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (text.empty() || !is_resting || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(tooltip_width * ImGui::GetFontSize() / 15.0f);
  text_view(text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

bool push_button(const ViewContext& context, std::string_view name, const char* label, std::string_view reason,
                 std::string_view help) {
  ImGui::BeginDisabled(!reason.empty());
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool pressed = ImGui::Button(label);
  ImGui::PopID();
  ImGui::EndDisabled();
  register_item(context, name, reason.empty());
  item_tooltip(reason.empty() ? help : reason);
  return pressed;
}

bool choice_button(const ViewContext& context, std::string_view name, const char* label, bool is_chosen,
                   std::string_view help) {
  const Theme& theme = context.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, is_chosen ? theme.accent_soft : ImVec4{0, 0, 0, 0});
  ImGui::PushStyleColor(ImGuiCol_Text, is_chosen ? theme.accent : theme.text);
  const bool pressed = push_button(context, name, label, {}, help);
  ImGui::PopStyleColor(2);
  return pressed;
}

// Dear ImGui's integer sliders draw a grab as wide as one step, which hides the number where steps are few.
bool step_slider(const char* id, int& value, int first, int last, const char* shown) {
  float position = static_cast<float>(value);
  const bool moved = ImGui::SliderFloat(id, &position, static_cast<float>(first), static_cast<float>(last), shown,
                                        ImGuiSliderFlags_NoRoundToFormat);
  const int chosen = static_cast<int>(std::lround(position));
  if (!moved || chosen == value) return false;
  value = chosen;
  return true;
}

void section_heading(const ViewContext& context, const char* text) {
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

void dim_text(const ViewContext& context, std::string_view text) {
  push_font(context.fonts.small_text);
  wrapped_text(context.theme.dim_text, text);
  ImGui::PopFont();
}

void warning_text(const ViewContext& context, std::string_view text) { wrapped_text(context.theme.warning, text); }

}  // namespace attnscope
