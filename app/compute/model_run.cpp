#include "compute/model_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/model/words.h"
#include "core/random.h"

namespace attnscope {
namespace {

constexpr std::ptrdiff_t likeliest_count = 10;

NextWords next_words(const ForwardPass& pass, Index position, const Execution& execution) {
  NextWords next{.position = position};
  if (!says_words(*pass.model)) return next;
  const Tensor numbers = logits(pass, position, 1, execution);
  next.probabilities.assign(numbers.values.begin(), numbers.values.end());
  softmax(next.probabilities);
  next.likeliest.resize(next.probabilities.size());
  std::iota(next.likeliest.begin(), next.likeliest.end(), Index{0});
  const auto count = std::min<std::ptrdiff_t>(likeliest_count, std::ssize(next.likeliest));
  std::ranges::partial_sort(next.likeliest, next.likeliest.begin() + count, std::greater(),
                            [&](Index token) { return next.probabilities[static_cast<std::size_t>(token)]; });
  next.likeliest.resize(static_cast<std::size_t>(count));
  return next;
}

// Returns a tensor (1,T,d) as the inputs of a result without other stages, which pictures can show.
Computed as_inputs(const AttentionConfig& config, TensorPtr tensor) {
  Result result;
  result.config = config;
  result.tensors[Stage::inputs] = std::move(tensor);
  auto shared = std::make_shared<const Result>(std::move(result));
  return {shared, std::make_shared<const Summaries>(shared)};
}

// Keeps an earlier run's results of the same tensors, because their pictures are drawn already.
std::vector<Computed> pictures_of(const AttentionConfig& config, const std::vector<TensorPtr>& tensors,
                                  const std::vector<Computed>* previous) {
  std::vector<Computed> pictures;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool is_same = previous && (*previous)[i].result->share(Stage::inputs) == tensors[i];
    pictures.push_back(is_same ? (*previous)[i] : as_inputs(config, tensors[i]));
  }
  return pictures;
}

double log_probability(const ForwardPass& pass, Index position, Index token, const Execution& execution) {
  const Tensor numbers = logits(pass, position, 1, execution);
  const auto largest = static_cast<double>(*std::ranges::max_element(numbers.values));
  double sum = 0;
  for (const float number : numbers.values) sum += std::exp(static_cast<double>(number) - largest);
  return static_cast<double>(numbers.values[static_cast<std::size_t>(token)]) - largest - std::log(sum);
}

}  // namespace

std::shared_ptr<const ForwardPass> run_all_layers(const AttentionConfig& config, const ForwardPass* previous,
                                                  const Execution& execution) {
  const auto& inputs = std::get<ModelInputs>(config.inputs);
  check_free_memory(original_layer_config(inputs, inputs.model->shape.layers - 1));  // with all layers below it
  return run_model(config, previous, execution);
}

std::shared_ptr<const ModelRun> run_whole_model(const AttentionConfig& config, std::optional<Index> position,
                                                const ModelRun* previous, const Execution& execution) {
  auto run = std::make_shared<ModelRun>();
  run->config = config;
  run->pass = run_all_layers(config, previous ? previous->pass.get() : nullptr, execution);
  const bool is_same_model = previous && previous->pass->model == run->pass->model;
  for (std::size_t layer = 0; layer < run->pass->layers.size(); ++layer) {
    const std::shared_ptr<const Result>& result = run->pass->layers[layer];
    const bool is_same = is_same_model && previous->layers[layer].result == result;
    run->layers.push_back(is_same ? previous->layers[layer]
                                  : Computed{result, std::make_shared<const Summaries>(result)});
  }
  const AttentionConfig plain = unchanged(config);
  run->fed = pictures_of(plain, run->pass->fed, is_same_model ? &previous->fed : nullptr);
  run->residual = pictures_of(plain, run->pass->residual, is_same_model ? &previous->residual : nullptr);
  const Index last = std::ssize(run->pass->tokens) - 1;
  const Index usual = usual_position(*run->pass->model, run->pass->tokens);
  const Index at = std::clamp<Index>(position.value_or(usual), 0, last);
  run->next = next_words(*run->pass, at, execution);
  run->original_pass =
      is_changed(config) ? run_model(plain, previous ? previous->original_pass.get() : nullptr, execution) : run->pass;
  run->original = run->original_pass == run->pass ? run->next : next_words(*run->original_pass, at, execution);
  return run;
}

HeadRanking rank_heads(const ModelRun& run, Index token, const Execution& execution) {
  const ForwardPass& pass = *run.pass;
  const Index heads = run.config.num_heads;
  HeadRanking ranking{.position = run.next.position, .token = token, .heads = heads, .falls = {}};
  const double with_all = log_probability(pass, ranking.position, token, execution);
  for (Index layer = 0; layer < pass.layer_count(); ++layer) {
    for (Index head = 0; head < heads; ++head) {
      AttentionConfig without = pass.configs[static_cast<std::size_t>(layer)];
      auto changed = std::make_shared<ChangedLayers>();
      for (Index other = 0; other < pass.layer_count(); ++other) {
        if (other != layer) changed->emplace(other, pass.configs[static_cast<std::size_t>(other)]);
      }
      std::get<ModelInputs>(without.inputs).changed = std::move(changed);
      const auto place = std::ranges::lower_bound(without.heads_off, head);
      if (place == without.heads_off.end() || *place != head) without.heads_off.insert(place, head);
      const double fall =
          with_all - log_probability(*run_model(without, &pass, execution), ranking.position, token, execution);
      ranking.falls.push_back(static_cast<float>(fall));
      if (execution.progress) {
        execution.progress->report(static_cast<float>(ranking.falls.size()) /
                                   static_cast<float>(pass.layer_count() * heads));
      }
    }
  }
  return ranking;
}

Index draw_token(const NextWords& next, double temperature, std::uint64_t seed) {
  std::vector<double> shares;
  for (const float probability : next.probabilities)
    shares.push_back(std::pow(static_cast<double>(probability), 1 / temperature));
  double left = std::accumulate(shares.begin(), shares.end(), 0.0);
  Generator generator(seed);
  std::array<float, 1> drawn{};
  skip_words(generator, static_cast<std::uint64_t>(next.position));
  fill_uniform(drawn, generator, 0, 1, {});
  left *= static_cast<double>(drawn[0]);
  for (std::size_t token = 0; token < shares.size(); ++token) {
    left -= shares[token];
    if (left < 0) return static_cast<Index>(token);
  }
  return next.likeliest.front();
}

}  // namespace attnscope
