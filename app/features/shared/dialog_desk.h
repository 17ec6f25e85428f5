#pragma once

#include "features/shared/switchboard.h"

namespace attnscope {

// The dialog that is open: which one, and the folder that it lists. What is chosen in it belongs to other desks.
class DialogDesk {
public:
  explicit DialogDesk(const Neighbours& neighbours) : to_(neighbours) {}

  void apply(const ShowDialog& command);
  void apply(const CloseDialog&);
  void apply(const UpdateDialog& command);
  void apply(const CreateFolder&);

private:
  void preview_chosen_file();

  Neighbours to_;
};

// Says in a few lines what a file holds that could be opened: its document, or its arrays with their shapes; else one
// sentence that says why there is nothing to show. Empty where there is no such file.
std::vector<std::string> preview_of(const std::filesystem::path& path);

}  // namespace attnscope
