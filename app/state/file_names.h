#pragma once

#include <filesystem>

#include "state/dialog_state.h"

namespace attnscope {

// The files that dialogs list, and the file that a typed name means.

// Absolute whatever was typed or pasted: a name in the listed folder, a path, one from the home folder, one in quotes,
// or a file:// address.
std::filesystem::path typed_path(const DialogState& dialog);
// Returns that path, with the dialog's usual ending where none was typed.
std::filesystem::path chosen_path(const DialogState& dialog);
bool replaces_a_file(const DialogState& dialog);

// Lists a folder into a file dialog's state: subfolders and the files that the dialog is for, unless it is for folders
// only. A folder that cannot be read leaves the listing empty and says why in `error`.
void list_folder(DialogState& dialog, const std::filesystem::path& folder);

}  // namespace attnscope
