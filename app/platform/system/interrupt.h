#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <stop_token>
#include <thread>

#include "core/execution.h"
#include "platform/system/descriptor.h"

namespace attnscope {

// Call it first: signals of the user (Ctrl+C, SIGTERM, a closed terminal) then leave no unfinished file behind.
void end_cleanly_on_signals();

// While it lives, these signals ask for a stop instead of ending the process on the spot; Ctrl+C again ends the
// process. Ignored where they were. One at a time.
class Interrupt {
public:
  // `notice` is called by a thread of its own when a signal came, for a program that sleeps.
  explicit Interrupt(std::function<void()> notice = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const;     // the signal that came; 0 for none
  Execution execution();  // notices the stop, as long as this object lives

private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, signals.size()> before_ = {};
  std::stop_source stop_;
  Progress progress_;
  Descriptor noticed_;  // a pipe: a handler of signals may do little else than write a byte
  Descriptor told_;
  std::jthread watch_;
};

}  // namespace attnscope
