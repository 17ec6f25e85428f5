#pragma once

#include <array>
#include <csignal>
#include <stop_token>

#include "core/execution.h"

namespace attnscope {

// While it lives, Ctrl+C and SIGTERM ask for a stop instead of ending the process on the spot; Ctrl+C again ends the
// process. Ignored where they were. One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  Execution execution();  // that notices the stop; as long as this lives

private:
  static constexpr std::array<int, 2> signals = {SIGINT, SIGTERM};

  std::array<struct sigaction, signals.size()> before_ = {};
  std::stop_source stop_;
  Progress progress_;
};

}  // namespace attnscope
