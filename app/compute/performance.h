#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// What decides how long a configuration takes: its sizes and ways, without its numbers.
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

// One evaluation that ended well, in numbers.
struct EvaluationRecord {
  std::uint64_t ticket = 0;  // of the document; 0 for a measurement
  Workload workload;
  double seconds = 0;           // evaluation and summaries: until there was something to show
  PhaseTimes phases;            // what they went to; the rest is what lies between phases
  double whole_operations = 0;  // of an evaluation that can reuse nothing
  Backend backend = Backend::serial;
  int threads = 1;
  std::string_view instruction_set;  // of the code that ran
  bool is_by_kernels = false;        // else by the readable functions, every stage as a tensor

  bool is_whole() const;           // nothing of an earlier evaluation was reused
  double forward_seconds() const;  // without the summaries: from the inputs to the output
  double rate() const;             // operations that were done for each of them; 0 for none
};
EvaluationRecord record_of(const Result& result, double summary_seconds, std::uint64_t ticket);

// Most operations a second that this machine was seen to do on so many threads; see core/peak.h.
struct Peak {
  int threads = 1;
  double rate = 0;
  int measured = 0;   // times
  int confirmed = 0;  // of them, those that came near to the best
};

// Serial against OpenMP: whole evaluations of one workload, by turns.
struct Comparison {
  Workload workload;
  std::array<std::vector<double>, 2> seconds;  // of each run, by Backend
  int threads = 0;                             // of OpenMP; 0 while nothing has run
  bool is_running = false;
  std::string error;  // why there are no more

  void add(const EvaluationRecord& record);
  std::optional<double> median(Backend backend) const;
};

// How long things took, for whoever wants to know.
struct Performance {
  std::vector<EvaluationRecord> evaluations;  // oldest first, at most max_records
  std::vector<Peak> peaks;                    // of kernels(), the instruction set that this process uses
  Comparison comparison;

  const EvaluationRecord* newest() const { return evaluations.empty() ? nullptr : &evaluations.back(); }
  std::optional<double> peak(int threads) const;
  // Part of the peak that an evaluation reached; nothing while the peak is not known, or was taken too low.
  std::optional<double> fraction_of_peak(const EvaluationRecord& record, double rate) const;
  // Newest whole evaluation of a workload by a backend.
  const EvaluationRecord* newest_whole(const Workload& workload, Backend backend) const;
};
constexpr std::size_t max_records = 120;

void add(Performance& performance, const EvaluationRecord& record);
void add_peak(Performance& performance, int threads, double rate);
// Threads whose peak is to be measured. What else runs at the moment only ever makes a measurement too low: it counts
// once a second one agrees, and until an evaluation comes too near to it to be true.
std::optional<int> wanted_peak(const Performance& performance);

double median_of(std::vector<double> numbers);  // 0 of none

}  // namespace attnscope
