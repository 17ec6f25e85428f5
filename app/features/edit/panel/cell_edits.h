#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/view_context.h"

namespace attnscope {

// Edits of the numbers in matrices, by pointer, keys, menu and inspector alike.

constexpr float number_step = 0.01f;           // with Shift ten times, with Alt a tenth
constexpr float units_a_step = 1;              // units that the pointer goes sideways for a step
float drag_speed(const ViewContext& context);  // change of a number for each pixel

std::string_view obstacle_to_edits(const ViewContext& context);  // empty if the shown numbers can change
bool can_type(const ViewContext& context, const Source& cell);   // an input, a weight, a bias
// The kinds of switches: a weight is kept or dropped by dropout, unless it is hidden; a key is shown to a query or
// hidden.
enum class Switched { nothing, dropout, mask };
Switched switched_by(const ViewContext& context, const Source& cell);
bool can_toggle(const ViewContext& context, const Source& cell);
bool is_of_switches(Stage stage);  // the cells of the stage are switches
// Says how the pointer changes a cell; null if nothing does.
const char* edit_hint(const ViewContext& context, const Source& cell);
// Returns whether the user changed the cell from what was drawn.
bool is_edited(const Result& result, const Source& cell);

float number_now(const ViewContext& context, const Source& cell);  // for a cell that can be typed
// Sets a number; the edit goes on until the item drawn last is let go.
void set_number(CallQueue& queue, const Source& cell, float number);
// Changes a number by steps, to a multiple of the step; the edit goes on until it is finished.
void step_number(const ViewContext& context, CallQueue& queue, const Source& cell, float step);

Source factor_of(Source cell);                               // the factor by which dropout multiplies a weight
bool is_on(const ViewContext& context, const Source& cell);  // the weight is kept, or the key shown
// Switches those cells of one stage that can be switched.
void set_on(const ViewContext& context, CallQueue& queue, std::span<const Source> cells, bool is_on, bool finished);
void toggle(const ViewContext& context, CallQueue& queue, const Source& cell);

// Restores what was drawn.
void restore(const ViewContext& context, CallQueue& queue, const Source& cell);

void switch_head(const ViewContext& context, CallQueue& queue, Index head);  // off, or on again
// The head of the pinned cell, else the shown one.
void switch_head_at_hand(const ViewContext& context, CallQueue& queue);
std::string label_of_head_switch(const ViewContext& context);
std::string_view obstacle_to_heads(const ViewContext& context);  // empty if a head can be switched

}  // namespace attnscope
