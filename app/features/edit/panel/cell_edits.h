#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/view_context.h"

namespace attnscope {

// Edits of the numbers in matrices, by pointer, keys, menu and inspector alike.

constexpr float number_step = 0.01f;           // with Shift ten times, with Alt a tenth
constexpr float units_a_step = 2;              // that the pointer goes sideways as it drags a number
float drag_speed(const ViewContext& context);  // what a number changes by for each pixel
// The multiple of a step that is nearest, as a file writes it: 0.85, not 0.84999996.
float in_steps(float number, float step);

std::string_view obstacle_to_edits(const ViewContext& context);  // empty where the numbers that are shown can change
bool can_type(const ViewContext& context, const Source& cell);   // an input, a weight, a bias
// The kinds of switches: a weight is kept or dropped by dropout, unless it is hidden; a key is shown to a query or
// hidden.
enum class Switched { nothing, dropout, mask };
Switched switched_by(const ViewContext& context, const Source& cell);
bool can_toggle(const ViewContext& context, const Source& cell);
bool is_of_switches(Stage stage);  // whose cells are there to be switched
// Whether it is not what it was drawn.
bool is_edited(const Result& result, const Source& cell);

float number_now(const ViewContext& context, const Source& cell);  // of one that can be typed
// The edit goes on until the item drawn last is let go.
void set_number(CallQueue& queue, const Source& cell, float number);
// By steps, to a multiple of the step; the edit goes on until it is finished.
void step_number(const ViewContext& context, CallQueue& queue, const Source& cell, float step);

Source factor_of(Source cell);                               // dropout's of a weight
bool is_on(const ViewContext& context, const Source& cell);  // kept, shown
// Cells of one stage: those of them that can be.
void set_on(const ViewContext& context, CallQueue& queue, std::span<const Source> cells, bool is_on, bool finished);
void toggle(const ViewContext& context, CallQueue& queue, const Source& cell);

// Back to what was drawn.
void restore(const ViewContext& context, CallQueue& queue, const Source& cell);

void switch_head(const ViewContext& context, CallQueue& queue, Index head);  // off, or on again
void switch_head_at_hand(const ViewContext& context, CallQueue& queue);      // of what is pinned, else the one shown
std::string label_of_head_switch(const ViewContext& context);
std::string_view obstacle_to_heads(const ViewContext& context);  // empty where one can be

}  // namespace attnscope
