#include "compute/performance.h"

#include <algorithm>
#include <chrono>

#include "core/operations.h"

namespace attnscope {
namespace {

constexpr double same_count = 1e-9;  // sums of the same counts, in another order
constexpr double near_peak = 0.9;    // closer than any evaluation comes to a peak that was measured undisturbed
constexpr double agreement = 0.95;   // of the best: undisturbed measurements differ by less than the rest
constexpr int most_measurements = 12;

// The best of the phases that multiply matrices, in operations a second.
double best_rate(const PhaseTimes& phases) {
  double best = 0;
  for (std::size_t i = 0; i < phases.seconds.size(); ++i) {
    if (phases.seconds[i] > 0) best = std::max(best, phases.operations[i] / phases.seconds[i]);
  }
  return best;
}

const Peak* find_peak(const Performance& performance, int threads) {
  const auto found = std::ranges::find(performance.peaks, threads, &Peak::threads);
  return found == performance.peaks.end() ? nullptr : &*found;
}

}  // namespace

Workload workload_of(const AttentionConfig& config) {
  return {.mechanism = config.mechanism,
          .batch_size = config.batch_size,
          .tokens = token_count(config),
          .heads = head_count(config),
          .d_in = input_features(config),
          .d_out = context_features(config),
          .mask = config.mask,
          .draws_inputs = std::holds_alternative<RandnInputs>(config.inputs),
          .drops = dropout_is_active(config),
          .dropout_kernel = config.dropout_kernel};
}

bool EvaluationRecord::is_whole() const { return phases.all_operations() >= (1 - same_count) * whole_operations; }

double EvaluationRecord::rate() const { return seconds > 0 ? phases.all_operations() / seconds : 0; }

EvaluationRecord record_of(const Result& result, std::uint64_t ticket) {
  return {.ticket = ticket,
          .workload = workload_of(result.config),
          .seconds = result.seconds,
          .phases = result.phases,
          .whole_operations = operation_count(result.config),
          .backend = result.backend,
          .threads = result.threads,
          .instruction_set = result.instruction_set,
          .is_by_kernels = result.rows != nullptr};
}

void BackendComparison::add(const EvaluationRecord& record) {
  seconds.at(static_cast<std::size_t>(record.backend)).push_back(record.seconds);
  if (record.backend == Backend::openmp) threads = record.threads;
}

std::optional<double> BackendComparison::median(Backend backend) const {
  const std::vector<double>& times = seconds.at(static_cast<std::size_t>(backend));
  if (times.empty()) return std::nullopt;
  return median_of(times);
}

std::optional<double> Performance::peak(int threads) const {
  const Peak* const found = find_peak(*this, threads);
  if (!found) return std::nullopt;
  return found->rate;
}

std::optional<double> Performance::fraction_of_peak(const EvaluationRecord& record, double rate) const {
  const std::optional<double> known = peak(record.threads);
  if (!known || rate <= 0 || rate > *known || best_rate(record.phases) > *known) return std::nullopt;
  return rate / *known;
}

const EvaluationRecord* Performance::newest_whole(const Workload& workload, Backend backend) const {
  const auto found = std::find_if(evaluations.rbegin(), evaluations.rend(), [&](const EvaluationRecord& record) {
    return record.backend == backend && record.workload == workload && record.is_whole();
  });
  return found == evaluations.rend() ? nullptr : &*found;
}

void add(Performance& performance, const EvaluationRecord& record) {
  std::vector<EvaluationRecord>& evaluations = performance.evaluations;
  if (evaluations.size() == max_records) evaluations.erase(evaluations.begin());
  evaluations.push_back(record);
}

void add_peak(Performance& performance, int threads, double rate) {
  auto found = std::ranges::find(performance.peaks, threads, &Peak::threads);
  if (found == performance.peaks.end()) found = performance.peaks.insert(found, Peak{.threads = threads});
  ++found->measured;
  if (rate >= agreement * found->rate) ++found->confirmed;
  if (rate * agreement > found->rate) found->confirmed = 1;  // what came before was disturbed
  found->rate = std::max(found->rate, rate);
}

std::optional<int> wanted_peak(const Performance& performance) {
  const EvaluationRecord* const record = performance.newest();
  if (!record) return std::nullopt;
  const Peak* const peak = find_peak(performance, record->threads);
  if (!peak) return record->threads;
  const bool is_doubtful = peak->confirmed < 2 || best_rate(record->phases) > near_peak * peak->rate;
  if (!is_doubtful || peak->measured >= most_measurements) return std::nullopt;
  return record->threads;
}

double median_of(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double measure_peak(const Execution& execution, const Kernels& set) {
  using Clock = std::chrono::steady_clock;
  constexpr std::ptrdiff_t rounds = 100'000;
  constexpr int probes = 5;  // the best counts: an interruption only ever makes one slower
  const auto threads = static_cast<std::size_t>(thread_count(execution));
  std::vector<float> sinks(threads);
  double best = 0;
  for (int probe = 0; probe < probes; ++probe) {
    std::vector<double> operations(threads);
    const auto start = Clock::now();
    for_each_block(execution, static_cast<Index>(threads), [&](Index thread) {
      const auto at = static_cast<std::size_t>(thread);
      operations[at] = set.probe_peak(rounds, &sinks[at]);
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    double total = 0;
    for (const double count : operations) total += count;
    best = std::max(best, total / seconds);
  }
  return best;
}

}  // namespace attnscope
