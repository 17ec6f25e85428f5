#pragma once

#include <cstdint>

namespace attnscope {

// How an animation plays.
struct Playback {
  double frames_per_second = 4;
  std::uint32_t times = 0;  // 0: without end
  bool operator==(const Playback&) const = default;
};
constexpr double slowest_playback = 0.1;  // frames per second
constexpr double fastest_playback = 50;   // viewers slow down what is faster

}  // namespace attnscope
