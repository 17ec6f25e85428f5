#pragma once

#include <limits>

namespace attnscope {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace attnscope
