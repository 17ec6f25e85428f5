#include "core/model/forward.h"

#include "core/dropout.h"
#include "core/engine.h"
#include "core/error.h"
#include "core/model/transformer.h"
#include "core/rope.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

namespace attnscope {

namespace {

Tensor tensor_of(Index tokens, Index width) { return Tensor({1, tokens, width}); }

// Returns the layer alone, for comparisons: the layers below it are compared on their own.
AttentionConfig without_others(AttentionConfig config) {
  std::get<ModelInputs>(config.inputs).changed = nullptr;
  return config;
}

AttentionConfig config_of_layer(const ModelInputs& inputs, Index layer, const AttentionConfig* own) {
  AttentionConfig config = own && layer == inputs.layer ? *own : layer_config(inputs, layer);
  ModelInputs of_layer = inputs;
  of_layer.layer = layer;
  config.inputs = std::move(of_layer);
  return without_others(std::move(config));
}

// Evaluates the attention of a layer by the engine; no weights are drawn.
std::shared_ptr<const Result> attend(const AttentionConfig& config, Tensor inputs, Engine& engine,
                                     const Execution& execution) {
  Result result;
  result.config = config;
  result.tensors[Stage::inputs] = std::make_shared<const Tensor>(std::move(inputs));
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  result.after_parameters = generator;
  const auto& layer = std::get<ModelInputs>(config.inputs);
  const auto& trained = layer.model->layers[static_cast<std::size_t>(layer.layer)].attention;
  const bool has_more = has_qk_norm(config) && !layer.model->shape.has_qk_norm;  // gains of 1
  const bool is_original = config.weight_overrides.empty() && !has_more;
  result.parameters =
      is_original ? trained : std::make_shared<const Parameters>(draw_parameters(config, generator, execution));
  for (const StageInfo& stage : stages()) {
    if (is_parameter(stage.axes) && has_stage(config, stage.stage))
      result.tensors[stage.stage] = parameter_matrices(config, result.parameters, stage.stage);
  }
  if (dropout_is_active(config)) {
    const Generator dropping = dropout_generator(config, result.after_parameters);
    result.dropout = std::make_shared<const DropoutMask>(config, dropping, execution);
  }
  engine.run(result, execution, {.has_weights_once = true});
  return std::make_shared<const Result>(std::move(result));
}

// Shares the layers of an earlier pass over the same text, up to the first layer that differs.
ForwardPass begin(const ModelInputs& inputs, Index layers, const AttentionConfig* own, const ForwardPass* previous) {
  ForwardPass pass;
  pass.model = inputs.model;
  pass.tokens = inputs.tokens;
  const bool is_same_text = previous && previous->model == inputs.model && previous->tokens == inputs.tokens;
  if (!is_same_text) return pass;
  pass.residual.push_back(previous->residual.front());
  for (Index layer = 0; layer < std::min(layers, previous->layer_count()); ++layer) {
    const auto place = static_cast<std::size_t>(layer);
    if (config_of_layer(inputs, layer, own) != previous->configs[place]) break;
    pass.configs.push_back(previous->configs[place]);
    pass.layers.push_back(previous->layers[place]);
    pass.added.push_back(previous->added[place]);
    pass.attended.push_back(previous->attended[place]);
    pass.fed.push_back(previous->fed[place]);
    pass.residual.push_back(previous->residual[place + 1]);
  }
  return pass;
}

void run_layer(ForwardPass& pass, AttentionConfig config, Engine& engine, const Execution& execution) {
  const TransformerShape& shape = pass.model->shape;
  const Index number = pass.layer_count();
  const TransformerLayer& layer = pass.model->layers[static_cast<std::size_t>(number)];
  const TensorPtr before = pass.residual.back();
  std::shared_ptr<const Result> attention =
      attend(config, attention_inputs(pass, number, execution), engine, execution);
  const auto normalized = [&](const Tensor& x, const Norm& norm) {
    auto result = std::make_shared<Tensor>(x.shape);
    normalize(*result, x, norm, shape, execution);
    return result;
  };
  const auto sum = [&](const Tensor& a, const Tensor& b) {
    auto result = std::make_shared<Tensor>(a.shape);
    add(*result, a, b, execution);
    return result;
  };
  const auto fed_with = [&](const Tensor& x) {
    auto result = std::make_shared<Tensor>(x.shape);
    feed_forward(*result, x, layer, shape, execution);
    return result;
  };
  TensorPtr added = attention->share(Stage::output);
  if (shape.order == LayerOrder::norm_around) added = normalized(*added, layer.attention_out_norm);
  TensorPtr attended = sum(*before, *added);
  TensorPtr fed;
  TensorPtr after;
  switch (shape.order) {
    case LayerOrder::norm_first:
      fed = fed_with(*normalized(*attended, layer.feed_forward_norm));
      after = sum(*attended, *fed);
      break;
    case LayerOrder::side_by_side:
      fed = fed_with(*normalized(*before, layer.feed_forward_norm));
      after = sum(*attended, *fed);
      break;
    case LayerOrder::norm_last:
      attended = normalized(*attended, layer.attention_norm);
      fed = fed_with(*attended);
      after = normalized(*sum(*attended, *fed), layer.feed_forward_norm);
      break;
    case LayerOrder::norm_around:
      fed = fed_with(*normalized(*attended, layer.feed_forward_norm));
      fed = normalized(*fed, layer.feed_forward_out_norm);
      after = sum(*attended, *fed);
      break;
  }
  pass.configs.push_back(std::move(config));
  pass.layers.push_back(std::move(attention));
  pass.added.push_back(std::move(added));
  pass.attended.push_back(std::move(attended));
  pass.fed.push_back(std::move(fed));
  pass.residual.push_back(std::move(after));
}

}  // namespace

bool operator==(const ModelInputs& left, const ModelInputs& right) {
  static const ChangedLayers none;
  const ChangedLayers& changed = left.changed ? *left.changed : none;
  const ChangedLayers& other = right.changed ? *right.changed : none;
  return left.model == right.model && left.layer == right.layer && left.tokens == right.tokens &&
         (left.changed == right.changed || changed == other);
}

AttentionConfig original_layer_config(const ModelInputs& inputs, Index layer) {
  const TransformerShape& shape = inputs.model->shape;
  AttentionConfig config;
  ModelInputs of_layer = inputs;
  of_layer.layer = layer;
  config.inputs = std::move(of_layer);
  config.mechanism = Mechanism::multi_head_attention;
  config.d_out = shape.heads * shape.head_dim;
  config.num_heads = shape.heads;
  if (shape.key_value_heads != shape.heads) config.num_kv_heads = shape.key_value_heads;
  config.qkv_bias = shape.has_qkv_bias;
  config.qk_norm = shape.has_qk_norm ? QkNorm::rms : QkNorm::none;
  config.rope = shape.rope_of(layer);
  config.mask = shape.sees_later_tokens ? MaskRoute::none : MaskRoute::causal;
  config.scale_factor = shape.score_scale;
  config.softcap = shape.softcap;
  config.sliding_window = shape.window_of(layer);
  return config;
}

AttentionConfig layer_config(const ModelInputs& inputs, Index layer) {
  if (inputs.changed) {
    const auto found = inputs.changed->find(layer);
    if (found != inputs.changed->end()) return found->second;
  }
  return original_layer_config(inputs, layer);
}

AttentionConfig unchanged(const AttentionConfig& config) {
  ModelInputs inputs = std::get<ModelInputs>(config.inputs);
  inputs.changed = nullptr;
  return original_layer_config(inputs, inputs.layer);
}

bool is_changed(const AttentionConfig& config) { return config != unchanged(config); }

std::shared_ptr<const ForwardPass> run_forward(const ModelInputs& inputs, Index layers, const AttentionConfig* own,
                                               const ForwardPass* previous, const Execution& execution) {
  assert(layers <= inputs.model->shape.layers && "layers of the model");
  ForwardPass pass = begin(inputs, layers, own, previous);
  if (pass.residual.empty()) {
    auto embeddings = std::make_shared<Tensor>(tensor_of(std::ssize(inputs.tokens), inputs.model->shape.features));
    embed(*embeddings, *inputs.model, inputs.tokens, execution);
    pass.residual.push_back(std::move(embeddings));
  }
  Engine engine;
  while (pass.layer_count() < layers)
    run_layer(pass, config_of_layer(inputs, pass.layer_count(), own), engine, execution);
  return std::make_shared<const ForwardPass>(std::move(pass));
}

std::shared_ptr<const ForwardPass> run_model(const AttentionConfig& config, const ForwardPass* previous,
                                             const Execution& execution) {
  const auto& inputs = std::get<ModelInputs>(config.inputs);
  return run_forward(inputs, inputs.model->shape.layers, &config, previous, execution);
}

Tensor attention_inputs(const ForwardPass& pass, Index layer, const Execution& execution) {
  const auto place = static_cast<std::size_t>(layer);
  const Tensor& before = *pass.residual[place];
  if (pass.model->shape.order == LayerOrder::norm_last) return before;
  Tensor normalized(before.shape);
  normalize(normalized, before, pass.model->layers[place].attention_norm, pass.model->shape, execution);
  return normalized;
}

namespace {

// Returns the norm that made the inputs of the next layer.
const Norm& norm_of_inputs(const ForwardPass& below) {
  const Transformer& model = *below.model;
  const auto count = static_cast<std::size_t>(below.layer_count());
  if (model.shape.order != LayerOrder::norm_last) return model.layers[count].attention_norm;
  return count == 0 ? model.embedding_norm : model.layers[count - 1].feed_forward_norm;
}

// Returns one token's row of what that norm read.
AlignedFloats normalized_row(const ForwardPass& below, Index token) {
  const Transformer& model = *below.model;
  const auto copied = [token](const Tensor& tensor) {
    const std::span<const float> row = tensor.matrix().row(token);
    return AlignedFloats(row.begin(), row.end());
  };
  if (model.shape.order != LayerOrder::norm_last) return copied(*below.residual.back());
  if (below.layer_count() > 0) {
    AlignedFloats row = copied(*below.attended.back());
    const std::span<const float> fed = below.fed.back()->matrix().row(token);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += fed[i];
    return row;
  }
  AlignedFloats row(static_cast<std::size_t>(model.shape.features));
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    row[i] = model.token_embeddings.weight(below.tokens[static_cast<std::size_t>(token)], feature) +
             model.position_embeddings.matrix()(token, feature) +
             (model.shape.has_token_types ? model.token_type.values[i] : 0.0F);
  }
  return row;
}

}  // namespace

NormalizedNumber normalized_number(const ForwardPass& below, Index token, Index feature) {
  const TransformerShape& shape = below.model->shape;
  const auto at = [&](const Tensor& tensor) { return static_cast<double>(tensor.matrix()(token, feature)); };
  const Norm& norm = norm_of_inputs(below);
  const auto place = static_cast<std::size_t>(feature);
  const AlignedFloats row = normalized_row(below, token);
  const auto [mean, factor] = scaling_of(row, shape);
  NormalizedNumber number{.x = static_cast<double>(row[place]),
                          .mean = mean,
                          .deviation = 1 / factor,
                          .scale = static_cast<double>(norm.scale.values[place]),
                          .shift = norm.shift.values.empty() ? 0 : static_cast<double>(norm.shift.values[place])};
  const Index word = below.tokens[static_cast<std::size_t>(token)];
  number.embedding = shape.embedding_scale * static_cast<double>(below.model->token_embeddings.weight(word, feature));
  if (!shape.rope) number.position = at(below.model->position_embeddings);
  if (shape.has_token_types) number.token_type = static_cast<double>(below.model->token_type.values[place]);
  if (shape.order == LayerOrder::norm_last && !below.configs.empty()) {
    number.attended = at(*below.attended.back());
    number.feed_forward.push_back(at(*below.fed.back()));
    return number;
  }
  for (std::size_t layer = 0; layer < below.configs.size(); ++layer) {
    number.attention.push_back(at(*below.added[layer]));
    number.feed_forward.push_back(at(*below.fed[layer]));
  }
  return number;
}

Tensor logits(const ForwardPass& pass, Index first, Index count, const Execution& execution) {
  const TransformerShape& shape = pass.model->shape;
  const Tensor& last = *pass.residual.back();
  if (!says_words(*pass.model)) throw Error("model", no_words);
  Tensor chosen = tensor_of(count, shape.features);
  std::copy_n(last.values.begin() + first * shape.features, count * shape.features, chosen.values.begin());
  Tensor normalized(chosen.shape);
  if (shape.has_final_norm()) {
    normalize(normalized, chosen, pass.model->final_norm, shape, execution);
    std::swap(normalized, chosen);
  }
  if (shape.has_last_transform) {
    apply(normalized, chosen, pass.model->transform, execution);
    activate(normalized, shape.activation, execution);
    normalize(chosen, normalized, pass.model->transform_norm, shape, execution);
  }
  Tensor numbers = tensor_of(count, shape.vocabulary);
  apply(numbers, chosen, pass.model->last_layer(), execution);
  const std::span<const float> bias = pass.model->head_bias.values;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    float& number = numbers.values[i];
    if (!bias.empty()) number += bias[i % bias.size()];
    if (shape.logit_softcap) {
      const auto cap = static_cast<float>(*shape.logit_softcap);
      number = cap * std::tanh(number / cap);
    }
  }
  return numbers;
}

Index usual_position(const Transformer& model, std::span<const Index> tokens) {
  const auto masked = model.mask_token ? std::ranges::find(tokens, *model.mask_token) : tokens.end();
  return masked == tokens.end() ? std::ssize(tokens) - 1 : masked - tokens.begin();
}

const Tensor* trained_parameter(const AttentionConfig& config, std::string_view name) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  if (!inputs) return nullptr;
  return find(*inputs->model->layers[static_cast<std::size_t>(inputs->layer)].attention, name);
}

std::uint64_t forward_bytes(const ModelInputs& inputs) {
  const TransformerShape& shape = inputs.model->shape;
  const Index keys = 2 * shape.key_value_heads * shape.head_dim;
  const Index own = shape.order == LayerOrder::norm_around ? 6 : 5;  // tensors (T,d)
  const Index of_a_layer = own * shape.features + 3 * shape.heads * shape.head_dim + 2 * keys;
  const auto of_a_token = static_cast<std::uint64_t>(inputs.layer * of_a_layer + 2 * shape.hidden);
  return sizeof(float) * of_a_token * inputs.tokens.size();
}

void check_model_inputs(const AttentionConfig& config, const ModelInputs& inputs) {
  const TransformerShape& shape = inputs.model->shape;
  const auto fail = [](const std::string& field, const std::string& sentence) { throw Error(field, sentence); };
  const auto count = std::ssize(inputs.tokens);
  if (count < 1) fail("text", "text is empty, but the model needs at least one token: type a word.");
  if (count > shape.context_length) {
    fail("text", "text has " + std::to_string(count) + " tokens, but the model takes at most " +
                     std::to_string(shape.context_length) + ": make it shorter.");
  }
  const auto unknown = std::ranges::find_if(inputs.tokens, [&](Index t) { return t < 0 || t >= shape.vocabulary; });
  if (unknown != inputs.tokens.end()) {
    fail("token_ids", "token_ids has " + std::to_string(*unknown) +
                          ", but the model's tokens are the numbers from 0 to " + std::to_string(shape.vocabulary - 1) +
                          ".");
  }
  if (inputs.layer < 0 || inputs.layer >= shape.layers) {
    fail("layer", "layer is " + std::to_string(inputs.layer) + ", but the model's layers are those from 0 to " +
                      std::to_string(shape.layers - 1) + ".");
  }
  if (config.mechanism != Mechanism::multi_head_attention) {
    fail("mechanism", "A layer of a trained model is multi_head_attention, and no other mechanism.");
  }
  if (config.batch_size != 1) {
    fail("batch_size",
         "batch_size is " + std::to_string(config.batch_size) + ", but a trained model reads one text: leave it at 1.");
  }
  const auto check_own = [&](const std::string& key, Index value, Index own) {
    if (value == own) return;
    fail(key, key + " is " + std::to_string(value) + ", but a layer of this model has " + std::to_string(own) +
                  ": leave it as the model has it.");
  };
  check_own("d_out", config.d_out, shape.heads * shape.head_dim);
  check_own("num_heads", config.num_heads, shape.heads);
  check_own("num_kv_heads", key_value_heads(config), shape.key_value_heads);
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    const Tensor* const trained = trained_parameter(config, parameter.name);
    const bool fits = trained ? trained->shape == parameter.shape : words_of(parameter) == 0;
    if (fits || config.weight_overrides.contains(parameter.name)) continue;
    const bool is_bias = parameter.name.ends_with(".bias");
    const std::string key = is_bias && !trained ? "qkv_bias" : "d_out";
    fail(key, "The model has no " + parameter.name + " of the size that d_out, num_heads, num_kv_heads and qkv_bias " +
                  "ask for: leave them as the model has them.");
  }
}

}  // namespace attnscope
