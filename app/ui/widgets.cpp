#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "paint/window/text.h"
#include "ui/imgui_input.h"

namespace attnscope {
namespace {

constexpr float label_width = 92;
constexpr float label_share = 0.33f;  // of a narrow panel, at the most
constexpr float why_room = 16;        // of the question mark behind a label
constexpr float value_width = 36;     // of a number beside its slider
constexpr float tooltip_width = 320;

void text_view(std::string_view text) {
  const std::string drawn = text_to_draw(text);
  ImGui::TextUnformatted(drawn.data(), drawn.data() + drawn.size());
}

// The item drawn last in its window: a menu or list that has just opened has another window as the current one.
struct LastItem {
  ImGuiID id = 0;
  ImRect rect;
  ImGuiWindow* window = nullptr;
};

LastItem last_item(bool is_of_parent) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const int depth = g.CurrentWindowStack.Size;
  if (!is_of_parent || depth < 2) return {g.LastItemData.ID, g.LastItemData.Rect, g.CurrentWindow};
  const ImGuiLastItemData& item = g.CurrentWindowStack.back().ParentLastItemDataBackup;
  return {item.ID, item.Rect, g.CurrentWindowStack[depth - 2].Window};
}

void add_entry(const ViewContext& context, std::string_view name, const LastItem& item, WidgetState state) {
  if (!context.widgets) return;
  WidgetRegistry::Entry& entry = context.widgets->add(std::string(name), item.rect.Min, item.rect.Max, state);
  entry.id = item.id;
  entry.window = item.window;
  entry.clip_screen = item.window->ClipRect.ToVec4();
}

// Gives the keys to a control that was asked for by its name; arrows move a slider at once.
void lead_keys(const ViewContext& context) {
  const TransientState& transient = context.now.view.transient;
  const ImGuiLastItemData& item = ImGui::GetCurrentContext()->LastItemData;
  if (!transient.is_entering || transient.keyboard != Panel::setup || item.ID == 0) return;
  focus_last_item();
  if ((item.InFlags & ImGuiItemFlags_Inputable) != 0) activate_item(item.ID);
}

// Frames a control that was asked for by its name, and scrolls to it.
void frame_pointed(const ViewContext& context, std::string_view name) {
  if (context.now.view.transient.pointed != name) return;
  lead_keys(context);
  if (!ImGui::IsItemVisible()) ImGui::SetScrollHereY(0.5F);
  const float line = 2 * unit(context);
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  outline_box({low.x - line, low.y - line}, {high.x + line, high.y + line}, {context.theme.inks.accent}, line,
              ImGui::GetStyle().FrameRounding + line);
}

// Places a tooltip beside the item that the keys chose, because it must not cover the next one.
void place_beside_item(Panel panel) {
  constexpr float gap = 8;
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  if (panel == Panel::tools) return ImGui::SetNextWindowPos({low.x, high.y + gap});
  const bool is_left = high.x < ImGui::GetIO().DisplaySize.x / 2;
  const float panel_right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  if (is_left) return ImGui::SetNextWindowPos({panel_right + gap, low.y});
  ImGui::SetNextWindowPos({ImGui::GetWindowPos().x - gap, low.y}, ImGuiCond_Always, {1, 0});
}

// Returns whether the window is the setup, its rail or a lesson, whose numbers a tooltip at the pointer would cover.
bool is_left_column(const ImGuiWindow& window) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const bool is_child = (window.Flags & ImGuiWindowFlags_ChildWindow) != 0;
  return is_child && window.Pos.x + window.Size.x < display.x / 2 && window.Size.y > display.y / 2;
}

void wrapped_text(Rgb colour, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(colour));
  ImGui::PushTextWrapPos(0.0f);
  text_view(text);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

}  // namespace

float unit(const ViewContext& context) { return context.theme.unit; }

float row_label_room(const ViewContext& context) {
  const float room = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;
  return std::floor(std::min(label_width * unit(context), label_share * room));
}

void begin_row(const ViewContext& context, std::string_view label, std::string_view reason) {
  ImGui::BeginDisabled(!reason.empty());
  ImGui::AlignTextToFramePadding();
  const float room = row_label_room(context);
  const float padding = ImGui::GetStyle().WindowPadding.x;
  const bool is_wide = ImGui::CalcTextSize(label.data(), label.data() + label.size()).x > room;
  if (is_wide) push_font(context.fonts.small_text);
  text_view(label);
  if (is_wide) ImGui::PopFont();
  const float end = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + ImGui::GetScrollX();
  if (context.widgets) context.widgets->label = label;
  ImGui::SameLine(std::max(room + padding, end + ImGui::GetStyle().ItemInnerSpacing.x));
  ImGui::SetNextItemWidth(-1);
}

void end_row(const ViewContext& context, std::string_view name, std::string_view reason, std::string_view help,
             WidgetState state) {
  ImGui::EndDisabled();
  state.enabled = reason.empty();
  register_item(context, name, state);
  item_tooltip(context, reason.empty() ? help : reason);
}

void register_item(const ViewContext& context, std::string_view name, WidgetState state) {
  frame_pointed(context, name);
  add_entry(context, name, last_item(false), state);
}

void register_part(const ViewContext& context, std::string_view name, ImVec2 min_screen, ImVec2 max_screen) {
  LastItem item = last_item(false);
  item.rect = {min_screen, max_screen};
  add_entry(context, name, item, {});
}

void register_opener(const ViewContext& context, std::string_view name, bool is_open, bool enabled) {
  frame_pointed(context, name);
  add_entry(context, name, last_item(is_open), {.enabled = enabled, .is_on = is_open, .opens = true});
}

float readable_width() {
  constexpr float most_of_window = 0.9f;
  return std::min(tooltip_width * ImGui::GetFontSize() / 15.0f, most_of_window * ImGui::GetIO().DisplaySize.x);
}

void begin_tooltip(const ViewContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {9 * unit(context), 6 * unit(context)});
  ImGui::BeginTooltip();
  ImGui::PopStyleVar();
}

void note_help(const ViewContext& context, std::string_view text) {
  if (!context.widgets || context.widgets->entries.empty()) return;
  WidgetRegistry::Entry& entry = context.widgets->entries.back();
  const ImVec2 min_screen = ImGui::GetItemRectMin();
  if (entry.min_screen.x == min_screen.x && entry.min_screen.y == min_screen.y) entry.help = text;
}

// Returns whether keys lead a presentation or a film: a pointer that was left there says nothing of what it lies over.
static bool is_pointer_left(const UiState& now) {
  const TransientState& transient = now.view.transient;
  const bool is_led = transient.presenting || now.film.watching;
  const bool is_in_menu = (ImGui::GetCurrentWindow()->RootWindow->Flags & ImGuiWindowFlags_Popup) != 0;
  return is_led && transient.keys_lead && !is_in_menu && transient.keyboard.value_or(Panel::stages) == Panel::stages;
}

// Returns whether this item was used last, by the keys or by a press of the button from which the pointer has not gone
// on: what it changed is looked at now.
static bool was_used() {
  constexpr float near = 3;  // in distances that make a drag
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 pressed = io.MouseClickedPos[ImGuiMouseButton_Left];
  if (ImGui::IsItemActive()) return true;
  if (!ImRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax()).Contains(pressed)) return false;
  const float away = std::hypot(io.MousePos.x - pressed.x, io.MousePos.y - pressed.y);
  const bool was_dragged =
      io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > io.MouseDragThreshold * io.MouseDragThreshold;
  return was_dragged || away < near * io.MouseDragThreshold;
}

void item_tooltip(const ViewContext& context, std::string_view text, TooltipPlace place) {
  note_help(context, text);
  // While a button is down the pointer is at work, and a tooltip would cover what is being changed.
  const bool is_resting = !is_pointer_left(context.now) && !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (text.empty() || !is_resting || was_used() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  if (context.now.view.transient.keyboard) {
    place_beside_item(*context.now.view.transient.keyboard);
  } else if (is_left_column(*ImGui::GetCurrentWindow())) {
    place_beside_item(Panel::setup);
  } else if (place == TooltipPlace::above) {
    constexpr float gap = 6;
    const ImVec2 low = ImGui::GetItemRectMin();
    ImGui::SetNextWindowPos({low.x, low.y - gap * unit(context)}, ImGuiCond_Always, {0, 1});
  }
  begin_tooltip(context);
  ImGui::PushTextWrapPos(readable_width());
  text_view(text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void same_line_if_fits(float spacing, float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + spacing + width <= right) ImGui::SameLine(0, spacing);
}

float button_width(const char* label) { return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x; }

void same_line_at_right(float width) {
  const float left = ImGui::GetWindowContentRegionMax().x - width;
  const float end = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x;
  if (end <= left) return ImGui::SameLine(left);
  ImGui::SetCursorPosX(std::max(left, ImGui::GetWindowContentRegionMin().x));
}

bool push_button(const ViewContext& context, std::string_view name, const char* label, std::string_view reason,
                 std::string_view help, std::optional<bool> is_on) {
  ImGui::BeginDisabled(!reason.empty());
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool pressed = ImGui::Button(label);
  ImGui::PopID();
  ImGui::EndDisabled();
  register_item(context, name, {.enabled = reason.empty(), .is_on = is_on});
  item_tooltip(context, reason.empty() ? help : reason);
  return pressed;
}

bool choice_button(const ViewContext& context, std::string_view name, const char* label, bool is_chosen,
                   std::string_view help, std::string_view reason) {
  const Theme& theme = context.theme;
  ImGui::PushStyleColor(ImGuiCol_Button, is_chosen ? to_u32(theme.inks.chosen) : 0);
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(is_chosen ? theme.inks.accent : theme.inks.text));
  const bool pressed = push_button(context, name, label, reason, help, is_chosen);
  ImGui::PopStyleColor(2);
  return pressed;
}

static bool draw_text_item(int id, std::string_view text, bool is_chosen, int flags, float least_width) {
  const std::string shown = shown_text(text);
  const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
  const ImFont* const font = ImGui::GetFont();
  const float width = std::max(text_size(font, shown).x, least_width);
  ImGui::PushID(id);
  const bool is_pressed = ImGui::Selectable("##item", is_chosen, flags, {width, 0});
  ImGui::PopID();
  const bool is_enabled = (flags & ImGuiSelectableFlags_Disabled) == 0;
  const float strength = is_enabled ? 1 : ImGui::GetStyle().DisabledAlpha;
  draw_text(*ImGui::GetWindowDrawList(), font, pos_screen, ImGui::GetColorU32(ImGuiCol_Text, strength), shown);
  ImGui::LogText("%s\n", shown.c_str());
  return is_pressed;
}

bool text_item(int id, std::string_view text, bool is_chosen, int flags) {
  return draw_text_item(id, text, is_chosen, flags, ImGui::GetContentRegionAvail().x);
}

bool text_part(int id, std::string_view text) { return draw_text_item(id, text, false, 0, 0); }

bool begin_text_combo(const char* id, std::string_view text, int flags) {
  const std::string shown = shown_text(text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high{low.x + ImGui::CalcItemWidth() - ImGui::GetFrameHeight(), low.y + ImGui::GetFrameHeight()};
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const ImU32 colour = ImGui::GetColorU32(ImGuiCol_Text);
  const ImFont* const font = ImGui::GetFont();
  const bool is_open = ImGui::BeginCombo(id, "", flags);
  draw_text(list, font, {low.x + padding.x, low.y + padding.y}, colour,
            fit_text(font, shown, high.x - low.x - padding.x));
  if (!is_open) ImGui::LogText("%s\n", shown.c_str());
  return is_open;
}

// Dear ImGui's slider, without what is no number.
static bool float_slider(const char* id, float& value, float low, float high, const char* format, int flags) {
  float typed = value;
  if (!ImGui::SliderFloat(id, &typed, low, high, format, flags) || std::isnan(typed)) return false;
  value = typed;
  return true;
}

// Dear ImGui's integer sliders draw a grab as wide as one step, which hides the number where steps are few.
template <typename Slide>
static bool step_by(int& value, const Slide& slide) {
  constexpr float most = 1e9f;  // largest number that may be typed, whatever the ends are
  float position = static_cast<float>(value);
  const bool moved = slide(position);
  const int chosen = static_cast<int>(std::lround(std::clamp(position, -most, most)));
  if (!moved || chosen == value) return false;
  value = chosen;
  return true;
}

// Draws a slider without a frame and a number, on a thin line; while a number is typed into it, a field.
static bool bare_slider(const ViewContext& context, const char* id, float width, float& value, float low, float high,
                        const char* format, int flags) {
  const bool is_typed = ImGui::GetCurrentContext()->TempInputId == ImGui::GetID(id);
  const ImVec4 clear{0, 0, 0, 0};
  if (!is_typed) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float middle = std::floor(pos.y + ImGui::GetFrameHeight() / 2);
    const float half = 1.5f * unit(context);
    const float end = ImGui::GetStyle().GrabMinSize / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({pos.x + end, middle - half}, {pos.x + width - end, middle + half},
                                              ImGui::GetColorU32(ImGuiCol_Border), half);
    for (const ImGuiCol colour : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_Text})
      ImGui::PushStyleColor(colour, clear);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  }
  ImGui::SetNextItemWidth(width);
  const bool moved = float_slider(id, value, low, high, format, flags);
  if (!is_typed) {
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(4);
  }
  return moved;
}

// Returns a round step of at least a pixel of the track: 0.01, 0.05, 0.1, 0.5, …
static double round_step(float range, float track) {
  double step = 0.01;
  for (bool is_one = true; step * static_cast<double>(track) < static_cast<double>(range); is_one = !is_one)
    step *= is_one ? 5 : 2;
  return step;
}

// The text beside a track, and the widest one that may stand there.
struct SliderText {
  const char* format;
  std::string_view widest;
};

static bool numbered_slider(const ViewContext& context, const char* id, float& value, float low, float high,
                            const SliderText& beside, int flags, bool is_rounded) {
  const float total = ImGui::CalcItemWidth();
  const char* const format = beside.format;
  const float gap = 8 * unit(context);
  const float room = std::max(value_width * unit(context), text_size(ImGui::GetFont(), beside.widest).x + gap);
  const float width = std::max(total - room, total / 3);
  const bool moved = bare_slider(context, id, width, value, low, high, format, flags);
  // A key's step is a hundredth of the whole, which is round already; rounded further, it would be none.
  if (is_rounded && moved && !is_slider_typed() && !is_active_by_keys()) {
    const double per_step = 1 / round_step(high - low, width - ImGui::GetStyle().GrabMinSize);
    value = static_cast<float>(std::round(static_cast<double>(value) * per_step) / per_step);
  }
  ImRect& item = ImGui::GetCurrentContext()->LastItemData.Rect;
  const ImRect number{{item.Max.x, item.Min.y}, {item.Min.x + total, item.Max.y}};
  item.Max.x = number.Max.x;
  ImGui::GetCurrentWindow()->DC.CursorPosPrevLine.x = number.Max.x;  // what comes beside it stands behind the number
  char text[64];
  ImFormatString(text, sizeof(text), format, static_cast<double>(value));
  const ImVec2 size = ImGui::CalcTextSize(text);
  draw_text(*ImGui::GetWindowDrawList(), ImGui::GetFont(),
            {std::floor(number.Max.x - size.x), number.Min.y + ImGui::GetStyle().FramePadding.y},
            ImGui::GetColorU32(ImGuiCol_Text), text);
  const bool is_enabled = (ImGui::GetCurrentContext()->CurrentItemFlags & ImGuiItemFlags_Disabled) == 0;
  if (is_enabled && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(number.Min, number.Max) &&
      ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    type_into(ImGui::GetID(id));
  return moved;
}

bool value_slider(const ViewContext& context, const char* id, float& value, float low, float high, const char* format,
                  int flags, std::string_view widest) {
  const bool is_rounded = (flags & ImGuiSliderFlags_Logarithmic) == 0;
  return numbered_slider(context, id, value, low, high, {format, widest}, flags, is_rounded);
}

bool value_step_slider(const ViewContext& context, const char* id, int& value, int first, int last, const char* shown,
                       int flags, std::string_view widest) {
  return step_by(value, [&](float& position) {
    return numbered_slider(context, id, position, static_cast<float>(first), static_cast<float>(last), {shown, widest},
                           ImGuiSliderFlags_NoRoundToFormat | flags, false);
  });
}

bool track_slider(const ViewContext& context, const char* id, int& value, int first, int last) {
  const float width = ImGui::CalcItemWidth();
  return step_by(value, [&](float& position) {
    return bare_slider(context, id, width, position, static_cast<float>(first), static_cast<float>(last), "",
                       ImGuiSliderFlags_NoRoundToFormat);
  });
}

bool is_slider_typed() { return ImGui::GetCurrentContext()->TempInputId == ImGui::GetItemID(); }

bool text_field(const char* id, const char* hint, std::string& text, std::size_t most, int flags) {
  std::string typed = text_to_edit(text);
  // A field at rest shows its text as texts elsewhere are shown: letters that are read from the right stand so.
  const std::string shown = text_to_draw(text);
  const auto is_edited = [field = ImGui::GetID(id)] { return ImGui::GetCurrentContext()->ActiveId == field; };
  const bool is_other = shown != typed && !is_edited();
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  const float width = ImGui::CalcItemWidth();
  if (is_other) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  typed.resize(std::max(typed.size() + 1, most));
  const bool is_changed = ImGui::InputTextWithHint(id, hint, typed.data(), typed.size(), flags);
  if (is_other) {
    ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high{low.x + width, ImGui::GetItemRectMax().y};
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    ImGui::PushClipRect(low, high, true);
    if (!is_edited())
      draw_text(*ImGui::GetWindowDrawList(), ImGui::GetFont(), {low.x + padding.x, low.y + padding.y}, ink, text);
    ImGui::PopClipRect();
  }
  text = edited_text(typed.c_str());
  return is_changed;
}

void forget_text_steps(bool is_replaced) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool is_active = g.ActiveId != 0 && g.ActiveId == g.InputTextState.ID;
  if (is_active && !is_replaced) return;
  // First, because later versions hand the text of the field that ClearActiveID() finds here on to the next frame.
  g.InputTextState.ID = 0;
  if (is_active) ImGui::ClearActiveID();
}

void keep_text_on_escape(const char* id) {
  const bool is_edited = ImGui::GetCurrentContext()->ActiveId == ImGui::GetID(id);
  if (is_edited && is_key_pressed(keys::named(ImGuiKey_Escape))) forget_text_steps(true);
}

static const std::string& shown_label(const Choice& choice) {
  return choice.short_label.empty() ? choice.label : choice.short_label;
}

int choose_from(const ViewContext& context, std::string_view name, std::span<const Choice> choices, int current,
                std::string_view reason, std::string_view help) {
  int chosen = -1;
  ImGui::PushID(name.data(), name.data() + name.size());
  const std::string& shown = shown_label(choices[static_cast<std::size_t>(current)]);
  const bool is_open = begin_text_combo("##list", shown, ImGuiComboFlags_HeightLargest);
  register_opener(context, name, is_open, reason.empty());
  if (!is_open) item_tooltip(context, reason.empty() ? help : reason);
  for (int index = 0; is_open && index < static_cast<int>(choices.size()); ++index) {
    const Choice& choice = choices[static_cast<std::size_t>(index)];
    const ImGuiSelectableFlags flags = choice.reason.empty() ? 0 : ImGuiSelectableFlags_Disabled;
    if (text_item(index, choice.label, index == current, flags) && index != current) chosen = index;
    const std::string own = choice.name.empty() ? std::to_string(index) : std::string(choice.name);
    register_item(context, fmt::format("{}/{}", name, own),
                  {.enabled = choice.reason.empty(), .is_on = index == current});
    item_tooltip(context, choice.reason);
  }
  if (is_open) ImGui::EndCombo();
  ImGui::PopID();
  return chosen;
}

void begin_list_row(const ViewContext& context, const char* label, const std::string& shown, std::string_view reason) {
  begin_row(context, label, reason);
  const float needed =
      ImGui::CalcTextSize(shown.c_str()).x + ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight() + unit(context);
  const float missing = needed - ImGui::GetContentRegionAvail().x;
  const float spare = row_label_room(context) - ImGui::CalcTextSize(label).x - why_room * unit(context);
  if (missing > 0 && spare > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() - std::min(missing, spare));
  ImGui::SetNextItemWidth(-1);
}

int choose(const ViewContext& context, const char* label, std::string_view name, std::span<const Choice> choices,
           int current, std::string_view reason, std::string_view help) {
  begin_list_row(context, label, shown_label(choices[static_cast<std::size_t>(current)]), reason);
  const int chosen = choose_from(context, name, choices, current, reason, help);
  ImGui::EndDisabled();
  return chosen;
}

bool floating_window(const ViewContext& context, const char* title, int flags, const std::function<void()>& draw) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * unit(context));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  bool is_open = true;
  flags |= ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  if (ImGui::Begin(title, &is_open, flags)) {
    draw();
    const bool has_focus = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    if (has_focus && is_key_pressed(keys::named(ImGuiKey_Escape))) is_open = false;
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  return is_open;
}

void plain_text(std::string_view text) { text_view(text); }

void section_heading(const ViewContext& context, const char* text) {
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

void dim_text(const ViewContext& context, std::string_view text) {
  push_font(context.fonts.small_text);
  wrapped_text(context.theme.inks.dim_text, text);
  ImGui::PopFont();
}

void warning_text(const ViewContext& context, std::string_view text) { wrapped_text(context.theme.inks.warning, text); }

bool begin_steady_child(const char* name, ImVec2 size, bool has_border, ImGuiWindowFlags flags) {
  constexpr int quick = 4;  // frames
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID(name);
  enum : ImGuiID { was_there = 1, changed_at, turns, width, height };
  const auto key = [id](ImGuiID each) { return ImHashData(&each, sizeof each, id); };
  const bool comes_and_goes = kept.GetInt(key(turns)) > 2;
  const bool is_open = ImGui::BeginChild(name, size, has_border,
                                         flags | (comes_and_goes ? ImGuiWindowFlags_AlwaysVerticalScrollbar : 0));
  const ImGuiWindow& child = *ImGui::GetCurrentWindow();
  const bool has_new_size =
      kept.GetFloat(key(width)) != child.SizeFull.x || kept.GetFloat(key(height)) != child.SizeFull.y;
  const bool changes = child.ScrollbarY != kept.GetBool(key(was_there));
  const int now = ImGui::GetFrameCount();
  if (has_new_size) {
    kept.SetInt(key(turns), 0);
  } else if (changes) {
    const bool is_quick = now - kept.GetInt(key(changed_at)) < quick;
    kept.SetInt(key(turns), is_quick ? kept.GetInt(key(turns)) + 1 : 1);
  }
  if (changes) kept.SetInt(key(changed_at), now);
  kept.SetBool(key(was_there), child.ScrollbarY);
  kept.SetFloat(key(width), child.SizeFull.x);
  kept.SetFloat(key(height), child.SizeFull.y);
  return is_open;
}

}  // namespace attnscope
