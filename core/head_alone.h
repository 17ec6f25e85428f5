#pragma once

#include "core/evaluate.h"

#include <functional>

namespace attnscope {

// One head of a result, for whoever looks at it and cannot wait for all the others: a result of its own, of causal
// attention with this head's weights, whose only matrix has the same bits as matrix `matrix` (b * H + h) of the whole
// for every stage from queries to dropped weights; of the others it has the inputs. `whole` has its configuration,
// inputs, parameters and dropout mask. Throws Cancelled.
Result head_alone(const Result& whole, Index matrix, const Execution& execution, Engine& engine);

// Whether a configuration has heads of which one can come first.
bool has_several_matrices(const AttentionConfig& config);

// One head that an evaluation by the engine publishes before it begins the others.
struct HeadFirst {
  Index matrix = 0;          // computed before the rest; clamped to those that there are
  Engine* engine = nullptr;  // computes it; another one than the evaluation's, which keeps its packed weights
  std::function<void(Result)> publish;  // called by the thread that evaluates
};

}  // namespace attnscope
