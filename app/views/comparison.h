#pragma once

#include <string>

#include "core/source.h"
#include "views/view_context.h"

namespace attnscope {

// Returns the context of stages and inspector where the document is compared with another one: A, B, or B with what it
// has more than A for pictures. `context` must outlive it.
ViewContext compared_side(const ViewContext& context, ComparedSide side);

// Within a window whose scrolling is shared: follows the others, or leads them where it was scrolled itself.
void share_scrolling(ImGuiStorage& shared);

// The stages of the side that is shown, or A and B beside each other: with one range of colours, scrolled together.
void draw_compared_stages(const ViewContext& context, CommandQueue& queue);

// A line above the stages: which side is shown, and where both differ most.
void draw_comparison_line(const ViewContext& context, CommandQueue& queue);

// In the inspector: a number of A, of B and what is between them.
void draw_compared_values(const ViewContext& context, const Source& cell);

void draw_compare_menu(const ViewContext& context, CommandQueue& queue);

// Why a stage of both cannot be subtracted: a sentence.
std::string why_not_compared(const ViewContext& context, Stage stage);

}  // namespace attnscope
