#include "compute/evaluator.h"

#include <fmt/format.h>

#include <new>
#include <utility>

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds worth_telling{200};

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

std::uint64_t Evaluator::submit(AttentionConfig config, Backend backend, int threads) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++last_ticket_;
    pending_ = Job{std::move(config), backend, threads, ticket};
    job_stop_.request_stop();
  }
  changed_.notify_all();
  return ticket;
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
  return progress_.fraction.load();
}

bool Evaluator::wait(std::uint64_t ticket, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return latest_.finished_ticket >= ticket; });
}

void Evaluator::run(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return pending_.has_value(); })) return;
    const Job job = std::move(*pending_);
    pending_.reset();
    job_stop_ = std::stop_source();
    running_ = true;
    start_ = std::chrono::steady_clock::now();
    progress_.fraction = 0;
    const std::stop_token job_stop = job_stop_.get_token();
    lock.unlock();

    evaluate_job(job, job_stop);
  }
}

void Evaluator::evaluate_job(const Job& job, const std::stop_token& stop) {
  const Evaluation before = latest();
  std::shared_ptr<const Result> result;
  std::shared_ptr<const Summaries> summaries;
  std::string error;
  std::string field;
  bool cancelled = false;
  try {
    check(job.config);
    check_memory(job.config, available_memory(), Squares::by_size);
    const Execution execution{job.backend, job.threads, stop, &progress_};
    result = std::make_shared<const Result>(
        evaluate(job.config, execution, before.result.get(), Squares::by_size, &engine_));
    summaries =
        std::make_shared<const Summaries>(summarize(*result, execution, before.result.get(), before.summaries.get()));
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
      if (result) {
        latest_.result = std::move(result);
        latest_.summaries = std::move(summaries);
        latest_.result_ticket = job.ticket;
      }
      latest_.finished_ticket = job.ticket;
      latest_.error = std::move(error);
      latest_.error_field = std::move(field);
    }
  }
  changed_.notify_all();
  if (!cancelled && on_finished_) on_finished_();
}

}  // namespace attnscope
