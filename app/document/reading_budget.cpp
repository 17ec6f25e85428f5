#include "document/reading_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace attnscope {

ReadingBudget ReadingBudget::of_file(std::uint64_t bytes, PartWatch watch) {
  constexpr std::uint64_t steps_of_any = std::uint64_t{1} << 28;
  constexpr std::uint64_t bytes_of_any = std::uint64_t{1} << 26;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  ReadingBudget budget(steps_of_any + 16 * bytes, std::min(bytes_of_any + 8 * bytes, most_bytes), "This file takes");
  budget.watch_ = std::move(watch);
  budget.size_ = std::max<std::uint64_t>(bytes, 1);
  if (budget.watch_) budget.look();
  return budget;
}

ReadingBudget ReadingBudget::of_text(std::uint64_t bytes) {
  constexpr std::uint64_t steps_of_any = 10'000'000;
  constexpr std::uint64_t steps_per_byte = 300;  // tokenizers of known models take fewer than 40
  constexpr std::uint64_t bytes_of_any = std::uint64_t{1} << 26;
  constexpr std::uint64_t bytes_per_byte = 512;
  return {steps_of_any + steps_per_byte * bytes, bytes_of_any + bytes_per_byte * bytes,
          "For this text the tokenizer takes"};
}

bool ReadingBudget::look() noexcept {
  constexpr std::uint64_t between_looks = std::uint64_t{1} << 16;  // steps, less than a millisecond
  next_look_ = steps_left_ - std::min(steps_left_, between_looks);
  try {
    if (watch_) watch_(std::min(1.0F, static_cast<float>(reached_) / static_cast<float>(size_)));
    return true;
  } catch (const Cancelled&) {
    is_cancelled_ = true;
    steps_left_ = 0;
    return false;
  }
}

void ReadingBudget::check_stop() const {
  if (is_cancelled_) throw Cancelled{};
}

void ReadingBudget::refuse(std::string_view what) const {
  check_stop();
  throw Error(fmt::format("{} more {} than any that a tool writes.", who_, what));
}

}  // namespace attnscope
