#pragma once

#include "ui/view_context.h"

namespace attnscope {

// Everything works without a pointer: Tab goes from panel to panel, arrows go within one, Enter opens or edits what is
// chosen, Esc leads back to the stages. There the arrows move the pinned cell, which is why Dear ImGui has the keys in
// the other panels, in menus and in dialogs only.

// Before anything is drawn: which panel has the keys.
void handle_focus_keys(const ViewContext& context, CommandQueue& queue);

// Whether arrows, Enter and Esc are those of the stages, and not of a panel, a menu or a list.
bool stages_have_keys(const ViewContext& context);

// Around what a panel draws, in its window: gives it the keys when they come, and a frame while it has them.
void begin_panel(const ViewContext& context, CommandQueue& queue, Panel panel);
void end_panel(const ViewContext& context, Panel panel);

void enter_panel(CommandQueue& queue, Panel panel);

// Keys that work anywhere, unless a text field has the keyboard.
void handle_shortcuts(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
