#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "platform/system/file.h"

namespace attnscope {

// Bounds what a file may ask for while it is read, or a tokenizer while it encodes a text. Work is counted in steps
// instead of seconds, so that a file is read or refused alike on every machine: to pass over a byte is a step, and
// takes ten nanoseconds at most.
class ReadingBudget {
public:
  static ReadingBudget of_file(std::uint64_t bytes);
  static ReadingBudget of_text(std::uint64_t bytes);

  // From now on the watch is asked now and then while work is done.
  void set_watch(PartWatch watch) { watch_ = std::move(watch); }

  // Each throws Error if more is asked for than by any file, or any tokenizer, that a tool writes.
  void work(std::uint64_t steps) {
    if (!try_work(steps)) refuse("work");
    unwatched_ += steps;
    if (watch_ && unwatched_ >= steps_between_looks) look();
  }
  void hold(std::uint64_t bytes) {
    if (bytes > bytes_left_) refuse("memory");
    bytes_left_ -= bytes;
  }

  // For functions that a C library calls, which may not throw: returns whether there was so much left.
  bool try_work(std::uint64_t steps) noexcept {
    const bool is_left = steps <= steps_left_;
    steps_left_ -= is_left ? steps : steps_left_;
    return is_left;
  }

private:
  static constexpr std::uint64_t steps_between_looks = 1 << 12;

  ReadingBudget(std::uint64_t steps, std::uint64_t bytes, std::string_view who)
      : steps_left_(steps), bytes_left_(bytes), who_(who) {}
  [[noreturn]] void refuse(std::string_view what) const;
  void look();

  std::uint64_t steps_left_;
  std::uint64_t bytes_left_;
  std::string_view who_;
  PartWatch watch_;
  std::uint64_t unwatched_ = steps_between_looks;  // steps since the watch was asked
};

}  // namespace attnscope
