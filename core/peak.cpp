#include "core/peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace attnscope {

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
