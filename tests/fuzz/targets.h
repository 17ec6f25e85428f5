#pragma once

#include <ostream>
#include <span>
#include <string_view>

namespace attnscope::fuzz {

// How many readings of some bytes succeeded, and how many were refused with a sentence.
struct Readings {
  int taken = 0;
  int refused = 0;

  Readings& operator+=(const Readings& other) {
    taken += other.taken;
    refused += other.refused;
    return *this;
  }
};

// One reader of untrusted bytes. It ends the program when the reader does anything but read them, or refuse them with
// one sentence.
struct Target {
  std::string_view name;  // also of its folder of seeds
  Readings (*run)(std::string_view bytes);
};
inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }  // for GoogleTest

std::span<const Target> targets();

}  // namespace attnscope::fuzz
