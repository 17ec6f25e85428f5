#include "session/view_modes.h"

#include <algorithm>

namespace attnscope {
namespace {

const char* obstacle_to_layers(const UiState& now) {
  return now.layers.size() > 1 ? "" : "Only attention from a file has layers, where it holds several of them.";
}

const char* obstacle_to_model(const UiState& now) {
  return now.document.model ? "" : "Only a trained model has this: open one, or File > Examples > A trained model.";
}

const char* obstacle_to_study(const UiState& now) {
  const bool is_alone = now.view.side == ComparedSide::baseline || now.view.side == ComparedSide::now;
  const bool is_of_both = now.is_comparing() && !is_alone;
  return is_of_both ? "Teaching views are of one document: show A or B alone, or stop comparing." : "";
}

constexpr ViewModeInfo all_view_modes[] = {
    {ViewMode::diagram, "Diagram", "all stages of one head, with arrows between them"},
    {ViewMode::heads, "Heads", "one stage of all heads"},
    {ViewMode::focus, "Focus", "one stage, large"},
    {ViewMode::layers, "Layers", "all layers and heads of a file", obstacle_to_layers},
    {ViewMode::study, "Views", "teaching views: one picture for each question", obstacle_to_study, true},
    {ViewMode::model, "Model", "all heads of all layers of a trained model, and its next word", obstacle_to_model},
};

}  // namespace

int ViewModeInfo::number() const { return static_cast<int>(this - all_view_modes) + 1; }

std::string ViewModeInfo::keys() const { return "Ctrl+" + std::to_string(number()); }

std::span<const ViewModeInfo> view_modes() { return all_view_modes; }

const ViewModeInfo& info(ViewMode layout) {
  const ViewModeInfo* const found = view_mode_named(layout.id);
  return found ? *found : all_view_modes[0];
}

const ViewModeInfo* view_mode_named(std::string_view id) {
  const auto* const found = std::ranges::find(all_view_modes, id, [](const ViewModeInfo& row) { return row.mode.id; });
  return found == std::end(all_view_modes) ? nullptr : found;
}

}  // namespace attnscope
