#include "support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <utility>

namespace attnscope::test {

Execution serial() { return {.backend = Backend::serial, .threads = 1, .stop = {}}; }

Execution openmp(int threads) { return {.backend = Backend::openmp, .threads = threads, .stop = {}}; }

Tensor noise(std::vector<Index> shape, std::uint64_t seed) {
  Tensor tensor(std::move(shape));
  Generator generator(seed);
  fill_uniform(tensor.values, generator, -1.0F, 1.0F);
  return tensor;
}

Tensor journey_inputs() {
  return {{6, 3},
          {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F, 0.57F, 0.85F, 0.64F, 0.22F, 0.58F, 0.33F, 0.77F, 0.25F, 0.10F,
           0.05F, 0.80F, 0.55F}};
}

AttentionConfig config_of(Mechanism mechanism) {
  AttentionConfig config;
  config.inputs = journey_inputs();
  config.mechanism = mechanism;
  config.mask = info(mechanism).has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  config.scale = info(mechanism).scales_by_default;
  return config;
}

HiddenKeys random_mask(const MaskSize& size, unsigned seed) {
  std::mt19937 chooser(seed);
  const auto choose = [&](Index count) { return static_cast<Index>(chooser() % static_cast<unsigned>(count)); };
  std::vector<std::vector<KeyRange>> queries(static_cast<std::size_t>(size.queries));
  for (std::vector<KeyRange>& ranges : queries) {
    if (choose(8) == 0) ranges.push_back({0, size.keys});
    for (Index count = choose(4); count > 0; --count) {
      const Index first = choose(size.keys);
      ranges.push_back({first, std::min(size.keys, first + 1 + choose(size.keys))});
    }
  }
  return HiddenKeys(std::move(queries));
}

void add(AttentionConfig& config, Index token, Index feature, float difference) {
  auto& inputs = std::get<SharedTensor>(config.inputs);
  inputs.set(token, feature, inputs.row(token)[static_cast<std::size_t>(feature)] + difference);
}

std::vector<AttentionConfig> varied_configs() {
  std::vector<AttentionConfig> configs;
  std::mt19937 chooser(11);
  const auto choose = [&](Index count) { return static_cast<Index>(chooser() % static_cast<unsigned>(count)); };
  for (int round = 0; round < 4; ++round) {
    for (const MechanismInfo& mechanism : mechanisms()) {
      AttentionConfig config = config_of(mechanism.mechanism);
      if (round > 0) config.mask = static_cast<MaskRoute>(round);
      config.scale = choose(3) > 0;
      config.batch_size = 1 + choose(2);
      config.num_heads = 1 + choose(3);
      config.d_out = config.num_heads * (1 + choose(3));
      config.qkv_bias = choose(2) == 0;
      config.dropout = std::array{0.0, 0.1, 0.5, 1.0}.at(static_cast<std::size_t>(choose(4)));
      config.dropout_kernel = static_cast<DropoutKernel>(choose(2));
      config.seed = static_cast<std::uint64_t>(choose(1000));
      if (choose(3) == 0) config.inputs = RandnInputs{.tokens = 1 + choose(7), .features = 1 + choose(5)};
      if (config.mask != MaskRoute::causal && choose(2) == 0) config.normalization = Normalization::sum;
      std::ranges::shuffle(config.weight_order, chooser);
      if (round % 2 == 1) {
        const Index last = token_count(config) - 1;
        config.heads_off = {config.num_heads - 1};
        config.dropout_edits = {{.query = last, .keeps = round == 1}};
        if (last > 0) config.dropout_edits.push_back({config.batch_size - 1, config.num_heads - 1, last, 1, round > 1});
      }
      configs.push_back(config);
    }
  }
  return configs;
}

std::string describe(const AttentionConfig& config) {
  return std::string(info(config.mechanism).id) + " T=" + std::to_string(token_count(config)) +
         " d_in=" + std::to_string(input_features(config)) + " d_out=" + std::to_string(config.d_out) +
         " heads=" + std::to_string(config.num_heads) + " batch=" + std::to_string(config.batch_size) +
         " mask=" + std::to_string(static_cast<int>(config.mask)) + " scale=" + std::to_string(config.scale) +
         " dropout=" + std::to_string(config.dropout) + " seed=" + std::to_string(config.seed);
}

testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double tolerance) {
  if (actual.shape != expected.shape) return testing::AssertionFailure() << "the shapes differ";
  double largest = 0;
  for (const float value : expected.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    const float got = actual.values[i];
    const float want = expected.values[i];
    const bool is_close = std::isfinite(want)
                              ? std::abs(static_cast<double>(got) - static_cast<double>(want)) <= tolerance * largest
                              : got == want || (std::isnan(got) && std::isnan(want));
    if (is_close) continue;
    return testing::AssertionFailure() << "element " << i << " is " << got << ", expected " << want
                                       << ", where the largest is " << largest;
  }
  return testing::AssertionSuccess();
}

Result evaluate_by(Way way, const AttentionConfig& config, const Execution& execution, const Result* previous,
                   Engine* engine) {
  return way == Way::readable ? evaluate_readable(config, execution, previous)
                              : evaluate_by_engine(config, execution, previous, engine);
}

testing::AssertionResult same_result(const Result& actual, const Result& expected) {
  if (!(actual.config == expected.config)) return testing::AssertionFailure() << "the configurations differ";
  if (!(*actual.parameters == *expected.parameters)) return testing::AssertionFailure() << "the parameters differ";
  if (!(actual.after_parameters == expected.after_parameters)) {
    return testing::AssertionFailure() << "the generators differ";
  }
  for (const StageInfo& stage : stages()) {
    const Tensor* left = actual.find(stage.stage);
    const Tensor* right = expected.find(stage.stage);
    if (!left != !right) return testing::AssertionFailure() << "only one has " << stage.id;
    if (!left) continue;
    const auto same = same_bits(*left, *right);
    if (!same) return testing::AssertionFailure() << stage.id << ": " << same.message();
  }
  return testing::AssertionSuccess();
}

}  // namespace attnscope::test
