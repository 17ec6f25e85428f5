#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace attnscope {

// Extremes and sum of the finite numbers of a row; low above high where there is none.
struct RowNumbers {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  double sum = 0;
};

// Floats are taken as integers that order as they do, and sums in several parts, as compilers vectorize these and not
// the least, the largest and the sum of floats.
inline RowNumbers numbers_of(std::span<const float> row) {
  constexpr std::int32_t exponent = 0x7F800000;
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
  constexpr std::size_t parts = 8;
  const auto ordered = [](std::int32_t bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); };
  std::int32_t low = highest;
  std::int32_t high = lowest;
  for (const float value : row) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    const bool is_finite = (bits & exponent) != exponent;
    const std::int32_t key = ordered(bits);
    low = std::min(low, is_finite ? key : highest);
    high = std::max(high, is_finite ? key : lowest);
  }
  const auto finite = [](float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return std::bit_cast<float>((bits & exponent) != exponent ? bits : 0);
  };
  double sums[parts] = {};
  std::size_t i = 0;
  for (; i + parts <= row.size(); i += parts) {
    for (std::size_t part = 0; part < parts; ++part) sums[part] += static_cast<double>(finite(row[i + part]));
  }
  RowNumbers numbers;
  for (const double sum : sums) numbers.sum += sum;
  for (; i < row.size(); ++i) numbers.sum += static_cast<double>(finite(row[i]));
  if (low <= high) {
    numbers.low = std::bit_cast<float>(ordered(low));
    numbers.high = std::bit_cast<float>(ordered(high));
  }
  return numbers;
}

}  // namespace attnscope
