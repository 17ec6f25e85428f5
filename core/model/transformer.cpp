#include "core/model/transformer.h"

#include "core/blocks.h"
#include "core/error.h"
#include "core/kernels/select.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/rope.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

namespace attnscope {

namespace {

constexpr Index block_tokens = 8;  // fixed, so that the bits do not depend on who runs the blocks

// Calls work(token) for each token of a tensor (1,T,d).
template <typename Work>
void for_each_token(const Execution& execution, const Tensor& x, const Work& work) {
  for_each_block(execution, blocks_of(x.rows(), block_tokens), [&](Index block) {
    const Index last = std::min((block + 1) * block_tokens, x.rows());
    for (Index token = block * block_tokens; token < last; ++token) work(token);
  });
}

// Calls work(to, from) for each number of two tensors of one size.
template <typename Work>
void for_each_number(const Execution& execution, Tensor& to, const Tensor& from, const Work& work) {
  assert(to.shape == from.shape && "numbers that belong to each other");
  for_each_token(execution, to, [&](Index token) {
    const std::span<float> row = to.matrix().row(token);
    const std::span<const float> other = from.matrix().row(token);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = work(row[i], other[i]);
  });
}

float gelu(float x) { return 0.5F * x * (1 + std::erf(x * static_cast<float>(std::numbers::sqrt2 / 2))); }

void check_size(std::string_view key, Index value, Index most) {
  if (value >= 1 && value <= most) return;
  throw Error(std::string(key), std::string(key) + " is " + std::to_string(value) + ", but it must be a whole number " +
                                    "from 1 to " + std::to_string(most) + ".");
}

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

void check(const TransformerShape& shape) {
  check_size("The number of layers", shape.layers, max_layers);
  check_size("The number of heads", shape.heads, max_heads);
  check_size("The number of heads of keys and values", shape.key_value_heads, max_heads);
  check_size("The width of a head", shape.head_dim, max_features);
  check_size("The number of features", shape.features, max_features);
  check_size("The width of the heads together", shape.heads * shape.head_dim, max_features);
  check_size("The width of the feed-forward part", shape.hidden, max_hidden);
  check_size("The number of words", shape.vocabulary, max_vocabulary);
  check_size("The number of positions", shape.context_length, max_rope_offset);
  if (shape.sliding_window) check_size("The sliding window", *shape.sliding_window, max_rope_offset);
  if (shape.heads % shape.key_value_heads != 0) {
    throw Error("The model has " + std::to_string(shape.heads) + " heads of queries and " +
                std::to_string(shape.key_value_heads) + " of keys and values, but the second must divide the first.");
  }
  if (!(shape.epsilon >= 0 && shape.epsilon < 1)) {
    throw Error("The epsilon of the norms must be a number from 0 to 1.");
  }
}

std::uint64_t weight_count(const TransformerShape& shape) {
  const auto of = [](Index in, Index out) { return static_cast<std::uint64_t>(in) * static_cast<std::uint64_t>(out); };
  const Index queries = shape.heads * shape.head_dim;
  const Index keys = shape.key_value_heads * shape.head_dim;
  const std::uint64_t attention = of(shape.features, 2 * queries + 2 * keys);
  const std::uint64_t feed_forward = of(shape.features, shape.hidden) * (shape.is_gated ? 3 : 2);
  const std::uint64_t positions = shape.rope ? 0 : of(shape.features, shape.context_length);
  const std::uint64_t transform = shape.has_last_transform ? of(shape.features, shape.features) : 0;
  return static_cast<std::uint64_t>(shape.layers) * (attention + feed_forward) + of(shape.features, shape.vocabulary) +
         positions + transform;
}

Linear::Linear(Index in, Index out, bool has_bias) {
  weights_.reserve(kernels(), out, in);
  weights_.has_bias = has_bias;
}

void Linear::put(const Tensor& rows, Index first_row, bool is_transposed) {
  const Index count = rows.rows();
  if (is_transposed) {
    assert(rows.cols() == out() && first_row + count <= in() && "rows of (in, out)");
    weights_.put(kernels(), 0, first_row, {rows.values.data(), out(), 1, out(), nullptr}, count);
  } else {
    assert(rows.cols() == in() && first_row + count <= out() && "rows of (out, in)");
    weights_.put(kernels(), first_row, 0, {rows.values.data(), count, in(), 1, nullptr}, in());
  }
}

void Linear::put_bias(std::span<const float> bias) {
  assert(std::ssize(bias) == out() && has_bias() && "a bias for each feature");
  for (Index panel = 0; panel < weights_.panel_count(); ++panel) {
    std::copy_n(bias.data() + weights_.first_column(panel), weights_.column_count(panel),
                weights_.biases.get() + panel * weights_.width);
  }
}

NormScaling scaling_of(std::span<const float> row, const TransformerShape& shape) {
  const auto count = static_cast<double>(row.size());
  if (shape.norm == NormKind::rms) return {0, 1 / root_mean_square(row, shape.epsilon)};
  double mean = 0;
  for (const float number : row) mean += static_cast<double>(number);
  mean /= count;
  double squares = 0;
  for (const float number : row) squares += (static_cast<double>(number) - mean) * (static_cast<double>(number) - mean);
  return {mean, 1 / std::sqrt(squares / count + shape.epsilon)};
}

void embed(Tensor& x, const Transformer& model, std::span<const Index> tokens, const Execution& execution) {
  // (1,T,d): tok_emb.weight[tokens] * scale + pos_emb.weight[torch.arange(T)] + token_type
  const auto scale = static_cast<float>(model.shape.embedding_scale);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto token = static_cast<Index>(t);
    const std::span<float> row = x.matrix().row(token);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto feature = static_cast<Index>(i);
      row[i] = scale * model.token_embeddings.weight(tokens[t], feature);
      if (!model.shape.rope) row[i] += model.position_embeddings.matrix()(token, feature);
      if (model.shape.has_token_types) row[i] += model.token_type.values[i];
    }
  }
  if (model.shape.has_embedding_norm) normalize(x, Tensor(x), model.embedding_norm, model.shape, execution);
}

void normalize(Tensor& normalized, const Tensor& x, const Norm& norm, const TransformerShape& shape,
               const Execution& execution) {
  // (1,T,d): (x - x.mean(-1)) / torch.sqrt(x.var(-1, unbiased=False) + eps) * scale + shift, or
  // x * torch.rsqrt(x.pow(2).mean(-1) + eps) * scale
  for_each_token(execution, x, [&](Index token) {
    const std::span<const float> row = x.matrix().row(token);
    const std::span<float> out = normalized.matrix().row(token);
    const auto [mean, factor] = scaling_of(row, shape);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto number = static_cast<float>((static_cast<double>(row[i]) - mean) * factor);
      out[i] = number * norm.scale.values[i] + (norm.shift.values.empty() ? 0.0F : norm.shift.values[i]);
    }
  });
}

void apply(Tensor& y, const Tensor& x, const Linear& layer, const Execution& execution) {
  // (1,T,out) = (1,T,in) @ (out,in).T + (out): F.linear(x, weight, bias)
  assert(x.cols() == layer.in() && y.cols() == layer.out() && x.rows() == y.rows() && "shapes of a linear layer");
  const ProjectionTask task{.weights = &layer.packed(),
                            .inputs = x.values.data(),
                            .tokens = x.rows(),
                            .last = x.rows(),
                            .head_dim = layer.out(),
                            .heads = y.values.data()};
  const ProjectionBlocks blocks = blocks_of(task, kernels());
  for_each_block(execution, blocks.count, [&](Index block) { project_block(task, blocks, kernels(), block); });
}

void activate(Tensor& hidden, Activation activation, const Execution& execution) {
  // (1,T,hidden): F.gelu(hidden), F.gelu(hidden, approximate="tanh"), F.silu(hidden) or F.relu(hidden)
  // 0.5 * (1 + tanh(u)) = 1 / (1 + exp(-2 * u)), and GELU by tanh has u = sqrt(2 / pi) * (x + 0.044715 * x^3).
  const auto linear = static_cast<float>(2 * std::sqrt(2 / std::numbers::pi));
  const auto work = [&](std::span<float> row) {
    switch (activation) {
      case Activation::gelu:
        for (float& number : row) number = gelu(number);
        return;
      case Activation::gelu_tanh:
        return kernels().swish(row.data(), std::ssize(row), linear, 0.044715F * linear);
      case Activation::silu:
        return kernels().swish(row.data(), std::ssize(row), 1, 0);
      case Activation::relu:
        for (float& number : row) number = std::max(number, 0.0F);
        return;
    }
  };
  for_each_token(execution, hidden, [&](Index token) { work(hidden.matrix().row(token)); });
}

void feed_forward(Tensor& y, const Tensor& x, const TransformerLayer& layer, const TransformerShape& shape,
                  const Execution& execution) {
  // (1,T,d): self.down(activation(self.up(x))), or self.down(activation(self.gate(x)) * self.up(x))
  Tensor hidden({1, x.rows(), shape.hidden});
  apply(hidden, x, shape.is_gated ? layer.gate : layer.up, execution);
  activate(hidden, shape.activation, execution);
  if (shape.is_gated) {
    Tensor other(hidden.shape);
    apply(other, x, layer.up, execution);
    for_each_number(execution, hidden, other, [](float gate, float up) { return gate * up; });
  }
  apply(y, hidden, layer.down, execution);
}

void add(Tensor& sum, const Tensor& a, const Tensor& b, const Execution& execution) {
  // (1,T,d): a + b
  sum.values = a.values;
  for_each_number(execution, sum, b, [](float left, float right) { return left + right; });
}

void softmax(std::span<float> logits) {
  // (V): torch.softmax(logits, dim=-1)
  const float largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (float& number : logits) {
    number = std::exp(number - largest);
    sum += static_cast<double>(number);
  }
  for (float& number : logits) number = static_cast<float>(static_cast<double>(number) / sum);
}

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
