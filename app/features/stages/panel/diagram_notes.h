#pragma once

#include "paint/window/paint_picture.h"
#include "session/ui_state.h"
#include "ui/view_context.h"
#include "view/diagram.h"

namespace attnscope {

// Notes on the diagram, each in a free place beside what it is about; it is left out where there is none.

// Says beside the weights what keeps one from reading them: that numbers of words were invented, and that all shares
// are nearly equal. A click leads to what helps.
void draw_notes_at_weights(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                           const PicturePlace& place);

// Points at the number of the opening document that a newcomer drags first, until it was dragged or the note is closed.
void draw_drag_hint(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                    const PicturePlace& place);

}  // namespace attnscope
