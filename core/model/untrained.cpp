#include "core/model/transformer.h"
#include "core/parameters.h"
#include "core/random.h"

#include <algorithm>

namespace attnscope {

namespace {

// Returns numbers between -bound and bound.
AlignedFloats uniform(Index count, float bound, Generator& generator) {
  AlignedFloats numbers(static_cast<std::size_t>(count));
  fill_uniform(numbers, generator, -bound, bound);
  return numbers;
}

// nn.Linear(in, out, bias)
Linear drawn_layer(const Linear& of, Generator& generator) {
  if (of.out() == 0) return {};
  Linear layer(of.in(), of.out(), of.has_bias());
  layer.put(Tensor({of.out(), of.in()}, uniform(of.out() * of.in(), linear_weight_bound(of.in()), generator)), 0,
            false);
  if (of.has_bias()) layer.put_bias(uniform(of.out(), linear_bias_bound(of.in()), generator));
  return layer;
}

// nn.Embedding(rows, d)
Tensor drawn_rows(const std::vector<Index>& shape, Generator& generator) {
  Tensor rows(shape);
  fill_randn(rows.values, generator);
  return rows;
}

Norm fresh(Norm norm) {
  std::ranges::fill(norm.scale.values, 1.0F);
  std::ranges::fill(norm.shift.values, 0.0F);
  return norm;
}

// Draws each projection as an nn.Linear. A bias of zeros stays: the family has none there.
std::shared_ptr<const Parameters> drawn_attention(const Parameters& of, Generator& generator) {
  auto drawn = std::make_shared<Parameters>();
  Index fan_in = 1;
  for (const Parameter& parameter : of) {
    Tensor tensor(parameter.tensor.shape);
    const bool is_gain = parameter.name.ends_with("_norm.weight");
    const bool is_weight = parameter.name.ends_with(".weight") && !is_gain;
    const bool is_absent = std::ranges::all_of(parameter.tensor.values, [](float number) { return number == 0; });
    if (is_weight) fan_in = tensor.cols();
    if (is_gain) {
      std::ranges::fill(tensor.values, 1.0F);
    } else if (is_weight || !is_absent) {
      tensor.values =
          uniform(tensor.size(), is_weight ? linear_weight_bound(fan_in) : linear_bias_bound(fan_in), generator);
    }
    drawn->push_back({parameter.name, std::move(tensor)});
  }
  return drawn;
}

}  // namespace

std::shared_ptr<const Transformer> untrained(const Transformer& trained, std::uint64_t seed) {
  Generator generator(seed);
  auto model = std::make_shared<Transformer>();
  model->shape = trained.shape;
  model->mask_token = trained.mask_token;
  model->drawn_by = seed;
  const Index words = trained.shape.vocabulary;
  const Index features = trained.shape.features;
  if (trained.is_tied()) {
    model->token_embeddings = drawn_layer(trained.token_embeddings, generator);
  } else {
    model->token_embeddings = Linear(features, words, false);
    model->token_embeddings.put(drawn_rows({words, features}, generator), 0, false);
  }
  if (!trained.position_embeddings.values.empty())
    model->position_embeddings = drawn_rows(trained.position_embeddings.shape, generator);
  if (!trained.token_type.values.empty()) model->token_type = drawn_rows(trained.token_type.shape, generator);
  model->embedding_norm = fresh(trained.embedding_norm);
  for (const TransformerLayer& of : trained.layers) {
    TransformerLayer layer;
    layer.attention_norm = fresh(of.attention_norm);
    layer.attention = drawn_attention(*of.attention, generator);
    layer.feed_forward_norm = fresh(of.feed_forward_norm);
    layer.attention_out_norm = fresh(of.attention_out_norm);
    layer.feed_forward_out_norm = fresh(of.feed_forward_out_norm);
    layer.up = drawn_layer(of.up, generator);
    layer.gate = drawn_layer(of.gate, generator);
    layer.down = drawn_layer(of.down, generator);
    model->layers.push_back(std::move(layer));
  }
  model->final_norm = fresh(trained.final_norm);
  model->transform = drawn_layer(trained.transform, generator);
  model->transform_norm = fresh(trained.transform_norm);
  model->head = drawn_layer(trained.head, generator);
  if (!trained.head_bias.values.empty()) model->head_bias = Tensor(trained.head_bias.shape);
  return model;
}

}  // namespace attnscope
