#pragma once

// Numbers that random draws are made of, for the kernels and for those that call them. Constants only: a function here
// would be shared between instruction sets.

#include <cstddef>
#include <cstdint>

namespace attnscope {

// Intel MKL's MCG31m1: x' = congruential_multiplier * x mod congruential_modulus.
constexpr std::uint32_t congruential_modulus = (std::uint32_t{1} << 31) - 1;
constexpr std::uint32_t congruential_multiplier = 1132489760;

// MT19937: word n follows from the words n - 624, n - 623 and n - 227.
constexpr std::ptrdiff_t twister_words = 624;
constexpr std::ptrdiff_t twister_shift = 397;

constexpr std::ptrdiff_t word_bits = 64;  // of packed masks

}  // namespace attnscope
