#pragma once

#include "core/number_field.h"
#include "views/view_context.h"

namespace attnscope {

// A row of the setup: the slider of a number of the document, "setup/" and its key.
void draw_number_slider(const ViewContext& context, CommandQueue& queue, const NumberField& field);

}  // namespace attnscope
