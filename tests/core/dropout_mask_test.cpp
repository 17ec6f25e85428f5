#include "core/dropout.h"

#include "support.h"

namespace attnscope::test {
namespace {

AttentionConfig dropping(Mechanism mechanism, DropoutKernel kernel, double rate) {
  AttentionConfig config = config_of(mechanism);
  config.inputs = RandnInputs{.tokens = 71, .features = 2};
  config.num_heads = 3;
  config.d_out = 3;
  config.batch_size = 2;
  config.dropout = rate;
  config.dropout_kernel = kernel;
  return config;
}

bool bit(const std::vector<std::uint64_t>& bits, Index k) {
  return (bits.at(static_cast<std::size_t>(k / 64)) >> (k % 64) & 1) != 0;
}

void expect_factors(const DropoutMask& mask, const Tensor& factors) {
  DropoutRows rows(mask);
  std::vector<std::uint64_t> bits(2);
  for (Index m = 0; m < factors.matrix_count(); ++m) {
    for (Index query = 0; query < factors.rows(); ++query) {
      const Index first = query % 5;
      const Index count = factors.cols() - first - query % 3;
      rows.read(bits, m, query, first, count);
      for (Index k = 0; k < count; ++k) {
        ASSERT_EQ(bit(bits, k) ? mask.factor() : 0, factors.matrix(m)(query, first + k))
            << "matrix " << m << " query " << query << " key " << first + k << " in " << mask.bytes() << " bytes";
      }
    }
  }
}

TEST(DropoutMask, KeepsWhatTheFactorsKeep) {
  for (const Mechanism mechanism :
       {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper, Mechanism::causal_attention}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      for (const double rate : {0.25, 0.9, 1.0}) {
        const AttentionConfig config = dropping(mechanism, kernel, rate);
        SCOPED_TRACE(describe(config));
        const Result result = evaluate_readable(config, serial());
        for (const std::uint64_t bytes : {dropout_mask_bytes, std::uint64_t{20000}, std::uint64_t{0}}) {
          expect_factors(DropoutMask(config, result.after_parameters, serial(), bytes),
                         *result.find(Stage::dropout_factors));
        }
      }
    }
  }
}

TEST(DropoutMask, HoldsWhatTheUserKeepsAndDrops) {
  for (const Mechanism mechanism : {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      for (const double rate : {0.0, 0.5}) {
        AttentionConfig config = dropping(mechanism, kernel, rate);
        const Result drawn = evaluate_readable(config, serial());
        config.dropout_edits = {{0, 0, 0, 0, true}, {0, 2, 70, 64, false}, {1, 1, 5, 3, false}, {1, 1, 5, 70, true}};
        const Result result = evaluate_readable(config, serial(), &drawn);
        Tensor expected = *drawn.find(Stage::dropout_factors);
        const auto factor = static_cast<float>(1 / (1 - rate));
        for (const DropoutEdit& edit : config.dropout_edits)
          expected.matrix(edit.batch * 3 + edit.head)(edit.query, edit.key) = edit.keeps ? factor : 0;
        EXPECT_TRUE(same_bits(*result.find(Stage::dropout_factors), expected)) << describe(config);
        for (const std::uint64_t bytes : {dropout_mask_bytes, std::uint64_t{0}}) {
          const DropoutMask mask(config, result.after_parameters, serial(), bytes);
          expect_factors(mask, expected);
          EXPECT_EQ(mask.bytes(), DropoutMask::bytes_for(config, bytes));
        }
      }
    }
  }
}

TEST(DropoutMask, NothingIsKeptAtARateOfOneAndNothingIsDroppedOutsideTraining) {
  AttentionConfig config = dropping(Mechanism::causal_attention, DropoutKernel::mkl, 1);
  config.dropout_edits = {{0, 0, 0, 0, true}};
  EXPECT_EQ(evaluate_readable(config, serial()).find(Stage::dropout_factors)->values.front(), 0);
  config.dropout = 0.5;
  config.training = false;
  config.dropout_edits = {{0, 0, 0, 0, false}};
  EXPECT_EQ(evaluate_readable(config, serial()).find(Stage::dropout_factors)->values.front(), 1);
}

// Weights far apart, backwards and twice: what is read before makes no difference.
TEST(DropoutMask, RowsAreTheSameInAnyOrder) {
  const AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  const DropoutMask bits(config, Generator(3), serial());
  const DropoutMask marks(config, Generator(3), serial(), 0);
  EXPECT_LT(marks.bytes(), 8 * sizeof(MersenneTwister));
  DropoutRows rows(marks);
  std::vector<std::uint64_t> expected(2);
  std::vector<std::uint64_t> actual(2);
  for (const Index row : {5, 6, 6, 300, 70, 2, 425, 64, 65, 0}) {
    DropoutRows(bits).read(expected, row / 71, row % 71, 3, 66);
    rows.read(actual, row / 71, row % 71, 3, 66);
    EXPECT_EQ(actual, expected) << "row " << row;
  }
}

TEST(DropoutMask, StaysWithinItsMemory) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  config.inputs = RandnInputs{.tokens = 1024, .features = 2};
  for (const std::uint64_t bytes : {std::uint64_t{2} << 20, std::uint64_t{700'000}, std::uint64_t{400'000}}) {
    const DropoutMask mask(config, Generator(1), serial(), bytes);
    EXPECT_LE(mask.bytes(), bytes);
    EXPECT_EQ(mask.bytes(), DropoutMask::bytes_for(config, bytes));
  }
}

TEST(DropoutMask, KeepsEverythingWhereNothingIsDropped) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  config.training = false;
  const DropoutMask mask(config, Generator(1), serial());
  std::vector<std::uint64_t> bits(1);
  DropoutRows(mask).read(bits, 0, 0, 0, 64);
  EXPECT_EQ(bits.front(), ~std::uint64_t{0});
  EXPECT_EQ(mask.factor(), 1);
}

TEST(DropoutMask, OfTheMklKernelTakesHardlyAnyMemory) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention_wrapper, DropoutKernel::mkl, 0.5);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 2};
  const DropoutMask mask(config, Generator(1), serial());
  EXPECT_LT(mask.bytes(), 4096U);
  config.inputs = RandnInputs{.tokens = 128, .features = 2};
  config.dropout_kernel = DropoutKernel::standard;
  EXPECT_LT(DropoutMask(config, Generator(1), serial()).bytes(), 128U * 128 * 2 * 3 / 8 + 4096);
}

}  // namespace
}  // namespace attnscope::test
