#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "views/figure_dialog.h"
#include "views/view_context.h"

namespace attnscope {

// The one dialog that can be open, and what is typed into it.
struct DialogState {
  enum class Kind {
    none,
    open,
    save_as,
    export_weights,
    screenshot_folder,
    shortcuts,
    glossary,
    about,
    restore,
    figure,
    unsaved
  };
  struct Entry {
    std::string name;
    bool is_folder = false;
  };

  Kind kind = Kind::none;
  std::filesystem::path folder;  // file dialogs: listed
  std::vector<Entry> entries;    // of `folder`: folders first, then files; by name
  std::string name;              // file dialogs: typed or clicked file name
  std::string error;             // why the last try failed
  bool lists_tokens = false;     // to open: also *.txt, the names of tokens
  FigureChoices figure;          // of the figure to be exported
};

// Lists a folder into a file dialog's state: subfolders and, unless only folders are wanted, *.json files; to
// open also pictures, which may carry a document; to export a figure only those. A folder that cannot be read leaves
// the listing empty and says why in `error`.
void list_folder(DialogState& dialog, const std::filesystem::path& folder);

void draw_dialog(const ViewContext& context, CommandQueue& queue);
void draw_file_dialog(const ViewContext& context, CommandQueue& queue);
void draw_figure_dialog(const ViewContext& context, CommandQueue& queue);
void draw_restore_dialog(const ViewContext& context, CommandQueue& queue);
void draw_glossary(const ViewContext& context, CommandQueue& queue);
void draw_shortcuts(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
