#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "core/kernels/select.h"

namespace attnscope {

// The sizes and settings that decide how long an evaluation takes; no numbers.
struct Workload {
  Mechanism mechanism = Mechanism::multi_head_attention;
  Index batch_size = 1;
  Index tokens = 1;
  Index heads = 1;
  Index d_in = 1;
  Index d_out = 1;
  MaskRoute mask = MaskRoute::none;
  bool draws_inputs = false;
  bool drops = false;
  DropoutKernel dropout_kernel = DropoutKernel::mkl;

  bool operator==(const Workload&) const = default;
};
Workload workload_of(const AttentionConfig& config);

// How long one successful evaluation took.
struct EvaluationRecord {
  std::uint64_t ticket = 0;  // of the document; 0 for a measurement
  Workload workload;
  double seconds = 0;           // from the check of the document to the result
  PhaseTimes phases;            // what they went to; the rest is what lies between phases
  double whole_operations = 0;  // of an evaluation that can reuse nothing
  Backend backend = Backend::serial;
  int threads = 1;
  std::string_view instruction_set;  // of the code that ran
  bool is_by_kernels = false;        // else by the readable functions, every stage as a tensor

  bool is_whole() const;  // nothing of an earlier evaluation was reused
  double rate() const;    // operations that were done for each of them; 0 for none
};
EvaluationRecord record_of(const Result& result, std::uint64_t ticket);

// The highest rate, in operations per second, measured on this machine with this number of threads; see measure_peak().
struct Peak {
  int threads = 1;
  double rate = 0;
  int measured = 0;   // how often
  int confirmed = 0;  // how many of these came near to the best
};

// Serial against OpenMP: whole evaluations of one workload, by turns.
struct BackendComparison {
  Workload workload;
  std::array<std::vector<double>, 2> seconds;  // of each run, by Backend
  int threads = 0;                             // of OpenMP; 0 while nothing has run
  bool is_running = false;
  std::string error;  // why there are no more

  void add(const EvaluationRecord& record);
  std::optional<double> median(Backend backend) const;
};

// How long evaluations took: what the Performance panel shows.
struct Performance {
  std::vector<EvaluationRecord> evaluations;  // oldest first, at most max_records
  std::vector<Peak> peaks;                    // of kernels(), the instruction set that this process uses
  BackendComparison comparison;

  const EvaluationRecord* newest() const { return evaluations.empty() ? nullptr : &evaluations.back(); }
  std::optional<double> peak(int threads) const;
  // The share of the peak that an evaluation reached; nothing while the peak is unknown or was measured too low.
  std::optional<double> fraction_of_peak(const EvaluationRecord& record, double rate) const;
  // Newest whole evaluation of a workload by a backend.
  const EvaluationRecord* newest_whole(const Workload& workload, Backend backend) const;
};
constexpr std::size_t max_records = 120;

void add(Performance& performance, const EvaluationRecord& record);
void add_peak(Performance& performance, int threads, double rate);
// The number of threads whose peak should be measured next. Other programs can only make a measurement too low, so a
// peak counts once a second measurement agrees with it, and no longer once an evaluation comes implausibly close to it.
std::optional<int> wanted_peak(const Performance& performance);

double median_of(std::vector<double> numbers);  // 0 of none

// Measures the peak of the processor: floating-point operations a second of fused multiply-adds in registers, on as
// many threads as the execution has. Takes about 15 ms; the clock and other programs decide what it finds.
double measure_peak(const Execution& execution, const Kernels& set = kernels());

}  // namespace attnscope
