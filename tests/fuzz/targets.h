#pragma once

#include <span>
#include <string_view>

namespace attnscope::fuzz {

// One reader of untrusted bytes. It ends the program when the reader does anything but read them, or refuse them with
// one sentence.
struct Target {
  std::string_view name;  // also of its folder of seeds
  void (*run)(std::string_view bytes);
};

std::span<const Target> targets();

}  // namespace attnscope::fuzz
