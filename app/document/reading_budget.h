#pragma once

#include <cstdint>
#include <string_view>

#include "platform/system/file.h"

namespace attnscope {

// Bounds what a file may ask for while it is read, or a tokenizer while it encodes a text. Work is counted in steps
// instead of seconds, so that a file is read or refused alike on every machine: to pass over a byte is a step, and
// takes ten nanoseconds at most.
class ReadingBudget {
public:
  // The watch is asked again after some work, and hears how far the file has been read.
  static ReadingBudget of_file(std::uint64_t bytes, PartWatch watch = {});
  static ReadingBudget of_text(std::uint64_t bytes);

  // Each throws Error if a file or tokenizer asks for more than any that a tool writes.
  void work(std::uint64_t steps) {
    if (!try_work(steps)) refuse("work");
  }
  void hold(std::uint64_t bytes) {
    if (bytes > bytes_left_) refuse("memory");
    bytes_left_ -= bytes;
  }

  // For functions that a C library calls, which may not throw: returns whether there was so much left, and the watch
  // did not stop the work.
  bool try_work(std::uint64_t steps) noexcept {
    const bool is_left = steps <= steps_left_;
    steps_left_ -= is_left ? steps : steps_left_;
    return is_left && (steps_left_ >= next_look_ || look());
  }

  void check_stop() const;  // throws Cancelled if the watch stopped the work

  void reach(std::uint64_t byte) { reached_ = byte; }  // the place that reading has reached

private:
  ReadingBudget(std::uint64_t steps, std::uint64_t bytes, std::string_view who)
      : steps_left_(steps), bytes_left_(bytes), who_(who) {}
  bool look() noexcept;
  [[noreturn]] void refuse(std::string_view what) const;  // throws Cancelled if the watch stopped the work

  std::uint64_t steps_left_;
  std::uint64_t bytes_left_;
  std::string_view who_;
  PartWatch watch_;
  bool is_cancelled_ = false;
  std::uint64_t next_look_ = 0;  // the watch is asked when so many steps are left
  std::uint64_t reached_ = 0;
  std::uint64_t size_ = 1;  // size of the file
};

}  // namespace attnscope
