#pragma once

#include <algorithm>
#include <atomic>
#include <functional>

namespace attnscope {

// How far an evaluation has come, from its first draw to its last summary: written by whoever computes, read by whoever
// waits. The whole is cut into passes by the work that each is expected to take, in operations of a matrix product that
// would take as long (core/expected_work.h). The fraction never goes back.
class Progress {
public:
  // Begins anew: passes of so much work are to come.
  void expect(double work) {
    whole_ = work;
    begun_ = 0;
    from_ = to_ = 0;
    fraction_ = 0;
  }
  // The next pass, and so the end of the one before. By the thread that drives the evaluation.
  void begin(double work) {
    begun_ += work;
    from_ = to_;
    to_ = whole_ > 0 ? static_cast<float>(std::min(1.0, begun_ / whole_)) : 0;
    raise(from_);
  }
  // So much of the pass under way is done, 0 to 1. By any thread, in any order.
  void report(float share) { raise(from_ + (to_ - from_) * share); }

  float fraction() const { return fraction_; }  // of the whole, 0 to 1

  // Called wherever an evaluation asks whether it shall go on, by any thread. For tests: it may request the stop.
  std::function<void()> on_check;

private:
  void raise(float fraction) {
    float before = fraction_;
    while (before < fraction && !fraction_.compare_exchange_weak(before, fraction)) {
    }
  }

  std::atomic<float> fraction_ = 0;
  double whole_ = 0;
  double begun_ = 0;  // work of all passes up to the one under way
  float from_ = 0;    // part of the whole at which the pass under way begins
  float to_ = 0;
};

}  // namespace attnscope
