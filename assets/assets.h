#pragma once

#include <span>
#include <string_view>

namespace attnscope {

// One file of the assets folder, embedded into the program at build time.
struct Asset {
  std::string_view name;  // path within assets/: "shaders/heatmap.frag"
  std::string_view bytes;
};

std::span<const Asset> assets();
std::string_view asset(std::string_view name);  // asserts that it exists

}  // namespace attnscope
