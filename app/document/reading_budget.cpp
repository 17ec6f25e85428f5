#include "document/reading_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace attnscope {

ReadingBudget ReadingBudget::of_file(std::uint64_t bytes) {
  constexpr std::uint64_t steps_of_any = std::uint64_t{1} << 28;
  constexpr std::uint64_t bytes_of_any = std::uint64_t{1} << 26;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  return {steps_of_any + 16 * bytes, std::min(bytes_of_any + 8 * bytes, most_bytes), "This file takes"};
}

ReadingBudget ReadingBudget::of_text(std::uint64_t bytes) {
  constexpr std::uint64_t steps_of_any = 10'000'000;
  constexpr std::uint64_t steps_per_byte = 300;  // tokenizers of known models take fewer than 40
  constexpr std::uint64_t bytes_of_any = std::uint64_t{1} << 26;
  constexpr std::uint64_t bytes_per_byte = 512;
  return {steps_of_any + steps_per_byte * bytes, bytes_of_any + bytes_per_byte * bytes,
          "For this text the tokenizer takes"};
}

void ReadingBudget::look() {
  unwatched_ = 0;
  watch_(0);
}

void ReadingBudget::refuse(std::string_view what) const {
  throw Error(fmt::format("{} more {} than any that a tool writes.", who_, what));
}

}  // namespace attnscope
