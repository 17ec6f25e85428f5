#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/forward.h"
#include "core/random.h"

namespace attnscope::test {

inline TransformerShape small_shape(NormKind norm = NormKind::layer) {
  TransformerShape shape{.layers = 3,
                         .heads = 2,
                         .key_value_heads = 2,
                         .head_dim = 4,
                         .features = 8,
                         .hidden = 20,
                         .vocabulary = 30,
                         .context_length = 12};
  if (norm == NormKind::layer) {
    shape.has_qkv_bias = true;
    return shape;
  }
  shape.norm = NormKind::rms;
  shape.key_value_heads = 1;
  shape.activation = Activation::silu;
  shape.is_gated = true;
  shape.rope = Rope{.base = 100};
  return shape;
}

// A shape of each order of a layer's parts, with all that a family adds.
inline std::vector<TransformerShape> shapes_of_every_order() {
  TransformerShape parallel = small_shape();
  parallel.order = LayerOrder::side_by_side;
  TransformerShape last = small_shape();
  last.order = LayerOrder::norm_last;
  last.sees_later_tokens = last.has_embedding_norm = last.has_token_types = last.has_last_transform = true;
  TransformerShape around = small_shape(NormKind::rms);
  around.order = LayerOrder::norm_around;
  around.embedding_scale = 3;
  around.softcap = 2;
  around.logit_softcap = 3;
  around.sliding_window = 3;
  around.windowed_layers = {true, false, true};
  around.windowed_rope = Rope{.base = 30};
  return {small_shape(), small_shape(NormKind::rms), parallel, last, around};
}

// A model of reproducible random weights.
inline std::shared_ptr<const Transformer> small_model(const TransformerShape& shape = small_shape(), Index seed = 1) {
  Generator generator(static_cast<std::uint64_t>(seed));
  const auto noise = [&](std::vector<Index> sizes) {
    Tensor tensor(std::move(sizes));
    fill_uniform(tensor.values, generator, -0.5F, 0.5F, {});
    return tensor;
  };
  const auto linear = [&](Index in, Index out, bool has_bias) {
    Linear layer(in, out, has_bias);
    layer.put(noise({out, in}), 0, false);
    if (has_bias) layer.put_bias(noise({out}).values);
    return layer;
  };
  const auto norm = [&] {
    Norm made{noise({shape.features}), Tensor()};
    if (shape.norm == NormKind::layer) made.shift = noise({shape.features});
    return made;
  };
  auto model = std::make_shared<Transformer>();
  model->shape = shape;
  model->token_embeddings = linear(shape.features, shape.vocabulary, false);
  if (!shape.rope) model->position_embeddings = noise({shape.context_length, shape.features});
  ModelInputs inputs;
  inputs.model = model;
  for (Index number = 0; number < shape.layers; ++number) {
    TransformerLayer layer;
    layer.attention_norm = norm();
    auto attention = std::make_shared<Parameters>();
    for (ParameterShape& parameter : parameter_shapes(original_layer_config(inputs, number)))
      attention->push_back({parameter.name, noise(parameter.shape)});
    layer.attention = std::move(attention);
    layer.feed_forward_norm = norm();
    if (shape.order == LayerOrder::norm_around) {
      layer.attention_out_norm = norm();
      layer.feed_forward_out_norm = norm();
    }
    layer.up = linear(shape.features, shape.hidden, !shape.is_gated);
    if (shape.is_gated) layer.gate = linear(shape.features, shape.hidden, false);
    layer.down = linear(shape.hidden, shape.features, !shape.is_gated);
    model->layers.push_back(std::move(layer));
  }
  model->final_norm = norm();
  if (shape.has_embedding_norm) model->embedding_norm = norm();
  if (shape.has_token_types) model->token_type = noise({shape.features});
  if (shape.has_last_transform) {
    model->transform = linear(shape.features, shape.features, true);
    model->transform_norm = norm();
    model->head_bias = noise({shape.vocabulary});
  }
  return model;
}

// A layer of that model, reading eight tokens.
inline AttentionConfig small_layer(std::shared_ptr<const Transformer> model, Index layer) {
  ModelInputs inputs;
  inputs.model = std::move(model);
  inputs.tokens = {3, 1, 4, 1, 5, 9, 2, 6};
  inputs.layer = layer;
  return original_layer_config(inputs, layer);
}

}  // namespace attnscope::test
