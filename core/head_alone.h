#pragma once

#include "core/evaluate.h"

#include <functional>

namespace attnscope {

// One head of a result, for whoever looks at it and cannot wait for all the others: a result of its own, of causal
// attention with this head's weights, whose only matrix has the same bits as matrix `matrix` (b * H + h) of the whole
// for every stage from queries to dropped weights; of the others it has the inputs. `whole` has its configuration,
// inputs, parameters and dropout mask. Throws Cancelled.
Result head_alone(const Result& whole, Index matrix, const Execution& execution, Engine& engine);

// Whether a configuration has heads that can be told apart, and so one that can come first.
bool has_several_matrices(const AttentionConfig& config);

// What is told of an evaluation under way that keeps no squares.
struct HeadFirst {
  Index matrix = 0;                  // computed before the rest; clamped to those that there are
  Engine* engine = nullptr;          // computes it; another one than the evaluation's, which keeps its packed weights
  std::function<void(Result)> tell;  // called by the thread that evaluates
};

}  // namespace attnscope
