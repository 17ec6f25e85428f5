#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compute/performance.h"

namespace attnscope {

// Performance in words.

std::string format_rate(double operations_per_second);         // "216 GFLOP/s", "4.1 MFLOP/s"
std::string format_percent(double fraction);                   // "71 %", "0.4 %", "under 0.1 %"
std::string_view instruction_set_title(std::string_view set);  // "AVX-512" of "avx512"
std::string format_workers(const EvaluationRecord& record);    // "serial", "2 threads"
std::string format_workload(const Workload& workload);         // "2 × 1,024 tokens, 12 heads, 768 → 768"

// One evaluation in a line: its time, who computed it, and the rate if it computed anything. Where that is too long,
// what matters least is left out first; "" where not even the time fits.
std::string performance_line(const Performance& performance, const EvaluationRecord& record,
                             const std::function<bool(const std::string&)>& fits);
// Returns this in whole sentences.
std::string performance_details(const Performance& performance, const EvaluationRecord& record);

}  // namespace attnscope
