#include "interrupt.h"

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
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() { ::sigaction(SIGINT, &before_, nullptr); }

Execution Interrupt::execution() {
  Execution execution;
  execution.stop = stop_.get_token();
  execution.progress = &progress_;
  return execution;
}

}  // namespace attnscope
