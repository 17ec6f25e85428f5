// A trained model's forward pass. tests/app/run_models.py compares all of it with PyTorch.

#include "core/model/forward.h"

#include "core/error.h"
#include "core/evaluate.h"
#include "core/kernels/select.h"
#include "core/source.h"
#include "core/visibility.h"
#include "support.h"
#include "tests/support/small_model.h"

#include <cmath>

namespace attnscope::test {
namespace {

std::vector<TransformerShape> shapes() { return shapes_of_every_order(); }

ModelInputs& inputs_of(AttentionConfig& config) { return std::get<ModelInputs>(config.inputs); }

TEST(PackedPieces, AreTheWholeInAnyOrder) {
  const Tensor weight = noise({37, 21}, 4);
  const Tensor bias = noise({37}, 5);
  for (const bool is_transposed : {false, true}) {
    Linear layer(21, 37, true);
    const Index rows = is_transposed ? 21 : 37;
    const Index cols = is_transposed ? 37 : 21;
    for (const auto& [first, last] : {std::pair<Index, Index>(10, rows), std::pair<Index, Index>(0, 10)}) {
      Tensor part({last - first, cols});
      for (Index row = first; row < last; ++row) {
        for (Index col = 0; col < cols; ++col)
          part.matrix()(row - first, col) = is_transposed ? weight.matrix()(col, row) : weight.matrix()(row, col);
      }
      layer.put(part, first, is_transposed);
    }
    layer.put_bias(bias.values);
    PackedWeights whole;
    const std::array columns = {WeightColumns{weight.values.data(), 37, 21, 1, bias.values.data()}};
    whole.pack(kernels(), columns, 21, serial());
    for (Index out = 0; out < 37; ++out) {
      for (Index in = 0; in < 21; ++in) {
        EXPECT_EQ(layer.weight(out, in), weight.matrix()(out, in));
        EXPECT_EQ(whole.at(out, in), weight.matrix()(out, in));
      }
    }
  }
}

TEST(Norms, AreThoseOfLoops) {
  for (const TransformerShape& shape : shapes()) {
    const Tensor x = noise({1, 5, shape.features}, 2);
    Norm norm{noise({shape.features}, 3), Tensor()};
    if (shape.norm == NormKind::layer) norm.shift = noise({shape.features}, 4);
    Tensor normalized(x.shape);
    normalize(normalized, x, norm, shape, serial());
    for (Index token = 0; token < 5; ++token) {
      double mean = 0;
      double square = 0;
      const double count = static_cast<double>(shape.features);
      for (const float number : x.matrix().row(token)) mean += static_cast<double>(number) / count;
      if (shape.norm == NormKind::rms) mean = 0;
      for (const float number : x.matrix().row(token))
        square += std::pow(static_cast<double>(number) - mean, 2) / count;
      for (Index i = 0; i < shape.features; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double shift = norm.shift.values.empty() ? 0 : static_cast<double>(norm.shift.values[at]);
        const double expected = (static_cast<double>(x.matrix()(token, i)) - mean) / std::sqrt(square + shape.epsilon) *
                                    static_cast<double>(norm.scale.values[at]) +
                                shift;
        EXPECT_NEAR(static_cast<double>(normalized.matrix()(token, i)), expected, 2e-6);
      }
    }
  }
}

TEST(Activations, AreThoseOfTheirFormulas) {
  for (const float x : {-9.0F, -1.5F, -0.1F, 0.0F, 0.3F, 2.0F, 20.0F}) {
    const double wide = static_cast<double>(x);
    const auto of = [&](Activation activation) {
      Tensor one({1, 1, 1}, {x});
      activate(one, activation, serial());
      return static_cast<double>(one.values[0]);
    };
    EXPECT_NEAR(of(Activation::gelu), 0.5 * wide * (1 + std::erf(wide / std::sqrt(2.0))), 2e-6);
    EXPECT_NEAR(of(Activation::gelu_tanh),
                0.5 * wide * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (wide + 0.044715 * wide * wide * wide))),
                2e-6);
    EXPECT_NEAR(of(Activation::silu), wide / (1 + std::exp(-wide)), 2e-6);
    EXPECT_EQ(of(Activation::relu), std::max(wide, 0.0));
  }
}

TEST(ForwardPass, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const TransformerShape& shape : shapes()) {
    const AttentionConfig config = small_layer(small_model(shape), 1);
    const auto one = run_model(config, nullptr, serial());
    const auto four = run_model(config, nullptr, openmp(4));
    EXPECT_TRUE(same_bits(*one->residual.back(), *four->residual.back()));
    EXPECT_TRUE(same_bits(logits(*one, 0, 8, serial()), logits(*four, 0, 8, openmp(4))));
  }
}

TEST(ForwardPass, LogitsOfSomeTokensAreThoseOfAll) {
  const auto pass = run_model(small_layer(small_model(), 0), nullptr, serial());
  const Tensor all = logits(*pass, 0, 8, serial());
  const Tensor some = logits(*pass, 5, 2, serial());
  for (Index token = 0; token < 2; ++token) {
    for (Index word = 0; word < some.cols(); ++word)
      EXPECT_NEAR(some.matrix()(token, word), all.matrix()(5 + token, word), 1e-6) << token << " " << word;
  }
}

// What a layer's document shows is what the model computes there.
TEST(ForwardPass, EachLayerIsADocument) {
  for (const TransformerShape& shape : shapes()) {
    const auto model = small_model(shape);
    const auto pass = run_model(small_layer(model, 0), nullptr, serial());
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Result result = evaluate(small_layer(model, layer), serial());
      const Result& own = *pass->layers[static_cast<std::size_t>(layer)];
      EXPECT_TRUE(close(*result.find(Stage::inputs), *own.find(Stage::inputs), 1e-6));
      EXPECT_TRUE(close(*result.find(Stage::output), *own.find(Stage::output), 1e-5)) << layer;
    }
  }
}

TEST(ForwardPass, RunsAgainFromTheChangedLayerOn) {
  const AttentionConfig before = small_layer(small_model(), 1);
  const auto pass = run_model(before, nullptr, serial());
  AttentionConfig after = before;
  after.heads_off = {1};
  EXPECT_FALSE(is_changed(before));
  EXPECT_TRUE(is_changed(after));
  const auto changed = run_model(after, pass.get(), serial());
  EXPECT_EQ(changed->residual[0], pass->residual[0]);
  EXPECT_EQ(changed->residual[1], pass->residual[1]);
  EXPECT_NE(changed->residual[2], pass->residual[2]);
  EXPECT_FALSE(same_bits(*changed->residual[2], *pass->residual[2]));
  EXPECT_TRUE(same_bits(*run_model(after, nullptr, serial())->residual[3], *changed->residual[3]));
  EXPECT_TRUE(same_bits(*run_model(unchanged(after), changed.get(), serial())->residual[3], *pass->residual[3]));
}

// A change of a lower layer reaches the inputs of a higher one, through a fresh evaluation and through a later one.
TEST(ForwardPass, ChangesOfLowerLayersReachHigherOnes) {
  const auto model = small_model();
  const AttentionConfig plain = small_layer(model, 2);
  AttentionConfig changed = plain;
  AttentionConfig lower = small_layer(model, 0);
  lower.heads_off = {0};
  inputs_of(changed).changed = std::make_shared<const ChangedLayers>(ChangedLayers{{0, lower}});
  const Result before = evaluate(plain, serial());
  const Result fresh = evaluate(changed, serial());
  const Result later = evaluate(changed, serial(), &before);
  EXPECT_FALSE(same_bits(*before.find(Stage::inputs), *fresh.find(Stage::inputs)));
  EXPECT_TRUE(same_result(later, fresh));
}

TEST(ForwardPass, SharesTheLayersBelowAfterAnEditOfTheLayer) {
  const AttentionConfig before = small_layer(small_model(), 2);
  const Result first = evaluate(before, serial());
  AttentionConfig after = before;
  after.weight_overrides["W_query.weight"] = noise({8, 8}, 3);
  const Result second = evaluate(after, serial(), &first);
  EXPECT_EQ(second.below->residual[2], first.below->residual[2]);
  EXPECT_EQ(find(*second.parameters, "W_query.weight")->values, noise({8, 8}, 3).values);
  EXPECT_EQ(second.parameters->front().drawn.values, find(*first.parameters, "W_query.weight")->values)
      << "what the checkpoint has is kept beside what was typed";
}

TEST(ForwardPass, ExplainsItsInputs) {
  for (const TransformerShape& shape : shapes()) {
    const Result result = evaluate(small_layer(small_model(shape), 2), serial());
    for (const auto& [token, feature] : {std::pair<Index, Index>(0, 0), std::pair<Index, Index>(5, 7)}) {
      const NormalizedNumber number = normalized_number(*result.below, token, feature);
      double sum = number.embedding + number.position + number.token_type;
      for (std::size_t layer = 0; layer < number.attention.size(); ++layer)
        sum += number.attention[layer] + number.feed_forward[layer];
      if (shape.order == LayerOrder::norm_last) {
        ASSERT_TRUE(number.attended);
        sum = *number.attended + number.feed_forward.front();
      } else {
        EXPECT_EQ(number.attention.size(), 2U);
      }
      EXPECT_NEAR(sum, number.x, 1e-5);
      EXPECT_NEAR((number.x - number.mean) / number.deviation * number.scale + number.shift,
                  static_cast<double>(result.find(Stage::inputs)->matrix()(token, feature)), 1e-5);
    }
  }
}

// A norm behind a layer normalizes the sum of the embeddings before the first.
TEST(ForwardPass, ExplainsTheInputsOfTheFirstLayer) {
  for (const TransformerShape& shape : shapes()) {
    const Result result = evaluate(small_layer(small_model(shape), 0), serial());
    const NormalizedNumber number = normalized_number(*result.below, 3, 2);
    EXPECT_FALSE(number.attended);
    EXPECT_NEAR(number.embedding + number.position + number.token_type, number.x, 1e-6);
    EXPECT_NEAR((number.x - number.mean) / number.deviation * number.scale + number.shift,
                static_cast<double>(result.find(Stage::inputs)->matrix()(3, 2)), 1e-5);
  }
}

TEST(ForwardPass, AsksForTheMaskedWordElseTheLast) {
  const auto shared = std::const_pointer_cast<Transformer>(small_model());
  Transformer& model = *shared;
  const std::vector<Index> tokens = {3, 1, 4, 1};
  EXPECT_EQ(usual_position(model, tokens), 3);
  model.mask_token = 1;
  EXPECT_EQ(usual_position(model, tokens), 1);
  model.mask_token = 9;
  EXPECT_EQ(usual_position(model, tokens), 3);
}

TEST(SlidingWindow, HidesKeysThatAreTooFarBack) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({40, 5}, 3);
  config.d_out = 8;
  config.num_heads = 2;
  config.sliding_window = 3;
  for (const Way way : both_ways) {
    const Result result = evaluate_by(way, config, serial());
    std::vector<float> row(40);
    for (const Index query : {0, 1, 2, 3, 20, 39}) {
      read_cells(row, result, Stage::weights, 1, {query, 0, 1, 40});
      for (Index key = 0; key < 40; ++key) {
        const bool sees = key <= query && key > query - 3;
        EXPECT_EQ(row[static_cast<std::size_t>(key)] > 0, sees) << query << " " << key;
      }
    }
  }
  AttentionConfig custom = config;
  custom.sliding_window.reset();
  custom.mask = MaskRoute::custom;
  custom.hidden = hide_outside_window(mask_size(custom), 3, true);
  EXPECT_TRUE(close(*evaluate_readable(config, serial()).find(Stage::output),
                    *evaluate_readable(custom, serial()).find(Stage::output), 1e-7));
}

TEST(SlidingWindow, OfAModelIsThatOfEachLayer) {
  TransformerShape shape = small_shape(NormKind::rms);
  shape.sliding_window = 3;
  const auto model = small_model(shape);
  const AttentionConfig config = small_layer(model, 2);
  const auto pass = run_forward(std::get<ModelInputs>(config.inputs), 3, nullptr, nullptr, serial());
  for (const auto& layer : pass->layers) {
    for (Index query = 0; query < 8; ++query) {
      for (Index key = 0; key < 8; ++key) {
        const Source cell{.stage = Stage::weights, .row = query, .col = key};
        EXPECT_EQ(value_at(*layer, cell) > 0, key <= query && key > query - 3) << query << " " << key;
      }
    }
  }
}

TEST(ModelInputs, AreRefusedWithASentence) {
  const auto model = small_model();
  const auto refused = [&](const std::function<void(AttentionConfig&)>& change) {
    AttentionConfig config = small_layer(model, 1);
    change(config);
    return error_of([&] { check(config); });
  };
  EXPECT_EQ(refused([](auto& c) { inputs_of(c).tokens.clear(); }).field, "text");
  EXPECT_EQ(refused([](auto& c) { inputs_of(c).tokens.assign(13, 1); }).field, "text");
  AttentionConfig longest = small_layer(model, 1);
  inputs_of(longest).tokens.assign(12, 1);
  EXPECT_NO_THROW(check(longest));
  EXPECT_EQ(refused([](auto& c) { inputs_of(c).tokens[2] = 30; }).field, "token_ids");
  EXPECT_EQ(refused([](auto& c) { inputs_of(c).layer = 3; }).field, "layer");
  EXPECT_EQ(refused([](auto& c) { c.mechanism = Mechanism::causal_attention; }).field, "mechanism");
  EXPECT_EQ(refused([](auto& c) { c.d_out = 6; }).field, "d_out");
  EXPECT_EQ(refused([](auto& c) { c.num_kv_heads = 1; }).field, "num_kv_heads");
  EXPECT_EQ(refused([](auto& c) { c.num_heads = 4; }).field, "num_heads");
  EXPECT_EQ(refused([](auto& c) { c.batch_size = 2; }).field, "batch_size");
}

// torch.manual_seed(5), then the table, the positions and the layers, each as nn.Linear and nn.Embedding draw them.
TEST(UntrainedModel, IsDrawnInTheOrderOfItsParts) {
  const auto trained = small_model();
  const auto model = untrained(*trained, 5);
  const TransformerShape& shape = model->shape;
  EXPECT_EQ(shape, trained->shape);
  EXPECT_EQ(model->drawn_by, 5U);
  Generator generator(5);
  std::vector<float> table(static_cast<std::size_t>(shape.vocabulary * shape.features));
  fill_uniform(table, generator, -linear_weight_bound(shape.features), linear_weight_bound(shape.features));
  std::vector<float> positions(static_cast<std::size_t>(shape.context_length * shape.features));
  fill_randn(positions, generator);
  std::vector<float> queries(static_cast<std::size_t>(shape.features * shape.features));
  fill_uniform(queries, generator, -linear_weight_bound(shape.features), linear_weight_bound(shape.features));
  for (Index word = 0; word < shape.vocabulary; ++word) {
    for (Index i = 0; i < shape.features; ++i)
      ASSERT_EQ(model->token_embeddings.weight(word, i), table[static_cast<std::size_t>(word * shape.features + i)]);
  }
  EXPECT_TRUE(std::ranges::equal(model->position_embeddings.values, positions));
  const Tensor* const first = find(*model->layers.front().attention, "W_query.weight");
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(std::ranges::equal(first->values, queries));
  EXPECT_EQ(untrained(*trained, 5)->layers.back().down.weight(2, 3), model->layers.back().down.weight(2, 3));
  EXPECT_NE(untrained(*trained, 6)->layers.back().down.weight(2, 3), model->layers.back().down.weight(2, 3));
}

TEST(UntrainedModel, HasThePartsOfTheTrainedOne) {
  for (const TransformerShape& shape : shapes()) {
    const auto trained = small_model(shape);
    const auto model = untrained(*trained, 1);
    EXPECT_EQ(model->is_tied(), trained->is_tied());
    ASSERT_EQ(model->layers.size(), trained->layers.size());
    for (std::size_t i = 0; i < model->layers.size(); ++i) {
      const TransformerLayer& layer = model->layers[i];
      const Tensor& scale = layer.attention_norm.scale;
      EXPECT_TRUE(std::ranges::all_of(scale.values, [](float number) { return number == 1; }));
      EXPECT_EQ(scale.shape, trained->layers[i].attention_norm.scale.shape);
      EXPECT_EQ(layer.gate.out(), trained->layers[i].gate.out());
      ASSERT_EQ(layer.attention->size(), trained->layers[i].attention->size());
      for (std::size_t p = 0; p < layer.attention->size(); ++p)
        EXPECT_EQ((*layer.attention)[p].tensor.shape, (*trained->layers[i].attention)[p].tensor.shape);
    }
    const AttentionConfig config = small_layer(model, 1);
    EXPECT_NO_THROW(check(config));
    const std::shared_ptr<const ForwardPass> pass = run_model(config, nullptr, serial());
    for (const float number : pass->residual.back()->values) ASSERT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace attnscope::test
