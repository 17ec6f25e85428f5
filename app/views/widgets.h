#pragma once

#include <string_view>

#include "views/view_context.h"

namespace attnscope {

// The app's own widgets. Each registers itself by name, and a disabled one says why when the pointer rests on it.

// A label in the left column, the next item in the right one. An empty `reason` means enabled.
void begin_row(const ViewContext& context, std::string_view label, std::string_view reason = {});
// Registers the item just drawn as `name`, ends begin_row's disabling, shows `reason` or `help` as its tooltip.
void end_row(const ViewContext& context, std::string_view name, std::string_view reason = {},
             std::string_view help = {});

// Registers the item just drawn.
void register_item(const ViewContext& context, std::string_view name, bool enabled = true);

// Tooltip for the item just drawn, disabled or not, wrapped to a readable width; nothing for an empty text.
void item_tooltip(std::string_view text);

bool push_button(const ViewContext& context, std::string_view name, const char* label, std::string_view reason = {},
                 std::string_view help = {});

// Flat button that shows whether it is chosen: one of a few alternatives side by side.
bool choice_button(const ViewContext& context, std::string_view name, const char* label, bool is_chosen,
                   std::string_view help = {});

void section_heading(const ViewContext& context, const char* text);
void dim_text(const ViewContext& context, std::string_view text);      // wrapped, in the small font
void warning_text(const ViewContext& context, std::string_view text);  // wrapped

// A slider over whole numbers with a grab of the usual size, `shown` instead of the number where it is not empty.
bool step_slider(const char* id, int& value, int first, int last, const char* shown = "%.0f");

float unit(const ViewContext& context);  // one unit of the interface scale

}  // namespace attnscope
