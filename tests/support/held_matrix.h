#pragma once

#include "compute/pixels.h"

namespace attnscope::test {

// The source of a matrix that a tensor holds, perhaps with dropout factors; an empty one without a tensor.
inline ShownMatrix source_holding(TensorPtr values, TensorPtr factors = nullptr) {
  if (!values) return {};
  const auto result = std::make_shared<Result>();
  const bool drops = factors != nullptr;
  result->tensors[Stage::weights] = std::move(values);
  result->tensors[Stage::dropout_factors] = std::move(factors);
  return {.result = result, .stage = Stage::weights, .matrix = 0, .seen = {}, .measure = {}, .drops = drops};
}

// The same source with dropout factors.
inline ShownMatrix with_factors(const ShownMatrix& source, TensorPtr factors) {
  ShownMatrix dropped = source_holding(source.result->share(source.stage), std::move(factors));
  dropped.matrix = source.matrix;
  dropped.seen = source.seen;
  return dropped;
}

}  // namespace attnscope::test
