#include "core/kernels/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "attend_by_loops.h"
#include "core/error.h"
#include "support.h"

namespace attnscope::test {
namespace {

class EveryInstructionSet : public testing::TestWithParam<const Kernels*> {};

TEST_P(EveryInstructionSet, MultipliesPanelsOfAnySize) {
  const Kernels& set = *GetParam();
  for (const std::ptrdiff_t rows : {1, 5, 6, 7, 20}) {
    for (const std::ptrdiff_t depth : {1, 3, 16, 67}) {
      for (int groups = 1; groups <= set.panel_width / set.lanes; ++groups) {
        const Floats a = random_floats(rows * depth, 1);
        const Floats panel = random_floats(depth * set.panel_width, 2);
        const Floats bias = random_floats(set.panel_width, 3);
        Floats c(static_cast<std::size_t>(rows * set.panel_width), -9.0F);
        std::vector<float*> places;
        for (int g = 0; g < groups; ++g) places.push_back(c.data() + g * set.lanes);
        set.multiply_panel({.a = a.data(),
                            .a_stride = depth,
                            .rows = rows,
                            .depth = depth,
                            .panel = panel.data(),
                            .bias = bias.data(),
                            .groups = places.data(),
                            .group_count = groups,
                            .c_stride = set.panel_width});
        for (std::ptrdiff_t r = 0; r < rows; ++r) {
          for (std::ptrdiff_t j = 0; j < set.panel_width; ++j) {
            double wanted = static_cast<double>(bias[static_cast<std::size_t>(j)]);
            for (std::ptrdiff_t k = 0; k < depth; ++k) {
              wanted += static_cast<double>(a[static_cast<std::size_t>(r * depth + k)]) *
                        static_cast<double>(panel[static_cast<std::size_t>(k * set.panel_width + j)]);
            }
            if (j >= groups * set.lanes) wanted = -9;  // not asked for, not touched
            EXPECT_NEAR(c[static_cast<std::size_t>(r * set.panel_width + j)], wanted, 1e-4)
                << rows << " x " << depth << ", " << groups << " groups, cell " << r << ", " << j;
          }
        }
      }
    }
  }
}

constexpr MaskRoute every_route[] = {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax,
                                     MaskRoute::causal_renormalized};

TEST_P(EveryInstructionSet, AttendsLikePlainLoops) {
  for (const std::ptrdiff_t tokens : {1, 2, 6, 13, 63, 64, 65, 131}) {
    for (const std::ptrdiff_t head_dim : {1, 2, 16, 37, 64}) {
      for (const MaskRoute mask : every_route) {
        for (const bool drops : {false, true}) {
          Attention a = square(tokens, head_dim, mask);
          a.drops = drops;
          expect_attention(*GetParam(), a);
        }
      }
    }
  }
}

TEST_P(EveryInstructionSet, AttendsAcrossChunksOfKeys) {
  for (const MaskRoute mask : every_route) {
    Attention a = square(2300, 20, mask);
    a.drops = true;
    a.spread = 6;
    expect_attention(*GetParam(), a);
  }
}

// Windows, masks that end in the lower right corner, fewer queries than keys and more: some queries see nothing.
TEST_P(EveryInstructionSet, AttendsToTheKeysThatEachQuerySees) {
  for (const auto& [queries, visibility] :
       {std::pair<std::ptrdiff_t, Visibility>{70, {.keys = 70, .first = -9, .last = 1}},
        {70, {.keys = 70, .first = -3, .last = 5}},
        {20, {.keys = 131, .last = 112}},
        {131, {.keys = 20, .last = -110}},
        {131, {.keys = 50, .first = -40, .last = 1}},
        {40, {.keys = 2300, .first = 1100, .last = 2261}},
        {7, {.keys = 9, .last = -20}}}) {
    for (const MaskRoute mask : every_route) {
      for (const bool drops : {false, true}) {
        if (mask == MaskRoute::none) continue;
        expect_attention(*GetParam(), {queries, 20, visibility, mask, false, drops, 3});
      }
    }
  }
}

TEST_P(EveryInstructionSet, AttendsToMoreKeysThanQueriesWithoutAMask) {
  expect_attention(*GetParam(), {.queries = 13, .head_dim = 16, .visibility = {.keys = 90}});
  expect_attention(*GetParam(), {.queries = 90, .head_dim = 16, .visibility = {.keys = 13}});
}

// Nothing but scores of minus infinity is not the same as nothing to see; beside others, they weigh nothing.
TEST_P(EveryInstructionSet, ScoresThatOverflowedAreNotHidden) {
  constexpr float large = 2e20F;
  for (const bool masks_weights : {false, true}) {
    Attention a = square(2100, 2, masks_weights ? MaskRoute::causal_after_softmax : MaskRoute::causal);
    Operands operands(a);
    std::ranges::fill(operands.queries, large);
    std::ranges::fill(operands.keys, -large);
    const Answer overflowed = run(*GetParam(), a, operands, 0);
    for (const std::size_t row : {std::size_t{0}, std::size_t{5}, std::size_t{2099}}) {
      EXPECT_TRUE(std::isnan(overflowed.context[row * 2])) << row;
    }
    std::fill_n(operands.keys.begin() + 2 * 2050, 2, 0.0F);  // beyond the first chunk
    const Answer one_left = run(*GetParam(), a, operands, 0);
    EXPECT_EQ(std::isnan(one_left.context[2 * 2049]), !masks_weights);
    EXPECT_FLOAT_EQ(one_left.context[2 * 2060], operands.values[2 * 2050]);
  }
}

// Values that are alike, weighed alike: every addition rounds in the same direction.
TEST_P(EveryInstructionSet, SumsLoseNothingWithLength) {
  for (const std::ptrdiff_t tokens : {200, 1300, 4096, 16384}) {
    for (const MaskRoute mask : every_route) {
      Attention a = square(tokens, 48, mask);
      Operands operands(a);
      std::ranges::fill(operands.queries, 0.01F);
      for (std::ptrdiff_t key = 0; key < tokens; ++key) {
        for (std::ptrdiff_t d = 0; d < 48; ++d) {
          operands.keys[static_cast<std::size_t>(key * 48 + d)] = key % 3 == 0 ? 0.7F : -0.9F;
          operands.values[static_cast<std::size_t>(key * 48 + d)] = 1 + static_cast<float>(d) / 47;
        }
      }
      const std::ptrdiff_t first_query = tokens - 13;
      const Answer answer = run(*GetParam(), a, operands, first_query);
      const std::size_t row = answer.context.size() / 48 - 1;
      for (std::size_t d = 0; d < 48; ++d) {
        EXPECT_NEAR(answer.context[row * 48 + d], operands.values[d], 2 * 4e-6) << tokens << " tokens, feature " << d;
      }
    }
  }
}

// Products of two numbers whose sums nearly always round in the same direction.
constexpr float one_factor = 0x1.a9d26p+0F;
constexpr float other_factor = 0x1.ed8698p-1F;

TEST_P(EveryInstructionSet, ProjectionsLoseNothingWithDepth) {
  const Kernels& set = *GetParam();
  for (const std::ptrdiff_t depth : {100, 768, 1024, 1367, 12288}) {
    const Floats a(static_cast<std::size_t>(depth), one_factor);
    const Floats panel(static_cast<std::size_t>(depth * set.panel_width), other_factor);
    Floats c(static_cast<std::size_t>(set.lanes));
    float* const place = c.data();
    set.multiply_panel({.a = a.data(),
                        .a_stride = depth,
                        .rows = 1,
                        .depth = depth,
                        .panel = panel.data(),
                        .groups = &place,
                        .group_count = 1,
                        .c_stride = set.lanes});
    const double wanted = static_cast<double>(depth) * one_factor * other_factor;
    for (const float value : c) EXPECT_NEAR(value / wanted, 1, 4e-6) << depth;
  }
}

TEST_P(EveryInstructionSet, ScoresLoseNothingWithFeatures) {
  for (const std::ptrdiff_t head_dim : {100, 768, 1024, 1367, 12288}) {
    const Attention a = square(3, head_dim, MaskRoute::none);
    Operands operands(a);
    const double product = static_cast<double>(head_dim) * one_factor * other_factor * static_cast<double>(scale_of(a));
    std::ranges::fill(operands.queries, static_cast<float>(one_factor / product));  // a score of 1 with the first key
    std::ranges::fill(operands.keys, 0.0F);
    std::ranges::fill(operands.values, 0.0F);
    std::fill_n(operands.keys.begin(), head_dim, other_factor);
    std::fill_n(operands.values.begin(), head_dim, 1.0F);
    const double wanted = std::exp(1) / (std::exp(1) + 2);
    for (const float weight : run(*GetParam(), a, operands, 0).context) EXPECT_NEAR(weight, wanted, 2e-6) << head_dim;
  }
}

TEST_P(EveryInstructionSet, DividesByTheSumWhereAsked) {
  for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal_renormalized}) {
    Attention a = square(6, 3, mask);
    a.by_sum = true;
    const Answer answer = run(*GetParam(), a, Operands(a), 0);
    for (std::ptrdiff_t query = 0; query < a.queries; ++query) expect_row(a, Operands(a), answer, 0, query);
  }
}

// Minus infinity divided by a sum of minus infinity, as in PyTorch.
TEST_P(EveryInstructionSet, SumOverMaskedScoresIsNotANumber) {
  Attention a = square(8, 3, MaskRoute::causal);
  a.by_sum = true;
  const Answer answer = run(*GetParam(), a, Operands(a), 0);
  EXPECT_TRUE(std::isnan(answer.context[0]));
  EXPECT_TRUE(std::isnan(answer.context[6 * 3]));
  EXPECT_FALSE(std::isnan(answer.context[7 * 3])) << "the last query sees every key";
}

TEST_P(EveryInstructionSet, VeryUnequalScoresGiveExactZeros) {
  Attention a = square(40, 16, MaskRoute::causal);
  a.spread = 4000;
  const Answer answer = run(*GetParam(), a, Operands(a), 0);
  for (std::ptrdiff_t query = 0; query < a.queries; ++query) {
    EXPECT_TRUE(std::isfinite(answer.context[static_cast<std::size_t>(query * a.head_dim)]));
  }
}

TEST_P(EveryInstructionSet, FindsTheFiniteNumbersOfARow) {
  for (const std::ptrdiff_t count : {0, 1, 3, 4, 7, 15, 16, 17, 40, 1031}) {
    Floats row = random_floats(count, 5);
    for (std::size_t i = 0; i < row.size(); i += 7) row[i] = i % 2 == 0 ? infinity : -infinity;
    if (count > 3) row[3] = std::numeric_limits<float>::quiet_NaN();
    RowNumbers wanted{infinity, -infinity, 0};
    for (const float value : row) {
      if (!std::isfinite(value)) continue;
      wanted.low = std::min(wanted.low, value);
      wanted.high = std::max(wanted.high, value);
      wanted.sum += static_cast<double>(value);
    }
    row.push_back(-99);  // stands behind the row
    const RowNumbers numbers = GetParam()->row_numbers(row.data(), count);
    EXPECT_EQ(numbers.low, wanted.low) << count;
    EXPECT_EQ(numbers.high, wanted.high) << count;
    EXPECT_NEAR(numbers.sum, wanted.sum, 1e-12 * static_cast<double>(count)) << count;
  }
}

// torch.nn.functional.silu, and gelu with approximate="tanh".
TEST_P(EveryInstructionSet, ActivatesAsTheFormulasSay) {
  const double root = std::sqrt(2 / std::numbers::pi);
  for (const std::ptrdiff_t count : {0, 1, 3, 4, 7, 16, 23, 48, 101}) {
    std::vector<float> silu;
    for (std::ptrdiff_t i = 0; i <= count; ++i) silu.push_back(static_cast<float>(i * 37 % 101 - 50) / 3);
    silu.back() = -99;  // stands behind the row
    std::vector<float> gelu = silu;
    const std::vector<float> before = silu;
    GetParam()->swish(silu.data(), count, 1, 0);
    GetParam()->swish(gelu.data(), count, static_cast<float>(2 * root), static_cast<float>(2 * root * 0.044715));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const auto x = static_cast<double>(before[i]);
      EXPECT_NEAR(silu[i], x / (1 + std::exp(-x)), 1e-6 * std::abs(x)) << x;
      EXPECT_NEAR(gelu[i], 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x))), 1e-6 * std::abs(x)) << x;
    }
    EXPECT_EQ(silu.back(), -99);
    EXPECT_EQ(gelu.back(), -99);
  }
  for (const float x : {-3e38F, -1e30F, 1e30F, 3e38F}) {
    float silu = x;
    GetParam()->swish(&silu, 1, 1, 0);
    EXPECT_EQ(silu, std::max(x, 0.0F)) << x;
  }
}

// Whether a set rounds a * b + c once.
bool fuses(const Kernels& set) { return set.lanes >= 8; }

void expect_same_bits(const Floats& numbers, const Floats& others) {
  ASSERT_EQ(numbers.size(), others.size());
  EXPECT_EQ(std::memcmp(numbers.data(), others.data(), numbers.size() * sizeof(float)), 0);
}

// A set adds in the same lanes and in the same order as every other that rounds as it does.
TEST_P(EveryInstructionSet, AttendsWithTheSameBitsAsThoseThatRoundAlike) {
  std::vector<Attention> all;
  for (const std::ptrdiff_t tokens : {5, 9, 17, 65, 131, 2300}) {
    for (const MaskRoute mask : every_route) {
      all.push_back(square(tokens, 37, mask));
      all.back().drops = tokens % 2 == 1;
    }
  }
  all.push_back(
      {.queries = 70, .head_dim = 20, .visibility = {.keys = 70, .first = -9, .last = 1}, .mask = MaskRoute::causal});
  all.push_back({.queries = 40,
                 .head_dim = 20,
                 .visibility = {.keys = 2300, .first = 1107, .last = 2261},
                 .mask = MaskRoute::causal});
  all.push_back({.queries = 13, .head_dim = 16, .visibility = {.keys = 90}, .by_sum = true});
  for (const Kernels* other : available_kernels()) {
    if (fuses(*other) != fuses(*GetParam())) continue;
    for (const Attention& a : all) {
      SCOPED_TRACE(testing::Message() << other->name << ", " << a.queries << " queries");
      const Operands operands(a);
      const Answer answer = run(*GetParam(), a, operands, 0);
      const Answer wanted = run(*other, a, operands, 0);
      expect_same_bits(answer.context, wanted.context);
    }
  }
}

TEST(Kernels, AreTheBestOnesUnlessNamed) {
  EXPECT_EQ(&kernels_named(""), available_kernels().front());
  for (const Kernels* set : available_kernels()) EXPECT_EQ(&kernels_named(set->name), set);
  EXPECT_THROW(kernels_named("avx1024"), Error);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryInstructionSet, testing::ValuesIn(available_kernels()),
                         [](const auto& set) { return std::string(set.param->name); });

}  // namespace
}  // namespace attnscope::test
