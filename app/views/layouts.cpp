#include "views/layouts.h"

#include <algorithm>

#include "views/panels.h"

namespace attnscope {
namespace {

const char* obstacle_to_diagram(const ViewContext& context) {
  return context.viewing
             ? "The stages before and after these numbers are not in the file: Heads and Focus show what there is."
             : nullptr;
}

constexpr LayoutInfo all_layouts[] = {
    {Layout::diagram, "Diagram", "all stages of one head, and what follows from what", false, true, draw_diagram,
     obstacle_to_diagram},
    {Layout::heads, "Heads", "one stage of all heads", true, false, draw_heads},
    {Layout::focus, "Focus", "one stage, large", true, true, draw_focus},
};

}  // namespace

std::span<const LayoutInfo> layouts() { return all_layouts; }

const LayoutInfo& info(Layout layout) {
  const LayoutInfo* const found = std::ranges::find(all_layouts, layout, &LayoutInfo::layout);
  return found == std::end(all_layouts) ? all_layouts[0] : *found;
}

}  // namespace attnscope
