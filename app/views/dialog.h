#pragma once

#include "views/view_context.h"

namespace attnscope {

void draw_dialog(const ViewContext& context, CommandQueue& queue);
void draw_file_dialog(const ViewContext& context, CommandQueue& queue);
void draw_figure_dialog(const ViewContext& context, CommandQueue& queue);
void draw_restore_dialog(const ViewContext& context, CommandQueue& queue);
void draw_glossary(const ViewContext& context, CommandQueue& queue);
void draw_shortcuts(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
