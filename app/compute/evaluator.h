#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "compute/computation.h"
#include "platform/system/worker.h"

namespace attnscope {

// The outcome of the newest configuration that was given to an Evaluator.
struct Evaluation {
  std::shared_ptr<const Result> result = {};        // newest good one; stays when a later configuration fails
  std::shared_ptr<const Summaries> summaries = {};  // summaries of `result`
  std::uint64_t result_ticket = 0;                  // ticket of `result`, 0 for none yet or an unfinished one
  std::uint64_t finished_ticket = 0;                // newest ticket that ended, good or not
  std::string error = {};                           // why finished_ticket failed; empty when it did not
  std::string error_field = {};

  // A result whose shown head alone is finished while its other heads are computed. If `result` has the same sizes it
  // stays, and this one is `newer`; else this one replaces it.
  std::shared_ptr<const Result> newer = {};
  std::uint64_t published_heads = 0;  // how many heads were published so far
};

// Evaluates configurations in the background. The newest wins: one that is under way is cancelled when another
// arrives, and a stale result is never published. Each evaluation reuses the stages of the last result that still hold.
class Evaluator {
public:
  // `on_finished` is called from the background thread when a head was published, and after each evaluation that was
  // not cancelled.
  explicit Evaluator(std::function<void()> on_finished = {});
  ~Evaluator();  // cancels and joins
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Returns a ticket; tickets count up from 1. A configuration of at most at_once_tokens tokens that takes about a
  // millisecond is evaluated before this returns, without a call of `on_finished`; else this never blocks on a
  // computation. If the evaluation takes long, matrix `looked_at` (b * H + h) is published before the others, with the
  // matrices of the stages that are `shown` of it.
  static constexpr Index at_once_tokens = 64;
  std::uint64_t submit(AttentionConfig config, Backend backend, int threads, Index looked_at = 0,
                       const StageSet& shown = {});
  // Cancels evaluations that run or wait, and frees the last result.
  void forget();
  Evaluation latest() const;
  bool busy() const;
  // Returns how far the running evaluation has come, from 0 to 1; nothing if it is too short to be shown.
  std::optional<float> progress() const;
  // Waits until `ticket`, or a newer one, ended; false at the timeout.
  bool wait(std::uint64_t ticket, std::chrono::milliseconds timeout);

private:
  struct Job {
    AttentionConfig config;
    Backend backend = Backend::serial;
    int threads = 0;
    std::uint64_t ticket = 0;
    Index looked_at = 0;
    StageSet shown = {};
  };
  bool work(const std::stop_token& stop);
  bool is_done_at_once(const Job& job) const;  // the caller holds the lock
  void evaluate_job(const Job& job, const Computed& before, Engine& engine, const Execution& execution,
                    const HeadFirst* head_first);
  void show_whole();  // the caller holds the lock
  void publish_head(const Job& job, Result head, const std::stop_token& stop);

  std::function<void()> on_finished_;
  mutable std::mutex mutex_;
  std::condition_variable_any finished_;  // callers wait for the end of an evaluation
  std::optional<Job> pending_;
  std::stop_source job_stop_;
  bool running_ = false;
  std::chrono::steady_clock::time_point start_;  // start of the running evaluation
  Progress progress_;
  Engine engine_;          // the background thread uses it
  Engine at_once_engine_;  // the thread that submits uses it
  std::uint64_t last_ticket_ = 0;
  Evaluation latest_;
  // The newest result with all heads. The next evaluation builds on it, and it is shown again if that fails.
  Computed whole_;
  std::uint64_t whole_ticket_ = 0;
  Worker worker_;  // declared last, so that it ends before what it uses
};

}  // namespace attnscope
