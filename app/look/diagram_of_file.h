#pragma once

#include "core/evaluate.h"
#include "look/diagram_layout.h"

namespace attnscope {

// layout_diagram() of a result. Of attention from a file there is one stage: it stands in its place, and the others are
// outlines that say so.
DiagramLayout layout_diagram(const Result& result, const DiagramText& text, float width, float height);

}  // namespace attnscope
