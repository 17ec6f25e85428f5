// What becomes of queries, keys and values, by both ways, against plain loops in double: edited masks, biases, caps,
// scales, and rows that are left no key.

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "core/evaluate.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double allowed_share = 4e-6;  // of the stage's largest magnitude

class RandomDocument {
public:
  explicit RandomDocument(unsigned seed) : engine_(seed) { draw(); }

  const AttentionConfig& config() const { return config_; }

private:
  Index choose(Index count) { return static_cast<Index>(engine_() % static_cast<std::uint32_t>(count)); }
  float number(float least, float most) { return std::uniform_real_distribution<float>(least, most)(engine_); }
  void draw();
  void draw_heads();
  void draw_bias();

  std::mt19937 engine_;
  AttentionConfig config_;
};

// From elsewhere: of other lengths and another width, with heads that share keys and values.
void RandomDocument::draw_heads() {
  const Index batch = 1 + choose(2);
  const Index heads = 1 + choose(6);
  const Index key_heads = 1 + choose(heads);
  const Index keys = choose(20) == 0 ? 100 + choose(200) : 1 + choose(24);
  const Index queries = choose(20) == 0 ? 100 + choose(200) : 4 + choose(24);
  const Index width = 3 + choose(30);
  config_.mechanism = Mechanism::scaled_dot_product_attention;
  config_.heads = {noise({batch, heads, queries, width}, engine_()), noise({batch, key_heads, keys, width}, engine_()),
                   noise({batch, key_heads, keys, 2 + choose(30)}, engine_()), "heads.npz"};
  config_.batch_size = batch;
  config_.num_heads = heads;
  config_.mask_alignment = static_cast<MaskAlignment>(choose(2));
}

void RandomDocument::draw_bias() {
  std::vector<Index> shape = {config_.batch_size, head_count(config_), query_count(config_), key_count(config_)};
  for (Index& size : shape) size = choose(4) == 0 ? 1 : size;
  shape.erase(shape.begin(), shape.begin() + choose(4));
  Tensor bias(shape);
  const bool hides = choose(2) == 0;
  for (float& each : bias.values)
    each = hides && choose(3) == 0 ? -std::numeric_limits<float>::infinity() : number(-2, 2);
  const Index row = choose(bias.rank() > 1 ? bias.rows() : 1);
  if (hides && bias.rank() > 1) std::ranges::fill(bias.matrix().row(row), -std::numeric_limits<float>::infinity());
  config_.bias = bias;
}

void RandomDocument::draw() {
  const auto every = mechanisms();
  config_ = config_of(every[static_cast<std::size_t>(choose(std::ssize(every)))].mechanism);
  const Index tokens = choose(20) == 0 ? 100 + choose(200) : 4 + choose(24);  // of fewer, all scores may cancel
  config_.inputs = noise({tokens, 3 + choose(6)}, engine_());
  config_.batch_size = 1 + choose(2);
  config_.num_heads = 1 + choose(3);
  config_.d_out = config_.num_heads * (1 + choose(5));
  if (choose(3) == 0) config_.num_kv_heads = config_.num_heads % 2 == 0 ? 1 + choose(2) : 1;
  if (choose(2) == 0) draw_heads();
  config_.mask = static_cast<MaskRoute>(choose(5));
  if (config_.mask == MaskRoute::custom)
    config_.hidden = random_mask(mask_size(config_), static_cast<unsigned>(engine_()));
  config_.scale = choose(4) > 0;
  if (choose(3) == 0) config_.scale_factor = number(0.1F, 2);
  if (choose(3) == 0) config_.softcap = number(2, 10);
  if (choose(3) == 0)
    config_.rope = Rope{.base = 10, .layout = static_cast<RopeLayout>(choose(2)), .offset = choose(9)};
  if (choose(4) == 0) config_.qk_norm = QkNorm::rms;
  if (choose(2) == 0) draw_bias();
  config_.dropout = choose(2) == 0 ? 0.0 : 0.4;
  config_.seed = engine_();
}

double bias_at(const Tensor& bias, Index b, Index h, Index query, Index key) {
  if (bias.rank() == 0) return 0;
  std::array<Index, 4> shape = {1, 1, 1, 1};
  std::copy_backward(bias.shape.begin(), bias.shape.end(), shape.end());
  const std::array<Index, 4> at = {b, h, query, key};
  Index place = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) place = place * shape[axis] + (shape[axis] == 1 ? 0 : at[axis]);
  return static_cast<double>(bias.values[static_cast<std::size_t>(place)]);
}

bool hides(const AttentionConfig& config, Index query, Index key) {
  if (config.mask == MaskRoute::none) return false;
  if (config.mask != MaskRoute::custom) {
    const bool is_low = config.mask_alignment == MaskAlignment::lower_right;
    return key > query + (is_low ? key_count(config) - query_count(config) : 0);
  }
  for (const KeyRange& range : config.hidden.of(query)) {
    if (range.first <= key && key < range.last) return true;
  }
  return false;
}

using Matrix = std::vector<std::vector<double>>;

Matrix matrix_of(const Result& result, Stage stage, Index b, Index h) {
  const std::vector<Index> shape = stage_shape(result.config, stage);
  std::vector<float> cells(static_cast<std::size_t>(shape[shape.size() - 2] * shape.back()));
  read_cells(cells, result, stage, attnscope::matrix_of(result.config, stage, b, h),
             {0, 0, shape[shape.size() - 2], shape.back()});
  Matrix matrix;
  for (auto cell = cells.begin(); cell != cells.end(); cell += shape.back())
    matrix.emplace_back(cell, cell + shape.back());
  return matrix;
}

// softmax((q @ k.T) * scale ...) @ v, a stage after the other.
std::map<Stage, Matrix> by_loops(const Result& result, Index b, Index h) {
  const AttentionConfig& config = result.config;
  const Matrix queries = matrix_of(result, queries_stage(config), b, h);
  const Matrix keys = matrix_of(result, keys_stage(config), b, h);
  const Matrix values = matrix_of(result, values_stage(config), b, h);
  const Matrix factors = has_stage(config, Stage::dropout_factors)
                             ? matrix_of(result, Stage::dropout_factors, b, h)
                             : Matrix(queries.size(), std::vector<double>(keys.size(), 1));
  const Tensor added = config.bias.copy();
  const double root = std::sqrt(static_cast<double>(queries.front().size()));
  const double scale = !config.scale ? 1 : config.scale_factor ? *config.scale_factor : 1 / root;
  const bool masks_first = config.mask == MaskRoute::causal || config.mask == MaskRoute::custom;
  const bool masks_late = config.mask != MaskRoute::none && !masks_first;
  std::map<Stage, Matrix> stages;
  for (Stage stage :
       {Stage::scores, Stage::masked_scores, Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores,
        Stage::weights, Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights})
    stages[stage] = Matrix(queries.size(), std::vector<double>(keys.size()));
  stages[Stage::head_context] = Matrix(queries.size(), std::vector<double>(values.front().size()));
  const bool masks_early = masks_first && !config.softcap && config.bias.rank() == 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    double largest = -endless;
    std::vector<double> exponents(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      double score = 0;
      for (std::size_t d = 0; d < queries[q].size(); ++d) score += queries[q][d] * keys[k][d];
      const bool is_hidden = hides(config, static_cast<Index>(q), static_cast<Index>(k));
      const double bias = bias_at(added, b, h, static_cast<Index>(q), static_cast<Index>(k));
      stages[Stage::scores][q][k] = score;
      const double scaled = score * scale;
      const double capped = config.softcap ? *config.softcap * std::tanh(scaled / *config.softcap) : scaled;
      stages[Stage::scaled_scores][q][k] = masks_early && is_hidden ? -endless : scaled;
      stages[Stage::capped_scores][q][k] = capped;
      stages[Stage::biased_scores][q][k] = capped + bias;
      stages[Stage::masked_scores][q][k] = is_hidden ? -endless : masks_early ? score : capped + bias;
      exponents[k] = is_hidden && masks_first ? -endless : capped + bias;
      largest = std::max(largest, exponents[k]);
    }
    double sum = 0;
    double seen_sum = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      exponents[k] = largest == -endless ? 0 : std::exp(exponents[k] - largest);
      sum += exponents[k];
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const bool is_hidden = hides(config, static_cast<Index>(q), static_cast<Index>(k));
      const double weight = sum == 0 ? 0 : exponents[k] / sum;
      stages[Stage::weights][q][k] = weight;
      stages[Stage::masked_weights][q][k] = is_hidden ? 0 : weight;
      seen_sum += is_hidden ? 0 : weight;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double masked = stages[Stage::masked_weights][q][k];
      const double renormalized = seen_sum == 0 ? 0 : masked / seen_sum;
      stages[Stage::renormalized_weights][q][k] = renormalized;
      const double last = config.mask == MaskRoute::causal_renormalized ? renormalized
                          : masks_late                                  ? masked
                                                                        : stages[Stage::weights][q][k];
      stages[Stage::dropped_weights][q][k] = last * factors[q][k];
      for (std::size_t d = 0; d < values[k].size(); ++d)
        stages[Stage::head_context][q][d] += last * factors[q][k] * values[k][d];
    }
  }
  return stages;
}

double largest_of(const Matrix& matrix) {
  double largest = 0;
  for (const auto& row : matrix) {
    for (const double cell : row) largest = std::isfinite(cell) ? std::max(largest, std::abs(cell)) : largest;
  }
  return largest;
}

testing::AssertionResult agrees(const Matrix& actual, const Matrix& expected, double largest) {
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t col = 0; col < expected[row].size(); ++col) {
      const double got = actual[row][col];
      const double want = expected[row][col];
      if (got == want || std::abs(got - want) <= allowed_share * largest) continue;
      return testing::AssertionFailure() << "row " << row << ", column " << col << " is " << got << ", expected "
                                         << want << ", where the largest is " << largest;
    }
  }
  return testing::AssertionSuccess();
}

void expect_agreement(const Result& result) {
  const AttentionConfig& config = result.config;
  std::vector<std::map<Stage, Matrix>> expected;
  std::map<Stage, double> largest;
  for (Index matrix = 0; matrix < config.batch_size * head_count(config); ++matrix) {
    expected.push_back(by_loops(result, matrix / head_count(config), matrix % head_count(config)));
    for (const auto& [stage, cells] : expected.back()) largest[stage] = std::max(largest[stage], largest_of(cells));
  }
  for (Index matrix = 0; matrix < std::ssize(expected); ++matrix) {
    for (const auto& [stage, cells] : expected[static_cast<std::size_t>(matrix)]) {
      if (!has_stage(config, stage)) continue;
      const Matrix actual = matrix_of(result, stage, matrix / head_count(config), matrix % head_count(config));
      ASSERT_TRUE(agrees(actual, cells, largest[stage])) << info(stage).id << " of matrix " << matrix;
    }
  }
}

TEST(ByLoops, AThousandRandomDocumentsAgreeInBothWays) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const RandomDocument document(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << describe(document.config()));
    ASSERT_NO_THROW(check(document.config()));
    for (const Way way : both_ways) {
      expect_agreement(evaluate_by(way, document.config(), serial()));
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << (way == Way::readable ? "readable" : "by the engine");
    }
  }
}

// Its weights are zeros before and behind dropout, and so is its context.
TEST(ByLoops, RowsThatAreLeftNoKeyAreZeros) {
  int rows = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomDocument document(seed);
    const AttentionConfig& config = document.config();
    const Result result = evaluate_by_engine(config, serial());
    const Stage last = normalized_weights_stage(config);
    const Matrix weights = matrix_of(result, last, 0, 0);
    const Matrix context = matrix_of(result, Stage::head_context, 0, 0);
    for (Index query = 0; query < query_count(config); ++query) {
      if (!sees_nothing(config, last, 0, query)) continue;
      ++rows;
      for (const double weight : weights[static_cast<std::size_t>(query)]) EXPECT_EQ(weight, 0);
      for (const double cell : context[static_cast<std::size_t>(query)]) EXPECT_EQ(cell, 0);
    }
  }
  EXPECT_GT(rows, 100);
}

}  // namespace
}  // namespace attnscope::test
