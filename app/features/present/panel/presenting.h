#pragma once

#include <optional>
#include <vector>

#include "core/stage.h"
#include "ui/view_context.h"

namespace attnscope {

// A presentation: the picture alone on the screen, and a line below it that says what it shows. A stage comes by its
// scenes: how one of its numbers is made. Then the diagram shows it in the middle, as large as it can, with what it is
// computed from and all stages before it at their places. A stage that has not come yet appears nowhere: neither as
// numbers, nor under the pointer, nor in screenshots. The last step shows all stages.

inline bool is_presenting(const ViewContext& context) { return context.now.view.transient.presenting.has_value(); }

// Returns the newest stage that is shown; none outside of a presentation, and where all stages are shown alike.
std::optional<Stage> presented_stage(const ViewContext& context);

// Returns the stage of which an audience sees A's and B's beside each other; of all stages the pinned one, or the
// weights.
Stage presented_stage_of_pair(const ViewContext& context);

// Returns the stages that the user chose not to show; none outside of a presentation.
StageSet unpresented_stages(const ViewContext& context);

// Returns the stages that can be presented, in turn.
std::vector<Stage> presentable_stages(const ViewContext& context);

// Begins to present at a stage.
void present_from(const ViewContext& context, CallQueue& queue, Stage stage);
// Leaves a stage out of presentations, or takes it in again.
void present_or_leave_out(const ViewContext& context, CallQueue& queue, Stage stage);

// Draws the items of the menu View that choose the presented stages.
void draw_presented_stages_menu(const ViewContext& context, CallQueue& queue);

// Returns the stages that have not come yet; none outside of a presentation.
StageSet awaited_results(const ViewContext& context);

// Returns the scale of the interface at which 11 units, its smallest text, are 20 pixels on a screen of 1080; 0 outside
// of a presentation.
float presented_scale(const ViewState& view, ImVec2 display);

void toggle_presenting(const ViewContext& context, CallQueue& queue);

// Arrows and the page keys of a presenter's remote go through the scenes and stages, the teaching views, or the heads
// of a trained model, which Space switches off; numbers choose the layout, H the head, B blanks the screen, S lights
// what is around the pointer, Esc ends it. In a lesson they go through its steps; R reveals the answer of a question,
// O switches the shown head off or on, and T hides the text.
void handle_presenting_keys(const ViewContext& context, CallQueue& queue);

// In the window that fills the screen, `height` of it.
void draw_presentation(const ViewContext& context, CallQueue& queue, float height);

// The files of presentations share these; no other folder calls them.

// Returns the stages that the user did not leave out; all that can be presented if none would be left.
std::vector<Stage> presented_stages(const ViewContext& context);
// Returns whether the diagram shows all stages: it does after the last step.
bool shows_all_stages(const ViewContext& context, const std::vector<Stage>& stages);
// Returns the step of the stage that is shown alone, else that of the diagram. The document may have fewer stages than
// it had.
std::size_t presented_step(const ViewContext& context, const std::vector<Stage>& stages);
// Returns the stage on the screen, which may be a weight matrix and so no step.
Stage stage_on_screen(const ViewContext& context, const std::vector<Stage>& stages);

// Plays the next scene. After the last one of a stage the stage is shown, and then the next one's scenes play.
void present_next(const ViewContext& context, CallQueue& queue);
// Goes back by one scene, which is shown at its end, or by one stage.
void present_previous(const ViewContext& context, CallQueue& queue);
// Goes to a stage; the step after the last stage shows all of them in the diagram.
void present_step(const ViewContext& context, CallQueue& queue, Index step);

}  // namespace attnscope
