#pragma once

#include <vector>

#include "ui/view_context.h"
#include "view/number_words.h"

namespace attnscope {

// The menu of the pinned number and of those around it. It is opened by the right button of the mouse, by a
// key, or by the inspector's button.
void draw_cell_menu(const ViewContext& context, CallQueue& queue);
void open_cell_menu(CallQueue& queue);

// Draws the commonest edits of the pinned number below it in the inspector. Returns whether they are a row of buttons,
// which others may continue.
bool draw_cell_edits(const ViewContext& context, CallQueue& queue, const Source& cell);

// Returns how many lines of this width these buttons and the one that follows them fill.
int lines_of_cell_edits(const ViewContext& context, const Source& cell, float width);

// Puts the next button on the same line where it has room.
void beside_or_below(const ViewContext& context, const char* label);

// Draws the lines below a number in the inspector: a click on a number goes there, the arrow before a line opens it in
// place, and what the pointer rests on is marked in the diagram. A card has little room: there results stand at the
// right end of the line that they follow from, and notes are left out unless they have room.
enum class DerivationPlace { column, card, roomy_card };
void draw_derivation(const ViewContext& context, CallQueue& queue, const std::vector<DerivationLine>& lines,
                     DerivationPlace place);

// Returns the height of these lines with nothing opened in place.
float closed_height(const ViewContext& context, const std::vector<DerivationLine>& lines, DerivationPlace place);

// Returns whether one of the lines leads to this number.
bool names(const std::vector<DerivationLine>& lines, const Source& source);

}  // namespace attnscope
