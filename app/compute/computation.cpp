#include "compute/computation.h"

#include <utility>

#include "platform/system/process.h"

namespace attnscope {
namespace {

constexpr std::uint64_t always_free = 32ULL << 20;  // bytes: to ask the system takes longer than to use so few

// The document with typed embeddings: those that it has, or all of them others.
AttentionConfig with_typed_inputs(const Result& result, bool are_changed) {
  AttentionConfig config = result.config;
  if (begins_with_heads(config)) return config;
  const Tensor& drawn = *result.find(Stage::inputs);
  Tensor typed({drawn.rows(), drawn.cols()});
  for (std::size_t i = 0; i < typed.values.size(); ++i) {
    const float value = drawn.values[i];  // of the first batch entry, which the others are copies of
    typed.values[i] = are_changed ? (value == 0 ? 1.0F : -value) : value;
  }
  config.inputs = std::move(typed);
  return config;
}

}  // namespace

void check_free_memory(const AttentionConfig& config) {
  if (required_bytes(config) > always_free) check_memory(config, available_memory());
}

Computed compute(const AttentionConfig& config, const Execution& execution, const Computed& before, Engine* engine,
                 const HeadFirst* head_first) {
  check_free_memory(config);
  Computed computed;
  computed.result =
      std::make_shared<const Result>(evaluate(config, execution, before.result.get(), engine, head_first));
  computed.summaries = std::make_shared<const Summaries>(computed.result, before.summaries.get());
  return computed;
}

Repetition::Repetition(const AttentionConfig& config, const Execution& execution) : execution_(execution) {
  const Computed drawn = compute(config, execution);
  versions_ = {with_typed_inputs(*drawn.result, false), with_typed_inputs(*drawn.result, true)};
  run();
}

void Repetition::run() {
  latest_ = compute(versions_.at(next_), execution_, latest_, &engine_);
  next_ = 1 - next_;
}

}  // namespace attnscope
