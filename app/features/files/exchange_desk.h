#pragma once

#include "features/shared/switchboard.h"

namespace attnscope {

// Gives data to other programs: text on the clipboard, weights in a file.
class ExchangeDesk {
public:
  explicit ExchangeDesk(const Neighbours& neighbours) : to_(neighbours) {}

  void apply(const CopyText& command);
  void apply(const CopyCode& command);
  void apply(const CopyStage& command);
  void apply(const ExportWeights& command);

private:
  Neighbours to_;
};

}  // namespace attnscope
