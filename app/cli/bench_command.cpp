#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <vector>

#include "compute/computation.h"
#include "core/evaluate.h"
#include "core/kernels/select.h"
#include "core/model/forward.h"
#include "core/model/transformer.h"
#include "document/json_value.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

struct BenchArguments {
  std::string document;  // empty: GPT-2's attention, two entries of 1024 tokens
  std::string threads;
  std::string repeat;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

constexpr double near_peak = 0.94;        // probes within 6 % of the best: the machine was not slowed down
constexpr double shortest_sample = 2e-3;  // seconds; shorter evaluations are repeated within a sample
constexpr int max_repeat = 10'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One measurement and what the processor could do just before and after it.
struct Sample {
  double seconds = 0;
  double peak = 0;  // the lower of both probes, operations a second
};

struct Measurements {
  std::vector<double>
      times;  // of the samples that count, in the order in which they were taken; of all where none does
  int accepted = 0;
  int rejected = 0;
  double peak = 0;  // best probe

  double median() const {
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};

// A sample counts when both its probes came near the best of all.
Measurements sift(const std::vector<Sample>& samples, double best_peak) {
  Measurements kept;
  kept.peak = best_peak;
  for (const Sample& sample : samples) {
    if (sample.peak >= near_peak * best_peak) kept.times.push_back(sample.seconds);
  }
  kept.accepted = static_cast<int>(kept.times.size());
  kept.rejected = static_cast<int>(samples.size()) - kept.accepted;
  if (kept.accepted == 0) std::ranges::transform(samples, std::back_inserter(kept.times), &Sample::seconds);
  return kept;
}

// Measures what the processor can do at the most: floating-point operations a second of fused multiply-adds in
// registers, on as many threads as the execution has. Takes about 15 ms; the clock and other programs decide what it
// finds.
double measure_peak(const Execution& execution) {
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
      operations[at] = kernels().probe_peak(rounds, &sinks[at]);
    });
    best = std::max(best, std::reduce(operations.begin(), operations.end()) / seconds_since(start));
  }
  return best;
}

class Bench {
public:
  Bench(std::function<void()> run, const Execution& execution) : execution_(execution), run_(std::move(run)) {
    run_once();  // warm: memory is there, threads are awake
    inner_ = runs_in(shortest_sample);
  }

  // Measures until `repeat` samples count, or four times as many were taken.
  Measurements measure(int repeat) {
    constexpr int most_attempts = 4;
    std::vector<Sample> samples;
    Measurements measured;
    double best_peak = 0;
    double before = measure_peak(execution_);
    for (int i = 0; i < most_attempts * repeat && measured.accepted < repeat; ++i) {
      const auto start = Clock::now();
      for (int k = 0; k < inner_; ++k) run_once();
      const double seconds = seconds_since(start) / inner_;
      const double after = measure_peak(execution_);
      best_peak = std::max({best_peak, before, after});
      samples.push_back({seconds, std::min(before, after)});
      before = after;
      measured = sift(samples, best_peak);
    }
    return measured;
  }

private:
  // Returns the runs that fit into a sample, at least one; counted, because the first ones take several times as long
  // as the others.
  int runs_in(double seconds) {
    int runs = 0;
    for (const auto start = Clock::now(); seconds_since(start) < seconds; ++runs) run_once();
    return runs;
  }

  void run_once() { run_(); }

  const Execution& execution_;
  std::function<void()> run_;
  int inner_ = 1;
};

AttentionConfig default_config() {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = 1024, .features = 768};
  config.batch_size = 2;
  config.d_out = 768;
  config.num_heads = 12;
  return config;
}

Json report_of(double operations, const Execution& execution, const Measurements& measured) {
  const double rate = operations / measured.median();
  return {{"times_s", measured.times},
          {"median_s", measured.median()},
          {"flops", operations},
          {"gflops", rate / 1e9},
          {"peak_gflops", measured.peak / 1e9},
          {"fraction_of_peak", rate / measured.peak},
          {"threads", thread_count(execution)},
          {"isa", kernels().name},
          {"backend", has_openmp && execution.backend == Backend::openmp ? "openmp" : "serial"},
          {"accepted", measured.accepted},
          {"rejected", measured.rejected},
          {"peak_rss_bytes", peak_memory()}};
}

std::string readable_time(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string sentence_of(const std::string& what, const Json& report) {
  return fmt::format(
      "{}: {} (median of {}, {} rejected)\n"
      "{:.1f} GFLOP/s, {:.0f} % of this processor's {:.0f} · {} · {} · {} thread{} · {:.0f} MB at the most\n",
      what, readable_time(report["median_s"].get<double>()), report["accepted"].get<int>(),
      report["rejected"].get<int>(), report["gflops"].get<double>(), 100 * report["fraction_of_peak"].get<double>(),
      report["peak_gflops"].get<double>(), report["isa"].get<std::string>(), report["backend"].get<std::string>(),
      report["threads"].get<int>(), report["threads"].get<int>() == 1 ? "" : "s",
      static_cast<double>(report["peak_rss_bytes"].get<std::uint64_t>()) / 1e6);
}

// A task to measure: its name, its operations, and one run of it.
struct Task {
  std::string what;
  double operations = 0;
  std::function<void()> run;
};

Task attention_task(const AttentionConfig& config, const Execution& execution) {
  const auto evaluations = std::make_shared<Repetition>(config, execution);
  return {fmt::format("{} tokens, {} heads of {}, batch {}", token_count(config), head_count(config),
                      head_features(config), config.batch_size),
          operation_count(config), [evaluations] { evaluations->run(); }};
}

// Returns the weights that a token is multiplied by: all but its position, which is added.
double multiplied_weights(const TransformerShape& shape) {
  const Index positions = shape.rope ? 0 : shape.features * shape.context_length;
  return static_cast<double>(weight_count(shape)) - static_cast<double>(positions);
}

// All layers of a trained model, and what it holds likely after each token.
Task model_task(const AttentionConfig& config, const Execution& execution) {
  const TransformerShape& shape = std::get<ModelInputs>(config.inputs).model->shape;
  const Index tokens = token_count(config);
  const double of_weights = 2 * static_cast<double>(tokens) * multiplied_weights(shape);
  const double of_scores = static_cast<double>(shape.layers) * (score_operations(config) + value_operations(config));
  return {fmt::format("{} tokens through {} layers of {} heads", tokens, shape.layers, shape.heads),
          of_weights + of_scores, [config, tokens, execution] {
            const auto pass = run_model(config, nullptr, execution);
            if (says_words(*pass->model)) logits(*pass, 0, tokens, execution);
          }};
}

void run_bench(const BenchArguments& arguments) {
  const Document document = arguments.document.empty()
                                ? Document{.tokens = {}, .query_tokens = {}, .config = default_config()}
                                : load_or_refuse(arguments.document);
  Execution execution;
  if (!arguments.threads.empty()) {
    execution.threads = parse_whole_number("--threads", arguments.threads, 1, max_threads);
  }
  if (execution.threads == 1) execution.backend = Backend::serial;
  const int repeat = arguments.repeat.empty() ? 15 : parse_whole_number("--repeat", arguments.repeat, 1, max_repeat);
  const Task task =
      document.is_whole_model ? model_task(document.config, execution) : attention_task(document.config, execution);
  Bench bench(task.run, execution);
  const Json report = report_of(task.operations, execution, bench.measure(repeat));
  write_standard_output(arguments.json ? json_text(report, 2) + "\n" : sentence_of(task.what, report));
}

}  // namespace

Subcommand add_bench(CLI::App& app) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* bench = app.add_subcommand(
      "bench",
      "Measure how long the window computes after an edit of all embeddings, compared with this processor's peak");
  bench->add_option("DOC", arguments->document, std::string(document_help) + " (default: GPT-2's attention)");
  bench->add_option("--threads", arguments->threads, "Threads, 1 to 256 (default: as many as the machine has)");
  bench->add_option("--repeat", arguments->repeat, "Number of accepted samples, 1 to 10000 (default: 15)");
  bench->add_flag("--json", arguments->json, "Print every number, as JSON");
  return {bench, [arguments] { run_bench(*arguments); }};
}

}  // namespace attnscope
