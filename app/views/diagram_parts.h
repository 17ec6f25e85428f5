#pragma once

#include "look/diagram_layout.h"
#include "views/view_context.h"

namespace attnscope {

// What a diagram is drawn of. `origin` is where its upper left corner lies on the screen.

// A matrix with its header, names and row sums; where the document has none, an outline that says why.
void draw_diagram_matrix(const ViewContext& context, CommandQueue& queue, const PlacedMatrix& placed, ImVec2 origin);

// From each stage to what follows from it, with the operator between them.
void draw_diagram_arrows(const ViewContext& context, const DiagramLayout& layout, const DiagramText& text,
                         ImVec2 origin);

}  // namespace attnscope
