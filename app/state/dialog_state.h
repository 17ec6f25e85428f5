#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "state/command.h"
#include "state/figure_choices.h"

namespace attnscope {

// The one dialog that can be open, and what is typed into it.
struct DialogState {
  using Kind = ShowDialog::Kind;
  enum class Filter { all, documents, pictures, arrays };
  struct Entry {
    std::string name;
    bool is_folder = false;
  };

  Kind kind = Kind::none;
  std::filesystem::path folder;           // file dialogs: listed
  std::vector<Entry> entries;             // of `folder`: folders first, then files; by name
  std::string name;                       // file dialogs: typed or clicked file name
  std::string error;                      // why the last try failed
  Filter filter = Filter::all;            // open: which files are listed
  bool lists_tokens = false;              // open: also *.txt, the names of tokens
  std::optional<std::string> new_folder;  // typed name of one to be created; none: not asked for
  std::filesystem::path previewed;        // open: the file that `preview` is of
  std::vector<std::string> preview;       // a line each
  FigureChoices figure;                   // of the figure to be exported
};

}  // namespace attnscope
