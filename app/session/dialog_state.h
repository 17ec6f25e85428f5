#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/call_queue.h"
#include "session/figure_state.h"

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
    unsaved,
    question,
    choice,
    settings,
    examples,
    pairs
  };
  enum class Filter { all, documents, pictures, arrays };
  struct Entry {
    std::string name;
    bool is_folder = false;
  };

  Kind kind = Kind::none;
  std::filesystem::path folder;                       // file dialogs: listed
  std::vector<Entry> entries;                         // of `folder`: folders first, then files; by name
  std::string name;                                   // file dialogs: typed or clicked file name
  std::string error;                                  // why the last try failed
  Filter filter = Filter::all;                        // open: which files are listed
  bool lists_tokens = false;                          // open: also *.txt, the names of tokens
  std::optional<std::string> new_folder;              // typed name of one to be created; none: not asked for
  std::filesystem::path previewed;                    // open: the file that `preview` is of
  std::vector<std::string> preview;                   // a line each
  bool is_previewing = false;                         // the preview is being read
  FigureChoices figure;                               // choices of the figure to export
  std::string question;                               // asked before an action that cannot be undone
  std::string yes;                                    // label of the button that agrees
  Call agreed;                                        // runs if the user agrees
  std::vector<std::pair<std::string, Call>> answers;  // choice: what can be chosen, and what runs then
  Kind returns_to = Kind::none;                       // the dialog that opens again after the question
};

// The files that dialogs list, and the file that a typed name means.

// Returns an absolute path for what was typed or pasted: a name in the listed folder, a path, one from the home folder,
// one in quotes, or a file:// address.
std::filesystem::path typed_path(const DialogState& dialog);
// Returns that path, with the dialog's usual ending where none was typed.
std::filesystem::path chosen_path(const DialogState& dialog);
bool replaces_a_file(const DialogState& dialog);

// Lists a folder into a file dialog's state: subfolders and the files that the dialog is for, unless it is for folders
// only. A folder that cannot be read leaves the listing empty and says why in `error`.
void list_folder(DialogState& dialog, const std::filesystem::path& folder);

}  // namespace attnscope
