#pragma once

#include "core/config_fields.h"
#include "ui/view_context.h"

namespace attnscope {

// One function per panel, each in a file of its own. They read the context and emit commands; nothing else.

float draw_menu_bar(const ViewContext& context, CommandQueue& queue);      // returns where its menus end
void draw_setup_panel(const ViewContext& context, CommandQueue& queue);    // mechanism, sliders, tokens, options
void draw_viewing_setup(const ViewContext& context, CommandQueue& queue);  // in its place: attention of a file
void draw_options(const ViewContext& context, CommandQueue& queue);        // the less used half of the setup
// Rows of the setup, each for a field of the configuration.
void draw_field(const ViewContext& context, CommandQueue& queue, const FlagField& field);
void draw_field(const ViewContext& context, CommandQueue& queue, const ChoiceField& field);
void draw_field(const ViewContext& context, CommandQueue& queue, const NumberField& field);
void draw_field(const ViewContext& context, CommandQueue& queue, const WholeField& field);
void draw_whole_input(const ViewContext& context, CommandQueue& queue, const WholeField& field);  // within a row
void draw_head_switches(const ViewContext& context, CommandQueue& queue);                         // beside their number
void draw_tokens(const ViewContext& context, CommandQueue& queue);                                // within the setup
void draw_token_window(const ViewContext& context, CommandQueue& queue);                          // while it is open
bool tokens_fit_setup(const ViewContext& context);  // the table does; else a window has it
void step_head(const ViewContext& context, CommandQueue& queue,
               Index step);                                          // to another head, from the last to the first
void draw_stages(const ViewContext& context, CommandQueue& queue);   // one of the layouts
void draw_diagram(const ViewContext& context, CommandQueue& queue);  // all stages of one head, as they follow
void draw_compared_diagram(const ViewContext& a, const ViewContext& b, CommandQueue& queue);  // A above B
void draw_heads(const ViewContext& context, CommandQueue& queue);                             // one stage for all heads
void draw_focus(const ViewContext& context, CommandQueue& queue);                             // one stage, large
void draw_layers(const ViewContext& context, CommandQueue& queue);  // of a file: every head of every layer
void draw_inspector(const ViewContext& context, CommandQueue& queue);
// The inspector as a card over the diagram, between two corners on the screen; nothing where no number is looked at.
void draw_inspector_card(const ViewContext& context, CommandQueue& queue, ImVec2 low, ImVec2 high);
void draw_status_line(const ViewContext& context, CommandQueue& queue);
void draw_performance(const ViewContext& context, CommandQueue& queue);   // a window of its own, while it is open
void draw_performance_history(const ViewContext& context, float height);  // within it: a bar for each evaluation

}  // namespace attnscope
