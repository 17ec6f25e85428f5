#include "session/layouts.h"

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
  const bool is_alone = now.view.side == ComparedSide::before || now.view.side == ComparedSide::now;
  const bool is_of_both = now.is_comparing() && !is_alone;
  return is_of_both ? "Teaching views are of one document: show A or B alone, or stop comparing." : "";
}

constexpr LayoutInfo all_layouts[] = {
    {Layout::diagram, "Diagram", "all stages of one head, with arrows between them"},
    {Layout::heads, "Heads", "one stage of all heads"},
    {Layout::focus, "Focus", "one stage, large"},
    {Layout::layers, "Layers", "all layers and heads of a file", obstacle_to_layers},
    {Layout::study, "Views", "teaching views: one picture for each question", obstacle_to_study, true},
    {Layout::model, "Model", "all heads of all layers of a trained model, and its next word", obstacle_to_model},
};

}  // namespace

int LayoutInfo::number() const { return static_cast<int>(this - all_layouts) + 1; }

std::string LayoutInfo::keys() const { return "Ctrl+" + std::to_string(number()); }

std::span<const LayoutInfo> layouts() { return all_layouts; }

const LayoutInfo& info(Layout layout) {
  const LayoutInfo* const found = layout_named(layout.id);
  return found ? *found : all_layouts[0];
}

const LayoutInfo* layout_named(std::string_view id) {
  const auto* const found = std::ranges::find(all_layouts, id, [](const LayoutInfo& row) { return row.layout.id; });
  return found == std::end(all_layouts) ? nullptr : found;
}

}  // namespace attnscope
