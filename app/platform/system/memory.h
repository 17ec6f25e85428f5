#pragma once

#include <cstdint>

namespace attnscope {

std::uint64_t available_memory();  // bytes that can be taken without others suffering; UINT64_MAX where nobody knows
std::uint64_t peak_memory();       // bytes that this process held at most so far

}  // namespace attnscope
