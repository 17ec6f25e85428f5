#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <utility>

#include "platform/system/file.h"
#include "platform/system/process.h"

// The process, and signals of the user.
namespace attnscope {
namespace {

std::atomic<int> caught = 0;  // the signal; all that a signal handler may touch are these two
std::atomic<int> notice_pipe = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void end(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

// A second Ctrl+C ends the program at once; SIGTERM may come twice, as from timeout.
void interrupt(int signal) {
  if (caught.exchange(signal) != 0 && signal == SIGINT) end(signal);
  if (const int pipe = notice_pipe; pipe >= 0) (void)!::write(pipe, "!", 1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  ::sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void end_cleanly_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, end);
}

Interrupt::Interrupt(std::function<void()> notice) {
  caught = 0;
  std::array<int, 2> ends = {};
  if (notice && ::pipe2(ends.data(), O_CLOEXEC) == 0) {
    noticed_ = Descriptor(ends[0]);
    told_ = Descriptor(ends[1]);
    notice_pipe = told_.number();
    watch_ = std::jthread([end = noticed_.number(), notice = std::move(notice)] {
      char byte = 0;
      while (::read(end, &byte, 1) == 1 && byte == '!') notice();
    });
  }
  progress_.on_check = [this] {
    if (caught != 0) stop_.request_stop();
  };
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    handle(signals[i], interrupt);
  }
}

int Interrupt::signal() const { return caught; }

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  notice_pipe = -1;
  if (told_.is_open()) (void)!::write(told_.number(), ".", 1);
}

Execution Interrupt::execution() {
  Execution execution;
  execution.stop = stop_.get_token();
  execution.progress = &progress_;
  return execution;
}

int process_id() { return static_cast<int>(::getpid()); }

}  // namespace attnscope
