// How long evaluations take, serial and parallel. Compare figures of one run only.

#include <benchmark/benchmark.h>

#include "core/dropout.h"
#include "core/evaluate.h"

namespace attnscope {
namespace {

AttentionConfig config_of(Index tokens, Index features, Index heads) {
  AttentionConfig config;
  config.inputs = RandnInputs{tokens, features};
  config.d_out = features;
  config.num_heads = heads;
  return config;
}

void evaluate_on(benchmark::State& state, Backend backend) {
  const AttentionConfig config = config_of(state.range(0), state.range(1), state.range(2));
  const Execution execution{.backend = backend, .threads = 0, .stop = {}};
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(config, execution));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({6, 3, 1})->Args({64, 64, 4})->Args({256, 256, 8})->Args({1024, 768, 12});
  bench->ArgNames({"T", "C", "H"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

void Serial(benchmark::State& state) { evaluate_on(state, Backend::serial); }
BENCHMARK(Serial)->Apply(sizes);

void OpenMp(benchmark::State& state) { evaluate_on(state, Backend::openmp); }
BENCHMARK(OpenMp)->Apply(sizes);

void DropoutMask(benchmark::State& state) {
  std::vector<float> factors(1 << 20);
  Generator generator(123);
  const auto kernel = static_cast<DropoutKernel>(state.range(0));
  for (auto _ : state) draw_dropout_factors(factors, generator, 0.5, kernel);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(factors.size()));
}
BENCHMARK(DropoutMask)->ArgName("kernel")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attnscope

BENCHMARK_MAIN();
