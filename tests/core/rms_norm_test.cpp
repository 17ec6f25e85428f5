// Queries and keys that are normalized, against loops in double.

#include "core/rope.h"

#include "core/parameters.h"
#include "core/source.h"
#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

const std::vector<float> key_gains = {1.5F, -0.5F, 2, 0.25F, 1, 3};

AttentionConfig normalized_config() {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({70, 5}, 3);
  config.d_out = 24;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.batch_size = 2;
  config.qk_norm = QkNorm::rms;
  config.weight_overrides["k_norm.weight"] = Tensor({6}, {key_gains.begin(), key_gains.end()});
  return config;
}

TEST(RmsNorm, DividesEachRowByItsRootMeanSquare) {
  for (const bool is_readable : {true, false}) {
    const AttentionConfig config = normalized_config();
    const Result result = is_readable ? evaluate_readable(config, serial()) : evaluate_by_engine(config, serial());
    for (const auto& [from, to] :
         {std::pair(Stage::queries, Stage::normalized_queries), std::pair(Stage::keys, Stage::normalized_keys)}) {
      const Index matrices = result.find(from)->matrix_count();
      ASSERT_EQ(matrices, from == Stage::keys ? 4 : 8);
      for (Index matrix = 0; matrix < matrices; ++matrix) {
        const auto before = result.find(from)->matrix(matrix);
        const auto after = result.find(to)->matrix(matrix);
        for (Index token = 0; token < after.rows(); ++token) {
          double squares = 0;
          for (const float number : before.row(token))
            squares += static_cast<double>(number) * static_cast<double>(number);
          const double root = std::sqrt(squares / 6 + 1e-6);
          for (Index col = 0; col < 6; ++col) {
            const double gain =
                to == Stage::normalized_keys ? static_cast<double>(key_gains[static_cast<std::size_t>(col)]) : 1;
            EXPECT_NEAR(after(token, col), static_cast<double>(before(token, col)) / root * gain, 1e-6)
                << info(to).id << " of matrix " << matrix << ", token " << token << ", dimension " << col;
          }
        }
      }
    }
  }
}

TEST(RmsNorm, TurnsWhatIsNormalized) {
  AttentionConfig config = normalized_config();
  const Result plain = evaluate_by_engine(config, serial());
  config.rope = Rope{};
  const Result turned = evaluate_by_engine(config, serial());
  EXPECT_EQ(turned.find(Stage::rotated_keys)->matrix(1)(0, 2), plain.find(Stage::normalized_keys)->matrix(1)(0, 2))
      << "position 0 turns by nothing";
  const auto length = [](const Result& result, Stage stage) {
    return root_mean_square(result.find(stage)->matrix(3).row(9), 0);
  };
  EXPECT_NEAR(length(turned, Stage::rotated_queries), length(plain, Stage::normalized_queries), 1e-6);
}

TEST(RmsNorm, DrawsNothing) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const std::uint64_t words = words_of_parameters(config);
  const Tensor output = drawn_parameter(config, "out_proj.weight");
  config.qk_norm = QkNorm::rms;
  EXPECT_EQ(words_of_parameters(config), words);
  EXPECT_EQ(drawn_parameter(config, "out_proj.weight"), output);
  EXPECT_EQ(drawn_parameter(config, "q_norm.weight").values, AlignedFloats(1, 1.0F));
}

TEST(RmsNorm, IsOfMultiHeadAttentionAlone) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    AttentionConfig config = config_of(mechanism.mechanism);
    config.qk_norm = QkNorm::rms;
    EXPECT_EQ(has_stage(config, Stage::normalized_keys), mechanism.mechanism == Mechanism::multi_head_attention)
        << mechanism.id;
  }
}

// A changed gain changes what is compared, and so the weights; values stay as they were.
TEST(RmsNorm, AChangedGainIsComputedAnew) {
  AttentionConfig config = normalized_config();
  const Result before = evaluate_by_engine(config, serial());
  Tensor gains({6});
  gains.values.assign(6, 2.0F);
  config.weight_overrides["q_norm.weight"] = gains;
  const Result after = evaluate(config, serial(), &before);
  const Result anew = evaluate_by_engine(config, serial());
  for (const Stage stage : {Stage::normalized_queries, Stage::context, Stage::output}) {
    EXPECT_EQ(*after.find(stage), *anew.find(stage)) << info(stage).id;
    EXPECT_NE(*after.find(stage), *before.find(stage)) << info(stage).id;
  }
}

}  // namespace
}  // namespace attnscope::test
