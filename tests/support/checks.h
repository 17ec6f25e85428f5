#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "core/error.h"
#include "core/tensor.h"

namespace attnscope::test {

// The Error that an action throws; a failure, and an empty one, when it throws none.
template <typename Action>
Error error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "an Error was expected, but there was none";
  return Error("");
}

// Equal shapes and equal numbers, bit for bit: 0 is not -0.
inline testing::AssertionResult same_bits(const Tensor& actual, const Tensor& expected) {
  if (actual.shape != expected.shape) return testing::AssertionFailure() << "the shapes differ";
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(actual.values[i]) == std::bit_cast<std::uint32_t>(expected.values[i])) continue;
    return testing::AssertionFailure() << "element " << i << " is " << actual.values[i] << ", expected "
                                       << expected.values[i];
  }
  return testing::AssertionSuccess();
}

}  // namespace attnscope::test
