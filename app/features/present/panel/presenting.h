#pragma once

#include <optional>

#include "core/stage.h"
#include "ui/view_context.h"

namespace attnscope {

// A presentation: the picture alone on the screen, a line below it that says what it shows, and the stages one after
// the other, each in the place that it keeps. A stage that has not come yet appears nowhere: neither as numbers, nor
// under the pointer, nor in screenshots.

inline bool is_presenting(const ViewContext& context) { return context.now.view.transient.presenting.has_value(); }

// Returns the newest stage that is shown; none outside of a presentation.
std::optional<Stage> presented_stage(const ViewContext& context);

// Returns the stages that the user chose not to show; none outside of a presentation.
StageSet unpresented_stages(const ViewContext& context);

// Draws the items of the menu View that choose the presented stages.
void draw_presented_stages_menu(const ViewContext& context, CallQueue& queue);

// Returns the stages that have not come yet; none outside of a presentation.
StageSet awaited_results(const ViewContext& context);

void toggle_presenting(const ViewContext& context, CallQueue& queue);

// Arrows and the page keys of a presenter's remote go through the stages, or through the teaching views; numbers choose
// the layout, H the head, B blanks the screen, S lights what is around the pointer, Esc ends it.
void handle_presenting_keys(const ViewContext& context, CallQueue& queue);

// In the window that fills the screen, `height` of it.
void draw_presentation(const ViewContext& context, CallQueue& queue, float height);

}  // namespace attnscope
