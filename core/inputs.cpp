#include "core/inputs.h"

#include "core/model/forward.h"

#include <algorithm>
#include <vector>

namespace attnscope {

namespace {

void copy(float* to, const SharedTensor& from, const Execution& execution) {
  for_each_block(execution, from.block_count(),
                 [&](Index block) { std::ranges::copy(from.block(block), to + from.block_start(block)); });
}

void copy(float* to, const float* from, Index count, const Execution& execution) {
  constexpr Index piece = Index{1} << 20;
  for_each_piece(execution, count, piece,
                 [&](Index first, Index size) { std::copy_n(from + first, size, to + first); });
}

// Null where they are typed, or there are none.
const RandnInputs* drawn_inputs(const AttentionConfig& config) {
  return begins_with_heads(config) ? nullptr : std::get_if<RandnInputs>(&config.inputs);
}

}  // namespace

void fill_inputs(Tensor& inputs, const AttentionConfig& config, Generator& generator, const Execution& execution,
                 const ForwardPass* below) {
  const Index entry_size = inputs.size() / config.batch_size;
  float* const entry = inputs.values.data();
  if (const auto* const typed = std::get_if<SharedTensor>(&config.inputs)) {
    copy(entry, *typed, execution);
  } else if (const auto* const model = std::get_if<ModelInputs>(&config.inputs)) {
    const auto run = below ? nullptr : run_forward(*model, model->layer, nullptr, nullptr, execution);
    const Tensor normalized = attention_inputs(below ? *below : *run, model->layer, execution);
    copy(entry, normalized.values.data(), entry_size, execution);
  } else {
    fill_randn({entry, static_cast<std::size_t>(entry_size)}, generator, execution);
  }
  for (Index b = 1; b < config.batch_size; ++b) copy(entry + b * entry_size, entry, entry_size, execution);
}

std::uint64_t words_before_parameters(const AttentionConfig& config) {
  const RandnInputs* const drawn = drawn_inputs(config);
  return config.skip_draws + (drawn ? words_of_randn(drawn->tokens * drawn->features) : 0);
}

Generator generator_before_parameters(const AttentionConfig& config) {
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  const RandnInputs* const drawn = drawn_inputs(config);
  if (!drawn) return generator;
  const Index count = drawn->tokens * drawn->features;
  if (count < randn_block) {  // which leaves a number for the next one who asks
    std::vector<float> numbers(static_cast<std::size_t>(count));
    fill_randn(numbers, generator);
  } else {
    skip_words(generator, words_of_randn(count));
  }
  return generator;
}

}  // namespace attnscope
