#pragma once

#include <string>

#include "state/command.h"
#include "ui/view_context.h"

namespace attnscope {

// Above the inspector, while something is covered: what is asked about it, and how it went so far.
void draw_prediction(const ViewContext& context, CommandQueue& queue);

// For the table of actions: the stage of the pinned number, the one that is shown large, or the weights.
void toggle_cover(const ViewContext& context, CommandQueue& queue);
void cover_row(const ViewContext& context, CommandQueue& queue);
bool is_predicting(const ViewContext& context);
std::string obstacle_to_cover(const ViewContext& context);
std::string obstacle_to_cover_row(const ViewContext& context);
std::string label_of_cover(const ViewContext& context);
std::string label_of_cover_row(const ViewContext& context);

}  // namespace attnscope
