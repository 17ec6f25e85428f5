#pragma once

#include "look/diagram_layout.h"
#include "views/view_context.h"

namespace attnscope {

// What a diagram is drawn of. `origin` is where its upper left corner lies on the screen.

// A matrix with its header, names and row sums; where the document has none, an outline that says why.
void draw_diagram_matrix(const ViewContext& context, CommandQueue& queue, const DiagramLayout& layout,
                         const PlacedMatrix& placed, ImVec2 origin);

// The place of one that is not shown yet.
void draw_awaited_matrix(const ViewContext& context, const PlacedMatrix& placed, ImVec2 origin);

// From each stage to what follows from it, with the operator between them; none to `awaited`.
void draw_diagram_arrows(const ViewContext& context, const DiagramLayout& layout, const DiagramText& text,
                         ImVec2 origin, const StageSet& awaited);

// All of it in the corner where it covers least, with a frame around what is seen; a click goes there. Nothing where
// all of it is seen.
void draw_diagram_overview(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin);

// Shift and an arrow key go there, or an arrow alone where no cell is pinned.
void pan_diagram_by_keys(const ViewContext& context);

// What is at `screen` stays there when the diagram is `after` in the next frame.
void keep_diagram_in_place(const DiagramLayout& before, const DiagramLayout& after, ImVec2 origin, ImVec2 screen);

// Scrolls to a cell that was pinned elsewhere than on the diagram.
void follow_pin(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin);

// Scrolls to the stage that an audience sees next.
void follow_presented_stage(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin);

}  // namespace attnscope
