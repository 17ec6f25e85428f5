#include "features/setup/panel/setup_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/config.h"
#include "core/model/transformer.h"
#include "document/edit.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float usual_width = 220;
constexpr float most_of_window = 0.4f;       // a side panel is no wider
constexpr float lesson_width_share = 0.22f;  // share of the window that a lesson takes
constexpr float least_lesson_width = 336;
constexpr float least_editor_width = 296;  // so that numbers fit into the diagram beside it
constexpr float most_lesson_width = 440;

constexpr float small_width = 700;  // of a screen that the diagram has too little room on
constexpr float small_height = 440;
constexpr float rail_width = 44;
constexpr float rail_padding = 2;  // so that "causal" has room in fonts with wide letters, too
constexpr float button_height = 38;
constexpr float menu_button_height = 28;
constexpr const char* over_name = "setup_over";

float column_width(const ViewContext& context) {
  if (!has_lesson_column(context)) return panel_width(context, context.now.view.setup_width, usual_width);
  const float least = context.now.lesson.lesson ? least_lesson_width : least_editor_width;
  const float usual =
      std::clamp(lesson_width_share * ImGui::GetIO().DisplaySize.x / unit(context), least, most_lesson_width);
  const float chosen = context.now.view.setup_width > 0 ? std::max(context.now.view.setup_width, least) : 0;
  return panel_width(context, chosen, usual);
}

// Opens the setup, or closes it if it is open. The keys follow if they were at the rail.
void toggle_open(const ViewContext& context, CallQueue& queue) {
  if (context.now.view.transient.opens_setup) return close_setup(context, queue);
  change_view(queue, [](ViewState& state) { state.transient.opens_setup = true; });
  if (context.now.view.transient.keyboard == Panel::setup) enter_panel(queue, Panel::setup);
}

// A setting in the rail: its letter, and its value in small letters below.
struct RailButton {
  const char* name;
  const char* letter;
  std::string value;
  std::string help;
};

bool press_rail_button(const ViewContext& context, const char* id, float height, bool is_chosen) {
  const float width = (rail_width - 2 * rail_padding) * unit(context);
  ImGui::SetCursorPosX(rail_padding * unit(context));
  ImGui::PushStyleColor(ImGuiCol_Button, is_chosen ? to_u32(context.theme.inks.chosen) : 0);
  ImGui::PushID(id);
  const bool is_pressed = ImGui::Button("##rail", {width, height * unit(context)});
  ImGui::PopID();
  ImGui::PopStyleColor();
  return is_pressed;
}

void draw_centred(const ViewContext& context, const ImFont* font, float y, Rgb colour, const std::string& text) {
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  const std::string fitted = fit_text(font, text, high.x - low.x);
  const float x = std::floor((low.x + high.x - text_size(font, fitted).x) / 2);
  draw_text(font, {x, std::floor(low.y + y * unit(context))}, {colour}, fitted);
}

void draw_rail_button(const ViewContext& context, CallQueue& queue, const RailButton& button) {
  if (press_rail_button(context, button.name, button_height, false)) toggle_open(context, queue);
  register_item(context, button.name);
  item_tooltip(context, button.help);
  draw_centred(context, context.fonts.smaller.small_text, 3, context.theme.inks.dim_text, button.letter);
  draw_centred(context, context.fonts.small_text, 19, context.theme.inks.text, button.value);
}

void draw_menu_button(const ViewContext& context, CallQueue& queue) {
  const bool is_open = context.now.view.transient.opens_setup;
  if (press_rail_button(context, "menu", menu_button_height, is_open)) toggle_open(context, queue);
  // Attention of a file has a setup of its own.
  register_item(context, context.now.viewing ? "viewing" : "setup", {.is_on = is_open, .opens = true});
  if (!is_open) item_tooltip(context, "All settings. F2 keeps them beside the stages.");
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  const float middle = std::floor((low.y + high.y) / 2);
  for (const float line : {-5.0f, 0.0f, 5.0f}) {
    const float y = middle + line * unit(context);
    stroke_line({low.x + 8 * unit(context), y}, {high.x - 8 * unit(context), y}, {context.theme.inks.text},
                1.5f * unit(context));
  }
}

// The name of a mechanism on the rail, on one line or two.
struct RailName {
  std::string_view first;
  std::string_view second = {};
};

RailName rail_name(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::simple_self_attention:
      return {"simple"};
    case Mechanism::self_attention_v1:
      return {"v1"};
    case Mechanism::self_attention_v2:
      return {"v2"};
    case Mechanism::causal_attention:
      return {"causal"};
    case Mechanism::multi_head_attention_wrapper:
      return {"wrap-", "per"};
    case Mechanism::multi_head_attention:
      return {"multi-", "head"};
    case Mechanism::scaled_dot_product_attention:
      return {"given", "Q, K, V"};
  }
  return {};
}

void draw_mechanism_button(const ViewContext& context, CallQueue& queue) {
  const MechanismInfo& mechanism = info(context.now.document.config.mechanism);
  if (press_rail_button(context, "mechanism", menu_button_height, true)) toggle_open(context, queue);
  register_item(context, "rail/mechanism");
  item_tooltip(context, fmt::format("Mechanism {}: {}", rung_of(mechanism.mechanism), mechanism.title));
  const RailName name = rail_name(mechanism.mechanism);
  const ImFont* const font = context.fonts.smaller.small_text;
  const float line = font_height(font) / unit(context);
  const float y = (menu_button_height - (name.second.empty() ? 1 : 2) * line) / 2;
  draw_centred(context, font, y, context.theme.inks.accent, std::string(name.first));
  draw_centred(context, font, y + line, context.theme.inks.accent, std::string(name.second));
}

void draw_tokens_button(const ViewContext& context, CallQueue& queue) {
  const TransientState& transient = context.now.view.transient;
  const bool is_open = transient.opens_tokens || (transient.opens_setup && tokens_fit_setup(context));
  if (press_rail_button(context, "tokens", menu_button_height, false)) {
    if (is_open) {
      close_setup(context, queue);
      change_view(queue, [](ViewState& state) { state.transient.opens_tokens = false; });
    } else {
      show_tokens(context, queue);
    }
  }
  register_item(context, "tokens", {.is_on = is_open, .opens = true});
  item_tooltip(context, "Tokens and embeddings: names, numbers, a sentence, paste");
  const float y = (menu_button_height - font_height(context.fonts.small_text) / unit(context)) / 2;
  draw_centred(context, context.fonts.small_text, y, context.theme.inks.text, "text");
}

// Draws the ground here, because Dear ImGui draws it in the window around this one: below the stages.
void draw_ground(const ViewContext& context, float width, float height) {
  constexpr float shadow_width = 8;
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 high{low.x + width, low.y + height};
  const ImVec2 end{high.x + shadow_width * unit(context), high.y};
  ImGui::PushClipRect(low, end, false);
  fill_box(low, high, {context.theme.inks.panel});
  draw_shadow({high.x, low.y}, end);
  stroke_line({high.x, low.y}, high, {context.theme.inks.border});
  ImGui::PopClipRect();
}

bool is_within(const ImGuiWindow* window, const ImGuiWindow* outer) {
  for (; window; window = window->Flags & ImGuiWindowFlags_ChildWindow ? window->ParentWindow : nullptr) {
    if (window == outer) return true;
  }
  return false;
}

// Returns whether the stages, the bar or another panel are pressed, and not a list or a dialog over them.
bool is_pressed_beside(const ImGuiWindow* over) {
  const bool is_pressed = ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (!is_pressed || had_popup()) return false;
  const ImGuiWindow* const hovered = ImGui::GetCurrentContext()->HoveredWindow;
  if (!hovered || is_within(hovered, over)) return false;
  const bool is_of_main_window = hovered->RootWindow == over->RootWindow;
  const float left = over->Pos.x;  // the rail is to the left of it: its buttons know what to do
  return is_of_main_window && !(ImGui::GetIO().MousePos.x < left && ImGui::GetIO().MousePos.y > over->Pos.y);
}

}  // namespace

bool is_small_screen(const ViewContext& context) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  return display.x < small_width * unit(context) || display.y < small_height * unit(context);
}

bool stacks_panels(const ViewContext& context) {
  return is_small_screen(context) && ImGui::GetIO().DisplaySize.x < ImGui::GetIO().DisplaySize.y;
}

bool has_lesson_column(const ViewContext& context) { return context.now.lesson.lesson || context.now.draft; }

bool is_setup_column(const ViewContext& context) {
  return !stacks_panels(context) && has_setup_column(context.now.view, ImGui::GetIO().DisplaySize.x / unit(context));
}

void toggle_setup(const ViewContext& context, CallQueue& queue) {
  if (stacks_panels(context)) return toggle_open(context, queue);  // there is no room for a column
  change_view(queue, [is_column = is_setup_column(context)](ViewState& state) {
    state.show_setup = !is_column;
    state.transient.opens_setup = false;
  });
}

void close_setup(const ViewContext& context, CallQueue& queue) {
  if (!context.now.view.transient.opens_setup) return;
  change_view(queue, [](ViewState& state) {
    state.transient.opens_setup = false;
    state.transient.pointed.clear();
  });
  if (context.now.view.transient.keyboard == Panel::setup) enter_panel(queue, Panel::stages);
}

float panel_width(const ViewContext& context, float chosen, float usual) {
  return std::floor(std::min((chosen > 0 ? chosen : usual) * unit(context),
                             std::max(most_of_window * ImGui::GetIO().DisplaySize.x, usual * unit(context))));
}

float left_width(const ViewContext& context) {
  const bool is_rail = !has_lesson_column(context) && !is_setup_column(context);
  return is_rail ? std::floor(rail_width * unit(context)) : column_width(context);
}

float setup_room(const ViewContext& context) { return column_width(context) - 2 * ImGui::GetStyle().WindowPadding.x; }

void draw_setup_rail(const ViewContext& context, CallQueue& queue) {
  draw_menu_button(context, queue);
  if (context.now.viewing) return;
  const AttentionConfig& config = context.now.document.config;
  const auto* const model = std::get_if<ModelInputs>(&config.inputs);
  if (!model) draw_mechanism_button(context, queue);
  const MechanismInfo& mechanism = info(config.mechanism);
  const Index d_out = mechanism.weight_style == WeightStyle::none ? input_features(config) : config.d_out;
  const Index heads = mechanism.has_heads ? config.num_heads : 1;
  const Index layers = model ? model->model->shape.layers : 1;
  const Index layer = model ? model->layer + 1 : 1;
  const RailButton buttons[] = {
      model ? RailButton{"rail/layer", "layer", fmt::format("{}/{}", layer, layers),
                         fmt::format("Layer {} of {} is shown", layer, layers)}
            : RailButton{"rail/d_out", "d_out", std::to_string(d_out),
                         fmt::format("d_out is {}: size of the vectors that come out", d_out)},
      {"rail/num_heads", "heads", std::to_string(heads), fmt::format("{} {}", heads, heads == 1 ? "head" : "heads")},
      {"rail/dropout", "drop", fmt::format("{:.2f}", config.dropout),
       fmt::format("Dropout: p is {:g}", config.dropout)},
      {"rail/seed", "seed", std::to_string(config.seed), fmt::format("Seed {}", config.seed)}};
  for (const RailButton& button : buttons) draw_rail_button(context, queue, button);
  if (!model && !begins_with_heads(config)) draw_tokens_button(context, queue);
}

void draw_open_setup(const ViewContext& context, CallQueue& queue, float top, float height) {
  if (!context.now.view.transient.opens_setup) return;
  if (has_lesson_column(context) || is_setup_column(context)) return close_setup(context, queue);
  const float width = column_width(context);
  ImGui::SetCursorScreenPos({left_width(context), top});
  begin_steady_child(over_name, {width, height}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  draw_ground(context, width, height);
  begin_panel(context, queue, Panel::setup);
  draw_setup_panel(context, queue);
  end_panel(context, Panel::setup);
  if (is_pressed_beside(ImGui::GetCurrentWindow())) close_setup(context, queue);
  ImGui::EndChild();
  register_item(context, "setup/over");
}

void draw_setup_switch(const ViewContext& context, CallQueue& queue) {
  if (has_lesson_column(context) || stacks_panels(context)) return;
  const bool is_column = is_setup_column(context);
  const float side = font_height(context.fonts.heading);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - side);
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav | ImGuiItemFlags_NoNavDefaultFocus,
                      true);  // F2 is its key, and the keys begin with the mechanisms
  if (ImGui::InvisibleButton("##switch", {side, side})) toggle_setup(context, queue);
  ImGui::PopItemFlag();
  register_item(context, "setup/switch", {.is_on = is_column});
  const bool is_hovered = ImGui::IsItemHovered();
  item_tooltip(context, is_column ? "Make the setup a narrow rail (F2)" : "Keep the setup beside the stages (F2)");
  // A window with a column at its left.
  const ImVec2 low = ImGui::GetItemRectMin();
  const float inset = std::floor(0.1f * side);
  const ImVec2 from{low.x + inset, low.y + inset};
  const ImVec2 to{low.x + side - inset, low.y + side - inset};
  const float column = std::floor(from.x + 0.36f * (to.x - from.x));
  const picture::Ink ink{is_hovered ? context.theme.inks.accent : context.theme.inks.dim_text};
  outline_box(from, to, ink, unit(context), 2 * unit(context));
  if (is_column) fill_box(from, {column, to.y}, ink, 2 * unit(context));
  stroke_line({column, from.y}, {column, to.y}, ink, unit(context));
}

void show_setup(const ViewContext& context, CallQueue& queue) {
  if (!has_lesson_column(context) && !is_setup_column(context) && !context.now.view.transient.opens_setup)
    toggle_open(context, queue);
}

void show_control(const ViewContext& context, CallQueue& queue, std::string_view key) {
  change_view(queue, [key](ViewState& state) {
    if (is_option(key)) state.show_options = true;
    state.transient.pointed = fmt::format("setup/{}", key);
  });
  show_setup(context, queue);
  enter_panel(queue, Panel::setup);
}

void show_tokens(const ViewContext& context, CallQueue& queue) {
  if (tokens_fit_setup(context)) return show_setup(context, queue);
  change_view(queue, [](ViewState& state) { state.transient.opens_tokens = true; });
}

}  // namespace attnscope
