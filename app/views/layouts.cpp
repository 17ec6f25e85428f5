#include "views/layouts.h"

#include <algorithm>

#include "views/panels.h"
#include "views/study.h"

namespace attnscope {
namespace {

const char* obstacle_to_layers(const ViewContext& context) {
  return context.layers.size() > 1 ? nullptr : "Only attention from a file has layers, where it holds several of them.";
}

const char* obstacle_to_study(const ViewContext& context) {
  const bool is_of_both = context.pictured || context.beside;
  return is_of_both ? "Teaching views are of one document: show A or B alone, or stop comparing." : nullptr;
}

constexpr LayoutInfo all_layouts[] = {
    {Layout::diagram, "Diagram", "all stages of one head, with arrows between them", draw_diagram},
    {Layout::heads, "Heads", "one stage of all heads", draw_heads},
    {Layout::focus, "Focus", "one stage, large", draw_focus},
    {Layout::layers, "Layers", "all layers and heads of a file", draw_layers, obstacle_to_layers},
    {Layout::study, "Views", "teaching views: one picture for each question", draw_study, obstacle_to_study, true},
};

}  // namespace

std::span<const LayoutInfo> layouts() { return all_layouts; }

const LayoutInfo& info(Layout layout) {
  const LayoutInfo* const found = std::ranges::find(all_layouts, layout, &LayoutInfo::layout);
  return found == std::end(all_layouts) ? all_layouts[0] : *found;
}

}  // namespace attnscope
