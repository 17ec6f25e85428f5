#pragma once

#include "core/evaluate.h"
#include "core/visibility.h"
#include "tests/support/checks.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace attnscope::test {

constexpr float infinity = std::numeric_limits<float>::infinity();

Execution serial();
Execution openmp(int threads);

// Reproducible numbers between -1 and 1.
Tensor noise(std::vector<Index> shape, std::uint64_t seed);

// The six tokens of "Your journey starts with one step".
Tensor journey_inputs();

// A configuration of the mechanism with its own defaults for mask and scaling, six tokens of three features.
AttentionConfig config_of(Mechanism mechanism);

// A mask: some rows see every key, some none, the others any.
HiddenKeys random_mask(const MaskSize& size, unsigned seed);

// Adds to one number of typed inputs.
void add(AttentionConfig& config, Index token, Index feature, float difference);

// Configurations that differ from each other in every setting; all six mechanisms, all mask routes, both kernels.
std::vector<AttentionConfig> varied_configs();

// A few words for messages: mechanism, sizes, mask route.
std::string describe(const AttentionConfig& config);

// Both ways to evaluate, whatever the size.
enum class Way { readable, engine };
constexpr Way both_ways[] = {Way::readable, Way::engine};
Result evaluate_by(Way way, const AttentionConfig& config, const Execution& execution, const Result* previous = nullptr,
                   Engine* engine = nullptr);

// Equal shapes; numbers that differ by no more than tolerance times the largest finite magnitude that is expected.
// Infinities and NaN must stand in the same places.
testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double tolerance);

// Both results have the same stages with the same bits, and the same parameters and generator.
testing::AssertionResult same_result(const Result& actual, const Result& expected);

}  // namespace attnscope::test
