#pragma once

#include "session/subject.h"
#include "views/command.h"
#include "views/dialog_state.h"

namespace attnscope {

// The dialog that is open: which one, and the folder that it lists. What is chosen in it belongs to other desks.
class DialogDesk {
public:
  DialogDesk(DialogState& dialog, const ViewState& view, const Subject& subject)
      : dialog_(dialog), view_(view), subject_(subject) {}

  void apply(const ShowDialog& command);
  void apply(const CloseDialog&) { dialog_ = {}; }
  void apply(const UpdateDialog& command);
  void apply(const CreateFolder&);

private:
  void preview_chosen_file();

  DialogState& dialog_;
  const ViewState& view_;
  const Subject& subject_;
};

}  // namespace attnscope
