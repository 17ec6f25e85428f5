// How long random draws take in bulk: dropout masks of (B,H,T,T) weights and weights at the size of GPT-2. The same
// mask in PyTorch is torch.empty(B, H, T, T).bernoulli_(0.9).

#include <benchmark/benchmark.h>

#include "core/dropout.h"

namespace attnscope {
namespace {

constexpr Index elements = 2 * 12 * 1024 * 1024;

void count_elements(benchmark::State& state, Index count) { state.SetItemsProcessed(state.iterations() * count); }

DropoutKernel kernel_of(const benchmark::State& state) {
  return state.range(0) == 0 ? DropoutKernel::mkl : DropoutKernel::standard;
}

void WholeMask(benchmark::State& state) {
  std::vector<std::uint64_t> bits(words_of_bits(elements));
  Generator generator(123);
  const Execution execution{.threads = static_cast<int>(state.range(1)), .stop = {}};
  for (auto _ : state) {
    draw_dropout_bits(bits, elements, generator, 0.1, kernel_of(state), execution);
    benchmark::ClobberMemory();
  }
  count_elements(state, elements);
}
BENCHMARK(WholeMask)
    ->ArgNames({"standard", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Row by row as attention reads it, the construction of the mask included.
void RowsOfMask(benchmark::State& state) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = 1024, .features = 12};
  config.batch_size = 2;
  config.num_heads = 12;
  config.d_out = 12;
  config.dropout = 0.1;
  config.dropout_kernel = kernel_of(state);
  std::vector<std::uint64_t> bits(words_of_bits(1024));
  for (auto _ : state) {
    const DropoutMask mask(config, Generator(123), Execution{});
    for (Index matrix = 0; matrix < 24; ++matrix) {
      for (Index query = 0; query < 1024; ++query) DropoutRows(mask).read(bits, matrix, query, 0, 1024);
    }
    benchmark::DoNotOptimize(bits.data());
  }
  count_elements(state, elements);
}
BENCHMARK(RowsOfMask)->ArgName("standard")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// The readable path: a float for each weight.
void Factors(benchmark::State& state) {
  std::vector<float> factors(static_cast<std::size_t>(elements));
  Generator generator(123);
  for (auto _ : state) draw_dropout_factors(factors, generator, 0.1, kernel_of(state));
  count_elements(state, elements);
}
BENCHMARK(Factors)->ArgName("standard")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void Weights(benchmark::State& state) {
  std::vector<float> weights(4 * 768 * 768);
  Generator generator(123);
  for (auto _ : state) fill_uniform(weights, generator, -0.03F, 0.03F);
  count_elements(state, static_cast<Index>(weights.size()));
}
BENCHMARK(Weights)->Unit(benchmark::kMillisecond);

void SkippedDraws(benchmark::State& state) {
  Generator generator(123);
  for (auto _ : state) skip_words(generator, 1'000'000'000);
  count_elements(state, 1'000'000'000);
}
BENCHMARK(SkippedDraws)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attnscope

BENCHMARK_MAIN();
