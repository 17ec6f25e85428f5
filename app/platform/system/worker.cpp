#include "platform/system/worker.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

#if defined(__EMSCRIPTEN__)
bool has_threads = false;
#else
bool has_threads = true;
#endif

// Workers without a thread, in the order in which they were made. The first that has work goes first: the evaluator is
// made before the cache of its pictures.
std::vector<Worker*>& threadless_workers() {
  static std::vector<Worker*> workers;
  return workers;
}

}  // namespace

WithoutThreads::WithoutThreads() { has_threads = false; }

WithoutThreads::~WithoutThreads() { has_threads = true; }

Worker::Worker(Work work) : work_(std::move(work)), has_thread_(has_threads) {
  if (!has_thread_) threadless_workers().push_back(this);
}

Worker::~Worker() {
  request_stop();
  if (!has_thread_) std::erase(threadless_workers(), this);
}

void Worker::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_awake_ = true;
    if (has_thread_ && !thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  changed_.notify_all();
}

void Worker::request_stop() {
  thread_.request_stop();
  stop_.request_stop();
}

void Worker::run(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [&] { return is_awake_; });
      is_awake_ = false;
    }
    do {
      if (stop.stop_requested()) return;
    } while (work_(stop));
  }
}

bool Worker::do_piece() {
  if (has_thread_ || !std::exchange(is_awake_, false)) return false;
  const bool has_worked = work_(stop_.get_token());
  is_awake_ = is_awake_ || has_worked;
  return has_worked;
}

void Worker::help() {
  while (do_piece()) {
  }
}

bool work_between_frames() {
  // A piece of work may end workers and make others.
  for (std::size_t i = 0; i < threadless_workers().size(); ++i)
    if (threadless_workers()[i]->do_piece()) return true;
  return false;
}

}  // namespace attnscope
