#include "compute/evaluator.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "core/operations.h"
#include "core/reuse.h"
#include "core/visibility.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds worth_showing{200};
constexpr std::chrono::milliseconds idle{300};  // by then the pictures of the last evaluation are mostly made

// Runs of each backend in a measurement: some, and more while they take little time.
constexpr int fewest_runs = 3;
constexpr int most_runs = 25;
constexpr std::chrono::milliseconds measuring_time{1500};

// The most work of an evaluation in the thread that submits it: about a millisecond of a matrix product's operations.
constexpr double most_work_at_once = 6e7;
// From here on an evaluation takes so long that one head is worth being published before the others.
constexpr double least_work_of_heads = 5e8;

// Drawn and packed parameters stay where only the embeddings change.
double expected_work_after(const Result* before, const AttentionConfig& config) {
  const bool keeps = before && keeps_parameters(before->config, config);
  return expected_work(config, is_evaluated_readably(config), keeps);
}

// Whether a head of a result stands where the other's stood.
bool have_same_sizes(const AttentionConfig& left, const AttentionConfig& right) {
  return query_count(left) == query_count(right) && key_count(left) == key_count(right) &&
         left.batch_size == right.batch_size && head_count(left) == head_count(right) &&
         head_features(left) == head_features(right);
}

}  // namespace

Evaluator::Evaluator(std::function<void()> on_finished)
    : on_finished_(std::move(on_finished)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Evaluator::~Evaluator() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  job_stop_.request_stop();
}

std::uint64_t Evaluator::submit(AttentionConfig config, Backend backend, int threads, Index looked_at) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = ++last_ticket_;
  Job job{std::move(config), backend, threads, ticket, looked_at};
  if (std::exchange(measurement_, std::nullopt)) {
    update_performance([](Performance& performance) { performance.comparison.is_running = false; });
  }
  job_stop_.request_stop();
  if (is_done_at_once(job)) {  // without the other thread: to wake it takes longer than a few tokens do
    pending_.reset();
    const Computed before = whole_;
    lock.unlock();
    evaluate_job(job, before, at_once_engine_, {backend, threads, {}}, nullptr);
  } else {
    pending_ = std::move(job);
    lock.unlock();
    changed_.notify_all();
  }
  return ticket;
}

bool Evaluator::is_done_at_once(const Job& job) const {
  return token_count(job.config) <= at_once_tokens &&
         expected_work_after(whole_.result.get(), job.config) <= most_work_at_once;
}

void Evaluator::measure(AttentionConfig config, int threads) {
  {
    const std::lock_guard lock(mutex_);
    update_performance([&](Performance& performance) {
      performance.comparison = {.workload = workload_of(config), .seconds = {}, .is_running = true, .error = {}};
    });
    measurement_ = Job{std::move(config), Backend::openmp, threads, 0, 0};
  }
  changed_.notify_all();
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

bool Evaluator::wait(std::uint64_t ticket, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return finished_.wait_for(lock, timeout, [&] { return latest_.finished_ticket >= ticket; });
}

std::shared_ptr<const Performance> Evaluator::performance() const {
  const std::lock_guard lock(mutex_);
  return performance_;
}

void Evaluator::update_performance(const std::function<void(Performance&)>& change) {
  const bool had_wanted_peak = wanted_peak(*performance_).has_value();
  Performance changed = *performance_;
  change(changed);
  performance_ = std::make_shared<const Performance>(std::move(changed));
  if (!had_wanted_peak && wanted_peak(*performance_)) changed_.notify_all();
}

// False when there is nothing to do but what is done while idle.
bool Evaluator::wait_for_job(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto has_job = [&] { return pending_ || measurement_; };
  changed_.wait(lock, stop, [&] { return has_job() || wanted_peak(*performance_); });
  while (!has_job() && !stop.stop_requested()) {
    const std::uint64_t ticket = last_ticket_;
    if (!changed_.wait_for(lock, stop, idle, has_job) && last_ticket_ == ticket) return false;
  }
  return has_job();
}

void Evaluator::run(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    const bool has_job = wait_for_job(lock, stop);
    if (stop.stop_requested()) return;
    job_stop_ = std::stop_source();
    const std::stop_token job_stop = job_stop_.get_token();
    if (!has_job) {
      const std::optional<int> threads = wanted_peak(*performance_);
      lock.unlock();
      if (threads) measure_peak_of(*threads, job_stop);
      continue;
    }
    if (!pending_) {
      const Job job = *std::exchange(measurement_, std::nullopt);
      lock.unlock();
      measure_job(job, job_stop);
      continue;
    }
    const Job job = *std::exchange(pending_, std::nullopt);
    running_ = true;
    start_ = std::chrono::steady_clock::now();
    progress_.expect(0);
    const Computed before = whole_;
    lock.unlock();

    const HeadFirst head_first = {job.looked_at, [&](Result head) { publish_head(job, std::move(head), job_stop); }};
    const bool is_long = expected_work_after(before.result.get(), job.config) >= least_work_of_heads;
    evaluate_job(job, before, engine_, {job.backend, job.threads, job_stop, &progress_},
                 is_long ? &head_first : nullptr);
  }
}

void Evaluator::measure_job(const Job& job, const std::stop_token& stop) {
  const auto publish = [&](const std::function<void(BackendComparison&)>& change) {
    {
      const std::lock_guard lock(mutex_);
      update_performance([&](Performance& performance) { change(performance.comparison); });
    }
    if (on_finished_) on_finished_();
  };
  std::string error;
  try {
    const auto start = std::chrono::steady_clock::now();
    for (int run = 0; run < most_runs; ++run) {
      if (run >= fewest_runs && std::chrono::steady_clock::now() - start > measuring_time) break;
      for (const Backend backend : {Backend::serial, Backend::openmp}) {
        const Computed computed = compute(job.config, {backend, job.threads, stop}, {}, &engine_);
        const EvaluationRecord record = record_of(*computed.result, 0);
        publish([&](BackendComparison& comparison) { comparison.add(record); });
      }
    }
  } catch (const Cancelled&) {
    error = "Interrupted by a change of the document.";
  } catch (const Error& failure) {
    error = failure.what();
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory to evaluate once more beside the result that is shown.";
  } catch (const std::exception& other) {
    error = other.what();
  }
  publish([&](BackendComparison& comparison) {
    comparison.is_running = false;
    comparison.error = error;
  });
}

// Gives way to an evaluation after a part of a millisecond, and is begun anew then.
void Evaluator::measure_peak_of(int threads, const std::stop_token& stop) {
  try {
    const double rate = measure_peak({Backend::openmp, threads, stop});
    const std::lock_guard lock(mutex_);
    update_performance([&](Performance& performance) { add_peak(performance, threads, rate); });
  } catch (const Cancelled&) {
    return;
  }
  if (on_finished_) on_finished_();
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
        const EvaluationRecord record = record_of(*computed.result, job.ticket);
        update_performance([&](Performance& performance) { add(performance, record); });
        replaced_whole = std::exchange(whole_, std::move(computed));
        whole_ticket_ = job.ticket;
      }
      replaced = latest_;
      show_whole();  // what failed may have replaced it by a head
      latest_.finished_ticket = job.ticket;
      latest_.error = std::move(error);
      latest_.error_field = std::move(field);
    }
  }
  finished_.notify_all();
  if (!cancelled && !is_at_once && on_finished_) on_finished_();
}

}  // namespace attnscope
