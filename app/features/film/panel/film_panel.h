#pragma once

#include <imgui.h>

#include <string>

#include "features/shared/panel/calls.h"

namespace attnscope {

bool is_watching(const ViewContext& context);

// Plays the film of the number that is explained, or ends the one that is watched.
void toggle_film(const ViewContext& context, CallQueue& queue);
std::string obstacle_to_watching(const ViewContext& context);
// Draws the button that plays the film of this number.
void draw_watch_button(const ViewContext& context, CallQueue& queue, const Source& cell, const char* label);

// Draws the film in the place of the stages, with its buttons below.
void draw_film(const ViewContext& context, CallQueue& queue);

// Draws the number of the film that was just left over the diagram, on the way to its cell.
void draw_landing(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high);

// Space plays and pauses, the arrows go from scene to scene. Esc is left to the caller.
void handle_film_keys(CallQueue& queue);
void close_film(CallQueue& queue);

}  // namespace attnscope
