#include "core/inputs.h"

#include <algorithm>

namespace attnscope {

namespace {

void copy(float* to, const float* from, Index count, const Execution& execution) {
  constexpr Index piece = Index{1} << 20;
  for_each_piece(execution, count, piece,
                 [&](Index first, Index size) { std::copy_n(from + first, size, to + first); });
}

}  // namespace

void fill_inputs(Tensor& inputs, const AttentionConfig& config, Generator& generator, const Execution& execution) {
  const Index entry_size = inputs.size() / config.batch_size;
  float* const entry = inputs.values.data();
  if (const Tensor* typed = std::get_if<Tensor>(&config.inputs)) {
    copy(entry, typed->values.data(), entry_size, execution);
  } else {
    fill_randn({entry, static_cast<std::size_t>(entry_size)}, generator, execution);
  }
  for (Index b = 1; b < config.batch_size; ++b) copy(entry + b * entry_size, entry, entry_size, execution);
}

}  // namespace attnscope
