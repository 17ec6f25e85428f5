#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace attnscope {

// Does work in the background, on a thread of its own, which begins with the first wake(). Where a program can have no
// threads, as in a browser's page, the work is done in pieces between frames.
class Worker {
public:
  // Does a piece of work and returns true, or returns false if there is none until the next wake(). May look at `stop`,
  // which is asked between pieces, too.
  using Work = std::function<bool(const std::stop_token& stop)>;

  explicit Worker(Work work);
  ~Worker();  // stops, and waits for the piece of work that is under way
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void wake();  // the thread that made it, and its own, may call it
  void request_stop();
  void help();  // does what there is to do, where no thread does it: for a caller that waits for it

private:
  friend bool work_between_frames();
  bool do_piece();
  void run(const std::stop_token& stop);

  Work work_;
  bool has_thread_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_awake_ = false;
  std::stop_source stop_;  // of a worker without a thread
  std::jthread thread_;    // declared last, so that it ends before what it uses
};

// While it lives, workers that are made have no threads. One at a time; in a page there is always none.
class WithoutThreads {
public:
  WithoutThreads();
  ~WithoutThreads();
  WithoutThreads(const WithoutThreads&) = delete;
  WithoutThreads& operator=(const WithoutThreads&) = delete;
};

// Does a piece of the work of a worker without a thread. Returns false if there is none.
bool work_between_frames();

}  // namespace attnscope
