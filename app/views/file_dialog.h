#pragma once

#include <filesystem>

#include "views/dialog.h"

namespace attnscope {

// What dialogs that choose a file are made of.

// The file that a dialog's name stands for: a name in its folder or a path, with the usual ending where none was typed.
std::filesystem::path chosen_path(const DialogState& dialog);
bool replaces_a_file(const DialogState& dialog);

void draw_folder_line(const ViewContext& context, CommandQueue& queue);  // the way up, and where we are
void draw_listing(const ViewContext& context, CommandQueue& queue);
void draw_name_field(const ViewContext& context, CommandQueue& queue, const char* hint, float width);
// Walks into the folder that the name stands for, or asks for what the dialog is there for.
void accept_name(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
