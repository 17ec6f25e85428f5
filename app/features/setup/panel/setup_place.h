#pragma once

#include <string_view>

#include "ui/view_context.h"

// The place of the setup: beside the stages as a column, or as a narrow rail that opens over them. A lesson takes the
// place of both.
namespace attnscope {

// Returns whether the screen is as small as a phone's: the diagram shows one of its matrices, and what explains a
// number is not in the picture.
bool is_small_screen(const ViewContext& context);
bool stacks_panels(const ViewContext& context);  // a small screen held upright: panels are below the stages

bool has_lesson_column(const ViewContext& context);  // a lesson is open, or is being made
bool is_setup_column(const ViewContext& context);
void toggle_setup(const ViewContext& context, CallQueue& queue);  // turns the column into a rail, and back
void close_setup(const ViewContext& context, CallQueue& queue);   // closes a setup that is open over the stages

// Returns the width of a side panel: the one that the user chose, else the usual one, but no large part of the window.
float panel_width(const ViewContext& context, float chosen, float usual);
float left_width(const ViewContext& context);  // width of what stands to the left of the stages
float setup_room(const ViewContext& context);  // width of the content of the setup

void draw_setup_rail(const ViewContext& context, CallQueue& queue);
// Draws the setup over the stages if it was opened there. Call after the stages were drawn.
void draw_open_setup(const ViewContext& context, CallQueue& queue, float top, float height);

// A small button that turns the column into a rail and back, at the right end of the line that was begun.
void draw_setup_switch(const ViewContext& context, CallQueue& queue);

// Opens the setup over the stages if it is a rail.
void show_setup(const ViewContext& context, CallQueue& queue);
// Opens the setup where the control of a field is, and frames that until the next click.
void show_control(const ViewContext& context, CallQueue& queue, std::string_view key);
// Returns the mark of a picture whose numbers the program invented, the same for the diagram, films, teaching views and
// presentations; empty if none is needed.
std::string_view mark_of_invented(const UiState& now);
// Says which words have invented numbers, and offers the trained model, which has learned ones for its words. Draws
// nothing if no number is invented. `place` begins the names of its widgets.
void draw_invented_words(const ViewContext& context, CallQueue& queue, std::string_view place);
// Brings the table of tokens into sight, wherever it is.
void show_tokens(const ViewContext& context, CallQueue& queue);

// Brings the keys to the sentence, where it is shown next.
void type_sentence(CallQueue& queue);

}  // namespace attnscope
