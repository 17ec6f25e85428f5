#pragma once

#include <vector>

#include "ui/view_context.h"
#include "view/number_words.h"

namespace attnscope {

// The lines below a number in the inspector: a click on a number goes there, the arrow before a line opens it in place,
// and what the pointer rests on is marked in the diagram. A card has little room: there results stand at the right end
// of the line that they follow from, and notes are left out.
void draw_derivation(const ViewContext& context, CallQueue& queue, const std::vector<DerivationLine>& lines,
                     bool is_card);

// Returns the height of these lines with nothing opened in place.
float closed_height(const ViewContext& context, const std::vector<DerivationLine>& lines, bool is_card);

// Whether one of the lines leads to this number.
bool names(const std::vector<DerivationLine>& lines, const Source& source);

}  // namespace attnscope
