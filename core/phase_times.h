#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace attnscope {

// The phases of an evaluation, in their order.
enum class Phase {
  inputs,
  parameters,
  dropout,
  weight_packing,
  projections,
  key_packing,
  attention,
  output,
  copies,
};
constexpr int phase_count = 9;

struct PhaseInfo {
  Phase phase;
  std::string_view title;
  std::string_view what;  // one sentence
};
std::span<const PhaseInfo> phases();
const PhaseInfo& info(Phase phase);

// The time that each phase of an evaluation took. Serial and parallel evaluations fill it by the same code: the clock
// is read when a phase begins and when it ends, never within.
struct PhaseTimes {
  std::array<double, phase_count> seconds{};  // wall time, by Phase
  // Floating-point operations of matrix products that were really done, by Phase, counted as in core/operations.h.
  std::array<double, phase_count> operations{};

  double all_seconds() const;
  double all_operations() const;
};

// Returns what `work` returns, and adds its time and its operations to a phase.
template <typename Work>
auto in_phase(PhaseTimes& times, Phase phase, double operations, const Work& work) {
  struct Stopwatch {
    double& seconds;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Stopwatch() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
  };
  const auto at = static_cast<std::size_t>(phase);
  times.operations[at] += operations;
  const Stopwatch stopwatch{times.seconds[at]};
  return work();
}

}  // namespace attnscope
