#pragma once

#include "session/message_desk.h"
#include "session/subject.h"

namespace attnscope {

// What goes to other programs: text on the clipboard, weights in a file.
class ExchangeDesk {
public:
  ExchangeDesk(const Moment& now, const Subject& subject, MessageDesk& messages, ViewState& view, DialogState& dialog)
      : now_(now), subject_(subject), messages_(messages), view_(view), dialog_(dialog) {}

  void apply(const CopyText& command);
  void apply(const CopyCode& command);
  void apply(const CopyStage& command);
  void apply(const ExportWeights& command);

private:
  const Moment& now_;
  const Subject& subject_;
  MessageDesk& messages_;
  ViewState& view_;
  DialogState& dialog_;
};

}  // namespace attnscope
