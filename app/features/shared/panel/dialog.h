#pragma once

#include "ui/view_context.h"

namespace attnscope {

void draw_dialog(const ViewContext& context, CommandQueue& queue);
void draw_file_dialog(const ViewContext& context, CommandQueue& queue);
void draw_figure_dialog(const ViewContext& context, CommandQueue& queue);
void draw_restore_dialog(const ViewContext& context, CommandQueue& queue);
void draw_about(const ViewContext& context, CommandQueue& queue);
void draw_glossary(const ViewContext& context, CommandQueue& queue);
void draw_shortcuts(const ViewContext& context, CommandQueue& queue);

// The parts of dialogs that choose a file.

void draw_folder_line(const ViewContext& context, CommandQueue& queue);  // the way up, and where we are
void draw_listing(const ViewContext& context, CommandQueue& queue);
void draw_name_field(const ViewContext& context, CommandQueue& queue, const char* hint, float width);
// Walks into the folder that the name stands for, or asks for what the dialog is there for.
void accept_name(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
