#pragma once

#include <csignal>
#include <stop_token>

#include "core/execution.h"

namespace attnscope {

// While it lives, Ctrl+C asks for a stop instead of ending the process on the spot; pressed again, it ends the process.
// Ignored where it was. One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  Execution execution();  // that notices the stop; as long as this lives

private:
  struct sigaction before_ = {};
  std::stop_source stop_;
  Progress progress_;
};

}  // namespace attnscope
