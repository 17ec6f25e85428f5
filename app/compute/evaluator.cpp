#include "compute/evaluator.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "core/head_alone.h"
#include "core/peak.h"
#include "platform/system/memory.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds worth_telling{200};
constexpr std::chrono::milliseconds idle{300};  // by then the pictures of the last evaluation are mostly made

// Runs of each backend in a measurement: some, and more while they take little time.
constexpr int fewest_runs = 3;
constexpr int most_runs = 25;
constexpr std::chrono::milliseconds measuring_time{1500};

// What came of one configuration.
struct Computed {
  std::shared_ptr<const Result> result;
  std::shared_ptr<const Summaries> summaries;
  double summary_seconds = 0;
};

Computed compute(const AttentionConfig& config, const Execution& execution, const Evaluation& before, Engine& engine,
                 const HeadFirst* head_first = nullptr) {
  check(config);
  check_memory(config, available_memory(), Squares::by_size);
  Computed computed;
  computed.result = std::make_shared<const Result>(
      evaluate(config, execution, before.result.get(), Squares::by_size, &engine, head_first));
  Execution alike = execution;  // as many threads as the work was worth
  alike.threads = computed.result->threads;
  const auto start = std::chrono::steady_clock::now();
  computed.summaries = std::make_shared<const Summaries>(
      summarize(*computed.result, alike, before.result.get(), before.summaries.get()));
  computed.summary_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return computed;
}

// Whether a head of a result stands where the other's stood.
bool have_same_sizes(const AttentionConfig& left, const AttentionConfig& right) {
  return token_count(left) == token_count(right) && left.batch_size == right.batch_size &&
         head_count(left) == head_count(right) && head_features(left) == head_features(right);
}

}  // namespace

Evaluator::Evaluator(std::function<void()> on_finished)
    : on_finished_(std::move(on_finished)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Evaluator::~Evaluator() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    job_stop_.request_stop();
  }
  changed_.notify_all();
}

std::uint64_t Evaluator::submit(AttentionConfig config, Backend backend, int threads, Index looked_at) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++last_ticket_;
    pending_ = Job{std::move(config), backend, threads, ticket, looked_at};
    if (std::exchange(measurement_, std::nullopt)) {
      update_performance([](Performance& performance) { performance.comparison.is_running = false; });
    }
    job_stop_.request_stop();
  }
  changed_.notify_all();
  return ticket;
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
  {
    const std::lock_guard lock(mutex_);
    pending_.reset();
    job_stop_.request_stop();
    last = std::exchange(latest_, {});
    latest_.finished_ticket = last.finished_ticket;
  }
  changed_.notify_all();
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
  if (!running_ || std::chrono::steady_clock::now() - start_ < worth_telling) return std::nullopt;
  return progress_.fraction();
}

bool Evaluator::wait(std::uint64_t ticket, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return latest_.finished_ticket >= ticket; });
}

std::shared_ptr<const Performance> Evaluator::performance() const {
  const std::lock_guard lock(mutex_);
  return performance_;
}

void Evaluator::update_performance(const std::function<void(Performance&)>& change) {
  Performance changed = *performance_;
  change(changed);
  performance_ = std::make_shared<const Performance>(std::move(changed));
}

// False when there is nothing to do but what is done while idle.
bool Evaluator::wait_for_job(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto has_job = [&] { return pending_ || measurement_; };
  if (wanted_peak(*performance_)) return changed_.wait_for(lock, stop, idle, has_job);
  return changed_.wait(lock, stop, has_job);
}

void Evaluator::run(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    const bool has_job = wait_for_job(lock, stop);
    if (stop.stop_requested()) return;
    job_stop_ = std::stop_source();
    const std::stop_token job_stop = job_stop_.get_token();
    if (!has_job) {
      const int threads = wanted_peak(*performance_).value();
      lock.unlock();
      measure_peak_of(threads, job_stop);
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
    lock.unlock();

    evaluate_job(job, job_stop);
  }
}

void Evaluator::measure_job(const Job& job, const std::stop_token& stop) {
  const auto tell = [&](const std::function<void(Comparison&)>& change) {
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
        const Computed computed = compute(job.config, {backend, job.threads, stop}, {}, engine_);
        const EvaluationRecord record = record_of(*computed.result, computed.summary_seconds, 0);
        tell([&](Comparison& comparison) { comparison.add(record); });
      }
    }
  } catch (const Cancelled&) {
    error = "Interrupted by a change of the document.";
  } catch (const Error& failure) {
    error = failure.what();
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory to evaluate once more beside the result that is shown.";
  }
  tell([&](Comparison& comparison) {
    comparison.is_running = false;
    comparison.error = error;
  });
  changed_.notify_all();
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
  changed_.notify_all();
  if (on_finished_) on_finished_();
}

// Beside a result of the same sizes, of which all else stays on the screen; any other is replaced.
void Evaluator::tell_head(const Job& job, Result head, const std::stop_token& stop) {
  auto told = std::make_shared<const Result>(std::move(head));
  const bool stands_beside = [&] {
    const std::lock_guard lock(mutex_);
    return latest_.result && !latest_.is_head_alone && have_same_sizes(latest_.result->config, job.config);
  }();
  std::shared_ptr<const Summaries> summaries;
  if (!stands_beside) {
    summaries = std::make_shared<const Summaries>(summarize(*told, {job.backend, job.threads, stop}, nullptr, nullptr));
  }
  {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) throw Cancelled{};
    ++latest_.told_heads;
    latest_.head_matrix = job.looked_at;
    if (stands_beside) {
      latest_.head = std::move(told);
    } else {
      latest_.is_head_alone = true;
      latest_.result = std::move(told);
      latest_.summaries = std::move(summaries);
      latest_.result_ticket = 0;
    }
  }
  if (on_finished_) on_finished_();
}

void Evaluator::evaluate_job(const Job& job, const std::stop_token& stop) {
  const Evaluation before = latest();
  const HeadFirst head_first = {job.looked_at, &head_engine_,
                                [&](Result head) { tell_head(job, std::move(head), stop); }};
  Computed computed;
  std::string error;
  std::string field;
  bool cancelled = false;
  try {
    computed = compute(job.config, {job.backend, job.threads, stop, &progress_}, before, engine_, &head_first);
  } catch (const Cancelled&) {
    cancelled = true;
  } catch (const Error& failure) {
    error = failure.what();
    field = failure.field;
  } catch (const std::bad_alloc&) {
    error =
        fmt::format("The {} bytes that this document needs could not be had: use fewer tokens, heads or batch entries.",
                    required_bytes(job.config, Squares::by_size));
  }
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
    if (!cancelled) {
      if (computed.result) {
        const EvaluationRecord record = record_of(*computed.result, computed.summary_seconds, job.ticket);
        update_performance([&](Performance& performance) { add(performance, record); });
        latest_.result = std::move(computed.result);
        latest_.summaries = std::move(computed.summaries);
        latest_.result_ticket = job.ticket;
        latest_.is_head_alone = false;
      } else if (latest_.is_head_alone) {  // of what failed: back to the last picture that worked
        const std::uint64_t told = latest_.told_heads;
        latest_ = before;
        latest_.told_heads = told;
      }
      latest_.head.reset();
      latest_.finished_ticket = job.ticket;
      latest_.error = std::move(error);
      latest_.error_field = std::move(field);
    }
  }
  changed_.notify_all();
  if (!cancelled && on_finished_) on_finished_();
}

}  // namespace attnscope
