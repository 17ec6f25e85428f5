#include "platform/system/interrupt.h"

namespace attnscope {
namespace {

std::atomic<bool> is_interrupted = false;  // all that a signal handler may touch
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt(int /*signal*/) { is_interrupted = true; }

}  // namespace

Interrupt::Interrupt() {
  is_interrupted = false;
  progress_.on_check = [this] {
    if (is_interrupted) stop_.request_stop();
  };
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = interrupt;
    // Who presses Ctrl+C again wants an end at once; SIGTERM may come twice, as from timeout.
    action.sa_flags = signals[i] == SIGINT ? static_cast<int>(SA_RESETHAND) : 0;
    ::sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

Execution Interrupt::execution() {
  Execution execution;
  execution.stop = stop_.get_token();
  execution.progress = &progress_;
  return execution;
}

}  // namespace attnscope
