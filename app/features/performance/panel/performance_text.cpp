#include "features/performance/panel/performance_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/kernels/select.h"
#include "words/format.h"

namespace attnscope {
namespace {

// Three digits, as many as a measurement is worth.
std::string three_digits(double number) {
  if (number >= 99.95) return fmt::format("{:.0f}", number);
  return number >= 9.995 ? fmt::format("{:.1f}", number) : fmt::format("{:.2f}", number);
}

std::string format_count(double operations) {
  return operations >= 1e9 ? three_digits(operations / 1e9) + " billion" : three_digits(operations / 1e6) + " million";
}

struct Part {
  std::string text;
  int importance;  // the least is left out first
};

// In the order in which they are read.
std::vector<Part> line_parts(const Performance& performance, const EvaluationRecord& record) {
  std::vector<Part> parts = {{format_duration(record.seconds), 4},
                             {format_workers(record), 1},
                             {std::string(instruction_set_title(record.instruction_set)), 0}};
  if (!record.is_whole()) {
    parts.push_back({record.phases.all_operations() > 0 ? "only what changed" : "nothing to compute", 2});
    return parts;
  }
  parts.push_back({format_rate(record.rate()), 2});
  if (const std::optional<double> fraction = performance.fraction_of_peak(record, record.rate())) {
    parts.push_back({format_percent(*fraction) + " of peak", 3});
  }
  return parts;
}

std::string join(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? "" : " · ") + part.text;
  return line;
}

std::string peak_sentence(const Performance& performance, const EvaluationRecord& record) {
  const std::optional<double> peak = performance.peak(record.threads);
  if (!peak) return "This machine's peak is measured as soon as it is idle.";
  return fmt::format("This machine's measured peak is {} on {} thread{} with {}: multiply-adds in registers.",
                     format_rate(*peak), record.threads, record.threads == 1 ? "" : "s",
                     instruction_set_title(kernels().name));
}

std::string way_sentence(const EvaluationRecord& record) {
  return fmt::format("{}, {}{}", record.backend == Backend::serial ? "Serial" : "OpenMP on " + format_workers(record),
                     instruction_set_title(record.instruction_set),
                     record.is_by_kernels ? ": by the kernels, without a matrix of tokens by tokens."
                                          : ": every stage as a matrix of its own, one after the other.");
}

std::string time_sentence(const EvaluationRecord& record) {
  return fmt::format("From inputs to output in {}.", format_duration(record.seconds));
}

std::string operations_sentence(const EvaluationRecord& record) {
  const double done = record.phases.all_operations();
  if (record.is_whole()) {
    return fmt::format("{} operations of matrix products, the causal half where there is a mask: {}.",
                       format_count(done), format_rate(record.rate()));
  }
  if (done == 0) return "No matrix product had to be computed: all were cached.";
  return fmt::format("{} of {} operations had to be done; the rest was cached, so no rate is shown.",
                     format_count(done), format_count(record.whole_operations));
}

}  // namespace

std::string format_rate(double operations_per_second) {
  if (operations_per_second >= 1e8) return three_digits(operations_per_second / 1e9) + " GFLOP/s";
  return three_digits(operations_per_second / 1e6) + " MFLOP/s";
}

std::string format_percent(double fraction) {
  if (fraction >= 0.00995) return fmt::format("{:.0f} %", 100 * fraction);
  return fraction >= 0.001 ? fmt::format("{:.1f} %", 100 * fraction) : "under 0.1 %";
}

std::string_view instruction_set_title(std::string_view set) {
  if (set == "avx512") return "AVX-512";
  if (set == "avx2") return "AVX2";
  return set == "sse2" ? "SSE2" : "portable code";
}

std::string format_workers(const EvaluationRecord& record) {
  if (record.backend == Backend::serial) return "serial";
  return fmt::format("{} thread{}", record.threads, record.threads == 1 ? "" : "s");
}

std::string format_workload(const Workload& workload) {
  const auto integer = [](Index value) { return format_integer(static_cast<double>(value)); };
  const std::string batch = workload.batch_size > 1 ? integer(workload.batch_size) + " × " : "";
  return fmt::format("{}{} token{}, {} head{}, {} → {} dimensions", batch, integer(workload.tokens),
                     workload.tokens == 1 ? "" : "s", workload.heads, workload.heads == 1 ? "" : "s",
                     integer(workload.d_in), integer(workload.d_out));
}

std::string performance_line(const Performance& performance, const EvaluationRecord& record,
                             const std::function<bool(const std::string&)>& fits) {
  std::vector<Part> parts = line_parts(performance, record);
  while (!parts.empty() && !fits(join(parts))) parts.erase(std::ranges::min_element(parts, {}, &Part::importance));
  return join(parts);
}

std::string performance_details(const Performance& performance, const EvaluationRecord& record) {
  return fmt::format("{}\n\n{}.\n{}\n{}\n{}\n{}", join(line_parts(performance, record)),
                     format_workload(record.workload), way_sentence(record), time_sentence(record),
                     operations_sentence(record), peak_sentence(performance, record));
}

}  // namespace attnscope
