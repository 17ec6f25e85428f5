#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/shared/panel/menu.h"
#include "features/studies/panel/study.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float control_width = 150;
constexpr double steps_a_second = 0.8;
constexpr double least_seconds = 1e-4;      // between two frames that somebody sees
constexpr double most_seconds = 0.05;       // of one: it was asleep before
constexpr float most_decimals_shown = 100;  // from here on a number has none

void set_value(CommandQueue& queue, const Board& board, const BoardControl& control, double value) {
  change_view(queue, [view = board.id, id = control.id, value](ViewState& state) {
    state.study.id = view;
    state.study.values[id] = value;
  });
}

void draw_slider(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
                 double shown) {
  auto value = static_cast<float>(shown);
  const int flags = ImGuiSliderFlags_NoRoundToFormat | (control.is_logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  ImGui::SetNextItemWidth(control_width * unit(context));
  const char* const decimals = control.is_whole || value >= most_decimals_shown ? "%.0f" : "%.2f";
  const auto step = static_cast<std::size_t>(std::lround(shown));
  const std::string format = step < control.choices.size() ? control.choices[step] : decimals;
  if (!float_slider("##value", value, static_cast<float>(control.low), static_cast<float>(control.high), format.c_str(),
                    flags))
    return;
  const double exact = static_cast<double>(value);
  const double chosen = control.is_whole ? std::round(exact) : std::round(exact * 100) / 100;
  set_value(queue, board, control, std::clamp(chosen, control.low, control.high));
}

void draw_choice(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
                 const std::string& name, double shown) {
  std::vector<Choice> choices;
  for (const std::string& each : control.choices) choices.push_back({each});
  ImGui::SetNextItemWidth(control_width * unit(context));
  const int current = std::clamp(static_cast<int>(shown), 0, static_cast<int>(choices.size()) - 1);
  const int chosen = choose_from(context, name, choices, current, {}, control.help);
  if (chosen >= 0) set_value(queue, board, control, chosen);
}

// From where it stands, or from its beginning, on to its end, in which the window has nothing more to do. Where no time
// passes nobody watches: it ends at once.
void draw_play(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
               const std::string& name, double shown) {
  bool& is_playing = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("plays"), false);
  ImGui::SameLine(0, 6 * unit(context));
  if (push_button(context, name + "/play", is_playing ? "Stop" : "▸ Play", {}, "Shows the steps one after the other")) {
    is_playing = !is_playing;
    if (is_playing && shown >= control.high) set_value(queue, board, control, shown = control.low);
  }
  if (!is_playing) return;
  const auto passed = static_cast<double>(ImGui::GetIO().DeltaTime);
  const double next = passed < least_seconds ? control.high : shown + std::min(passed, most_seconds) * steps_a_second;
  set_value(queue, board, control, std::min(next, control.high));
  is_playing = next < control.high;
}

}  // namespace

void draw_board_controls(const ViewContext& context, CommandQueue& queue, const Board& board) {
  for (const BoardControl& control : board.controls) {
    // A control shows its new value at once, also while the board of before is still shown.
    const double shown = context.now.view.study.value(control.id, control.value);
    const std::string name = fmt::format("study/{}", control.id);
    ImGui::PushID(control.id.c_str());
    const float needed = ImGui::CalcTextSize(control.label.c_str()).x + (control_width + 28) * unit(context);
    if (&control != board.controls.data()) {
      const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
      if (ImGui::GetItemRectMax().x + needed <= right) ImGui::SameLine(0, 20 * unit(context));
    }
    if (control.kind == BoardControl::Kind::toggle) {
      bool is_on = shown > 0;
      if (ImGui::Checkbox(control.label.c_str(), &is_on)) set_value(queue, board, control, is_on ? 1 : 0);
      register_item(context, name, {.is_on = is_on});
      item_tooltip(context, control.help);
    } else {
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(control.label.c_str());
      ImGui::SameLine(0, 8 * unit(context));
      if (control.kind == BoardControl::Kind::choice) {
        draw_choice(context, queue, board, control, name, shown);
      } else {
        draw_slider(context, queue, board, control, shown);
        register_item(context, name, {.value = shown});
        item_tooltip(context, control.help);
        if (control.plays) draw_play(context, queue, board, control, name, shown);
      }
    }
    ImGui::PopID();
  }
}

}  // namespace attnscope
