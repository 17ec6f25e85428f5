#pragma once

#include <chrono>
#include <stdexcept>
#include <thread>

namespace attnscope::test {

// Asks again and again until `is_done` returns true. Throws after five minutes, so that a test whose program never does
// what the test waits for fails, and does not hang.
template <typename Condition>
void wait_until(Condition is_done) {
  constexpr std::chrono::minutes patience(5);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_done()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("What the test waits for did not come.");
    std::this_thread::yield();
  }
}

}  // namespace attnscope::test
