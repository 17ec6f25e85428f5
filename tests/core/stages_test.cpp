// Every stage function against loops that say the same in the plainest words.

#include "core/attention.h"
#include "core/evaluate.h"
#include "support.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

namespace attnscope::test {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr double stage_tolerance = 3e-6;

struct Sizes {
  Index B, H, T, d;
};

// Below, at and beyond the size of a block of rows; single rows, columns and features.
constexpr std::array tensor_sizes = {Sizes{1, 1, 1, 1},   Sizes{2, 3, 5, 4},  Sizes{1, 2, 63, 1},
                                     Sizes{2, 1, 64, 17}, Sizes{1, 1, 65, 8}, Sizes{1, 2, 130, 3}};

// A tensor whose element (m, i, j), m counted over the leading dimensions, is element(m, i, j).
Tensor build(std::vector<Index> shape, const std::function<double(Index, Index, Index)>& element) {
  Tensor tensor(std::move(shape));
  for (Index m = 0; m < tensor.matrix_count(); ++m) {
    for (Index i = 0; i < tensor.rows(); ++i) {
      for (Index j = 0; j < tensor.cols(); ++j) tensor.matrix(m)(i, j) = static_cast<float>(element(m, i, j));
    }
  }
  return tensor;
}

double widened(float value) { return static_cast<double>(value); }

TEST(Stages, ProjectLinearAddsProductsAndBias) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor inputs = noise({B, T, d}, 1);
    const Tensor weight = noise({H * 3, d}, 2);
    const Tensor bias = noise({H * 3}, 3);
    for (const Tensor* added : {static_cast<const Tensor*>(nullptr), &bias}) {
      Tensor projected({B, T, H * 3});
      project_linear(projected, inputs, weight, added, openmp(2));
      EXPECT_TRUE(close(projected,
                        build({B, T, H * 3},
                              [&](Index b, Index t, Index n) {
                                double sum = added ? widened(added->values[static_cast<std::size_t>(n)]) : 0;
                                for (Index f = 0; f < inputs.cols(); ++f)
                                  sum += widened(inputs.matrix(b)(t, f)) * widened(weight.matrix()(n, f));
                                return sum;
                              }),
                        stage_tolerance));
    }
  }
}

TEST(Stages, ProjectParameterIsTheTransposedLayout) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor inputs = noise({B, T, d}, 1);
    const Tensor weight = noise({d, H * 3}, 2);
    Tensor projected({B, T, H * 3});
    project_parameter(projected, inputs, weight, serial());
    EXPECT_TRUE(close(projected,
                      build({B, T, H * 3},
                            [&](Index b, Index t, Index n) {
                              double sum = 0;
                              for (Index f = 0; f < inputs.cols(); ++f)
                                sum += widened(inputs.matrix(b)(t, f)) * widened(weight.matrix()(f, n));
                              return sum;
                            }),
                      stage_tolerance));
  }
}

TEST(Stages, HeadsAreSplitAndJoinedByTheirColumns) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Index head_count = H;
    const Index head_dim = d;
    const Tensor projected = noise({B, T, H * d}, 4);
    Tensor heads({B, H, T, d});
    split_heads(heads, projected, openmp(3));
    EXPECT_TRUE(same_bits(heads, build({B, H, T, d}, [&](Index m, Index t, Index f) {
                            return widened(projected.matrix(m / head_count)(t, m % head_count * head_dim + f));
                          })));
    Tensor joined({B, T, H * d});
    concatenate_heads(joined, heads, openmp(3));
    EXPECT_TRUE(same_bits(joined, projected));
  }
}

TEST(Stages, ScoresAreDotProductsOfQueriesAndKeys) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor queries = noise({B, H, T, d}, 5);
    const Tensor keys = noise({B, H, T, d}, 6);
    Tensor scores({B, H, T, T});
    attention_scores(scores, queries, keys, openmp(2));
    EXPECT_TRUE(close(scores,
                      build({B, H, T, T},
                            [&](Index m, Index q, Index k) {
                              double sum = 0;
                              for (Index f = 0; f < keys.cols(); ++f)
                                sum += widened(queries.matrix(m)(q, f)) * widened(keys.matrix(m)(k, f));
                              return sum;
                            }),
                      stage_tolerance));
  }
}

TEST(Stages, MaskHidesWhatComesLater) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    Tensor mask({T, T}, AlignedFloats(static_cast<std::size_t>(T * T), 7.0F));
    hide_keys(mask, {.keys = T, .last = 1});
    EXPECT_TRUE(same_bits(mask, build({T, T}, [](Index, Index q, Index k) { return k > q ? 1.0 : 0.0; })));
    const Tensor scores = noise({B, H, T, T}, 7);
    Tensor masked({B, H, T, T});
    mask_scores(masked, scores, mask, serial());
    EXPECT_TRUE(same_bits(masked, build({B, H, T, T}, [&](Index m, Index q, Index k) {
                            return widened(k > q ? minus_infinity : scores.matrix(m)(q, k));
                          })));
    mask_weights(masked, scores, mask, serial());
    EXPECT_TRUE(close(
        masked,
        build({B, H, T, T}, [&](Index m, Index q, Index k) { return k > q ? 0.0 : widened(scores.matrix(m)(q, k)); }),
        0));
  }
}

TEST(Stages, ScalingDividesByTheRootOfTheHeadDimension) {
  const Tensor scores = noise({2, 1, 5, 5}, 8);
  for (const Index head_dim : {1, 2, 3, 64}) {
    Tensor scaled(scores.shape);
    scale_scores(scaled, scores, head_dim, serial());
    EXPECT_TRUE(close(scaled,
                      build(scores.shape,
                            [&](Index m, Index q, Index k) {
                              return widened(scores.matrix(m)(q, k)) / std::sqrt(static_cast<double>(head_dim));
                            }),
                      2e-7));
  }
}

TEST(Stages, SoftmaxSharesOutExponentials) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor scores = noise({B, H, T, T}, 9);
    Tensor weights(scores.shape);
    softmax_rows(weights, scores, nullptr, openmp(2));
    EXPECT_TRUE(close(weights,
                      build(scores.shape,
                            [&](Index m, Index q, Index k) {
                              double sum = 0;
                              for (Index other = 0; other < scores.cols(); ++other)
                                sum += std::exp(widened(scores.matrix(m)(q, other)));
                              return std::exp(widened(scores.matrix(m)(q, k))) / sum;
                            }),
                      stage_tolerance));
  }
}

TEST(Stages, NormalizingSharesOutTheSum) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor scores = build(
        {B, H, T, T}, [&](Index m, Index q, Index k) { return 0.5 + static_cast<double>((m + 3 * q + 7 * k) % 11); });
    Tensor weights(scores.shape);
    normalize_rows(weights, scores, nullptr, openmp(2));
    EXPECT_TRUE(close(weights,
                      build(scores.shape,
                            [&](Index m, Index q, Index k) {
                              double sum = 0;
                              for (Index other = 0; other < scores.cols(); ++other)
                                sum += widened(scores.matrix(m)(q, other));
                              return widened(scores.matrix(m)(q, k)) / sum;
                            }),
                      stage_tolerance));
  }
}

TEST(Stages, DroppingMultipliesCellByCell) {
  const Tensor weights = noise({2, 2, 66, 66}, 10);
  const Tensor factors = noise({2, 2, 66, 66}, 11);
  Tensor dropped(weights.shape);
  drop_weights(dropped, weights, factors, openmp(2));
  EXPECT_TRUE(close(dropped,
                    build(weights.shape,
                          [&](Index m, Index q, Index k) {
                            return widened(weights.matrix(m)(q, k)) * widened(factors.matrix(m)(q, k));
                          }),
                    1e-7));
}

TEST(Stages, ContextIsTheWeightedSumOfValues) {
  for (const auto [B, H, T, d] : tensor_sizes) {
    const Tensor weights = noise({B, H, T, T}, 12);
    const Tensor values = noise({B, H, T, d}, 13);
    Tensor context({B, H, T, d});
    weighted_values(context, weights, values, openmp(2));
    EXPECT_TRUE(close(context,
                      build({B, H, T, d},
                            [&](Index m, Index q, Index f) {
                              double sum = 0;
                              for (Index k = 0; k < values.rows(); ++k)
                                sum += widened(weights.matrix(m)(q, k)) * widened(values.matrix(m)(k, f));
                              return sum;
                            }),
                      stage_tolerance));
  }
}

Index number_of_letters(std::string_view letters, const AttentionConfig& config) {
  if (const std::size_t dot = letters.find("·"); dot != std::string_view::npos)
    return number_of_letters(letters.substr(0, dot), config) *
           number_of_letters(letters.substr(dot + std::string_view("·").size()), config);
  const std::map<std::string_view, Index> numbers = {{"1", 1},
                                                     {"B", config.batch_size},
                                                     {"T", token_count(config)},
                                                     {"T_query", query_count(config)},
                                                     {"T_key", key_count(config)},
                                                     {"H", head_count(config)},
                                                     {"H_kv", key_value_heads(config)},
                                                     {"d_in", input_features(config)},
                                                     {"d_out", config.d_out},
                                                     {"head_dim", head_features(config)},
                                                     {"d_v", value_features(config)}};
  const auto found = numbers.find(letters);
  EXPECT_NE(found, numbers.end()) << letters;
  return found == numbers.end() ? -1 : found->second;
}

std::vector<Index> numbers_of_letters(std::string letters, const AttentionConfig& config) {
  std::vector<Index> shape;
  letters = letters.substr(1, letters.size() - 2);
  for (std::size_t begin = 0; begin < letters.size();) {
    const std::size_t end = std::min(letters.find(", ", begin), letters.size());
    shape.push_back(number_of_letters(std::string_view(letters).substr(begin, end - begin), config));
    begin = end + 2;
  }
  return shape;
}

TEST(ShapeLetters, StandForTheNumbersOfTheShape) {
  std::vector<AttentionConfig> configs;
  for (const MechanismInfo& mechanism : every_mechanism()) {
    AttentionConfig config;
    config.inputs = RandnInputs{5, 3};
    config.mechanism = mechanism.mechanism;
    config.d_out = 8;
    config.num_heads = 2;
    config.qkv_bias = true;
    config.batch_size = 2;
    configs.push_back(config);
  }
  AttentionConfig& given = configs.back();
  given.batch_size = 1;
  given.heads = {Tensor({1, 4, 3, 6}), Tensor({1, 2, 7, 6}), Tensor({1, 2, 7, 5}), ""};
  given.num_heads = 4;
  std::size_t stages_seen = 0;
  for (const AttentionConfig& config : configs) {
    for (const StageInfo& stage : stages()) {
      if (!has_stage(config, stage.stage)) continue;
      EXPECT_EQ(numbers_of_letters(shape_letters(config, stage.stage), config), stage_shape(config, stage.stage))
          << info(config.mechanism).id << ": " << stage.id << " " << shape_letters(config, stage.stage);
      ++stages_seen;
    }
  }
  EXPECT_GT(stages_seen, 60U);
}

}  // namespace
}  // namespace attnscope::test
