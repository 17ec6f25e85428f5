#include "compute/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/evaluate.h"
#include "core/heads.h"
#include "core/visibility.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds worth_showing{200};

// The most work of an evaluation in the thread that submits it: about a millisecond of a matrix product's operations.
constexpr double most_work_at_once = 6e7;
// From here on an evaluation takes so long that one head is worth being published before the others.
constexpr double least_work_of_heads = 5e8;

// Returns the work of an evaluation. Drawn and packed parameters stay if only the embeddings change.
double expected_work_after(const Result* before, const AttentionConfig& config) {
  const bool keeps = before && keeps_parameters(before->config, config);
  return expected_work(config, is_evaluated_readably(config), keeps);
}

// Returns whether the heads of two configurations have the same sizes, so that one can be shown in the other's place.
bool have_same_sizes(const AttentionConfig& left, const AttentionConfig& right) {
  return query_count(left) == query_count(right) && key_count(left) == key_count(right) &&
         left.batch_size == right.batch_size && head_count(left) == head_count(right) &&
         head_features(left) == head_features(right);
}

// Computes the shown matrices of a head, so that numbers and pictures are there as soon as the result is.
void make_shown(const Result& result, const StageSet& stages, Index looked_at, Execution execution) {
  if (!result.heads || !are_kept_whole(result)) return;  // large matrices are made where they are drawn
  execution.progress = nullptr;                          // it counts the work of the evaluation alone
  const Index matrix = std::clamp<Index>(looked_at, 0, result.config.batch_size * head_count(result.config) - 1);
  StageSet of_head;
  for (const StageInfo& stage : attnscope::stages()) {
    if (!stages.contains(stage.stage) || !has(result, stage.stage, matrix)) continue;
    if (stage.axes == StageAxes::head_query_key) of_head.add(stage.stage);
    if (stage.axes == StageAxes::query_key) result.heads->make(result, {stage.stage}, 0, execution);
  }
  result.heads->make(result, of_head, matrix, execution);
}

}  // namespace

Evaluator::Evaluator(std::function<void()> on_finished)
    : on_finished_(std::move(on_finished)), worker_([this](const std::stop_token& stop) { return work(stop); }) {}

Evaluator::~Evaluator() {
  worker_.request_stop();
  const std::lock_guard lock(mutex_);
  job_stop_.request_stop();
}

std::uint64_t Evaluator::submit(AttentionConfig config, Backend backend, int threads, Index looked_at,
                                const StageSet& shown) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = ++last_ticket_;
  Job job{std::move(config), backend, threads, ticket, looked_at, shown};
  job_stop_.request_stop();
  if (is_done_at_once(job)) {  // without the other thread: to wake it takes longer than a few tokens do
    pending_.reset();
    const Computed before = whole_;
    lock.unlock();
    evaluate_job(job, before, at_once_engine_, {backend, threads, {}}, nullptr);
  } else {
    pending_ = std::move(job);
    lock.unlock();
    worker_.wake();
  }
  return ticket;
}

bool Evaluator::is_done_at_once(const Job& job) const {
  return token_count(job.config) <= at_once_tokens &&
         expected_work_after(whole_.result.get(), job.config) <= most_work_at_once;
}

void Evaluator::forget() {
  Evaluation last;  // ends after the lock: it may be large
  Computed whole;
  {
    const std::lock_guard lock(mutex_);
    pending_.reset();
    job_stop_.request_stop();
    last = std::exchange(latest_, {});
    latest_.finished_ticket = last.finished_ticket;
    whole = std::exchange(whole_, {});
    whole_ticket_ = 0;
  }
}

Evaluation Evaluator::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

bool Evaluator::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || pending_.has_value();
}

std::optional<float> Evaluator::progress() const {
  const std::lock_guard lock(mutex_);
  if (!running_ || std::chrono::steady_clock::now() - start_ < worth_showing) return std::nullopt;
  return progress_.fraction();
}

bool Evaluator::wait(std::uint64_t ticket, std::chrono::milliseconds timeout) {
  worker_.help();
  std::unique_lock lock(mutex_);
  return finished_.wait_for(lock, timeout, [&] { return latest_.finished_ticket >= ticket; });
}

bool Evaluator::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!pending_ || stop.stop_requested()) return false;
  job_stop_ = std::stop_source();
  const std::stop_token job_stop = job_stop_.get_token();
  const Job job = *std::exchange(pending_, std::nullopt);
  running_ = true;
  start_ = std::chrono::steady_clock::now();
  progress_.expect(0);
  const Computed before = whole_;
  lock.unlock();

  const Execution execution{job.backend, job.threads, job_stop, &progress_};
  const HeadFirst head_first = {job.looked_at, [&](Result head) {
                                  make_shown(head, job.shown, *head.finished.only, execution);
                                  publish_head(job, std::move(head), job_stop);
                                }};
  const bool is_long = expected_work_after(before.result.get(), job.config) >= least_work_of_heads;
  evaluate_job(job, before, engine_, execution, is_long ? &head_first : nullptr);
  return true;
}

// Publishes a head beside a result of the same sizes, whose other stages stay on the screen; another result is
// replaced.
void Evaluator::publish_head(const Job& job, Result head, const std::stop_token& stop) {
  auto published = std::make_shared<const Result>(std::move(head));
  auto summaries = std::make_shared<const Summaries>(published);
  Evaluation replaced;  // ends after the lock: it may be large
  {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) throw Cancelled{};
    replaced = latest_;
    ++latest_.published_heads;
    show_whole();
    if (whole_.result && have_same_sizes(whole_.result->config, job.config)) {
      latest_.newer = std::move(published);
    } else {
      latest_.result = std::move(published);
      latest_.summaries = std::move(summaries);
      latest_.result_ticket = 0;
    }
  }
  if (on_finished_) on_finished_();
}

void Evaluator::show_whole() {
  latest_.result = whole_.result;
  latest_.summaries = whole_.summaries;
  latest_.result_ticket = whole_ticket_;
  latest_.newer.reset();
}

void Evaluator::evaluate_job(const Job& job, const Computed& before, Engine& engine, const Execution& execution,
                             const HeadFirst* head_first) {
  Computed computed;
  std::string error;
  std::string field;
  bool cancelled = false;
  try {
    computed = compute(job.config, execution, before, &engine, head_first);
    make_shown(*computed.result, job.shown, job.looked_at, execution);
  } catch (const Cancelled&) {
    cancelled = true;
  } catch (const Error& failure) {
    error = failure.what();
    field = failure.field;
  } catch (const std::bad_alloc&) {
    error =
        fmt::format("The {} bytes that this document needs could not be had: use fewer tokens, heads or batch entries.",
                    required_bytes(job.config));
  } catch (const std::exception& other) {
    error = other.what();
  }
  const bool is_at_once = &engine == &at_once_engine_;
  Evaluation replaced;  // ends after the lock: it may be large
  Computed replaced_whole;
  {
    const std::lock_guard lock(mutex_);
    if (!is_at_once) running_ = false;
    cancelled = cancelled || job.ticket <= latest_.finished_ticket;  // a newer one was faster
    if (!cancelled) {
      if (computed.result) {
        replaced_whole = std::exchange(whole_, std::move(computed));
        whole_ticket_ = job.ticket;
      }
      replaced = latest_;
      show_whole();  // the failed evaluation may have shown a single head instead
      latest_.finished_ticket = job.ticket;
      latest_.error = std::move(error);
      latest_.error_field = std::move(field);
    }
  }
  finished_.notify_all();
  if (!cancelled && !is_at_once && on_finished_) on_finished_();
}

}  // namespace attnscope
