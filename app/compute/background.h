#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/error.h"
#include "platform/system/worker.h"

namespace attnscope {

// Does one kind of job in the background, one at a time; the newest job wins. A job that fails ends none after it. Work
// that returns nothing has done a piece of its job, and is called again: a page draws frames in between.
template <typename Job, typename Outcome>
class Background {
public:
  using Work =
      std::function<std::optional<Outcome>(const Job&, const std::stop_token&)>;  // throws Cancelled when it is stopped

  // `on_finished` is called from the background thread after each job that was not cancelled.
  explicit Background(Work work, std::function<void()> on_finished = {})
      : work_(std::move(work)), on_finished_(std::move(on_finished)) {}
  ~Background() {
    worker_.request_stop();
    cancel();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Never blocks. Earlier jobs are cancelled, and their outcomes dropped.
  void start(Job job) {
    {
      const std::lock_guard lock(mutex_);
      drop();
      pending_ = std::move(job);
    }
    worker_.wake();
  }
  void cancel() {
    {
      const std::lock_guard lock(mutex_);
      drop();
    }
    changed_.notify_all();
  }
  // Returns the outcome of the newest job, once; or throws what the job threw, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::exchange(outcome_, std::nullopt);
  }
  bool is_busy() const {
    const std::lock_guard lock(mutex_);
    return running_ || pending_;
  }
  void wait() {  // waits until no job is left
    worker_.help();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !running_ && !pending_; });
  }

private:
  void drop() {
    job_stop_.request_stop();
    pending_.reset();
    outcome_.reset();
    failure_ = nullptr;
  }

  bool work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (stop.stop_requested()) return false;
    if (pending_) {
      under_way_ = std::make_unique<const Job>(*std::exchange(pending_, std::nullopt));
      job_stop_ = std::stop_source();
    }
    std::unique_ptr<const Job> job = std::move(under_way_);
    if (!job) return false;
    const std::stop_token job_stop = job_stop_.get_token();
    running_ = true;
    lock.unlock();
    std::optional<Outcome> outcome;
    std::exception_ptr failure;
    bool goes_on = false;
    try {
      outcome = work_(*job, job_stop);
      goes_on = !outcome && !job_stop.stop_requested();
    } catch (const Cancelled&) {
    } catch (...) {
      failure = std::current_exception();
    }
    if (!goes_on) job.reset();  // frees what the job keeps, which may be large
    lock.lock();
    under_way_ = std::move(job);
    if (goes_on) return true;
    running_ = false;
    const bool is_wanted = (outcome || failure) && !job_stop.stop_requested();
    if (is_wanted) {
      outcome_ = std::move(outcome);
      failure_ = std::move(failure);
    }
    lock.unlock();
    changed_.notify_all();
    if (is_wanted && on_finished_) on_finished_();
    return true;
  }

  Work work_;
  std::function<void()> on_finished_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::optional<Job> pending_;
  std::unique_ptr<const Job> under_way_;  // between two pieces of its work, which may refer to it
  std::optional<Outcome> outcome_;
  std::exception_ptr failure_;
  std::stop_source job_stop_;
  bool running_ = false;
  // Declared last, so that it ends before what it uses.
  Worker worker_{[this](const std::stop_token& stop) { return work(stop); }};
};

}  // namespace attnscope
