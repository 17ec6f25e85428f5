// Queries and keys that turn by the positions of their tokens, against loops in double.

#include "core/rope.h"

#include "core/engine.h"
#include "core/evaluate.h"
#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

AttentionConfig rotated_config(Index tokens, const Rope& rope) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({tokens, 5}, 3);
  config.d_out = 12;
  config.num_heads = 2;
  config.batch_size = 2;
  config.rope = rope;
  return config;
}

std::vector<Rope> ropes() {
  return {{},
          {.base = 100, .layout = RopeLayout::interleaved},
          {.base = 500'000, .dims = 4, .offset = 7},
          {.base = 10, .layout = RopeLayout::interleaved, .dims = 2, .offset = 1000},
          {.base = 100, .scaling = RopeScaling{.kind = RopeScalingKind::linear, .factor = 4}},
          {.base = 50,
           .offset = 3,
           .scaling = RopeScaling{
               .kind = RopeScalingKind::llama3, .factor = 8, .low = 0.2, .high = 2, .original_length = 20}}};
}

// Llama 3.1's rule by wavelengths, in tokens for a whole turn.
double scaled_step(double step, const RopeScaling& scaling) {
  if (scaling.kind == RopeScalingKind::linear) return step / scaling.factor;
  const double length = static_cast<double>(scaling.original_length);
  const double wavelength = 2 * 3.14159265358979323846 / step;
  if (wavelength < length / scaling.high) return step;
  if (wavelength > length / scaling.low) return step / scaling.factor;
  const double smooth = (length / wavelength - scaling.low) / (scaling.high - scaling.low);
  return (1 - smooth) * step / scaling.factor + smooth * step;
}

// One token's numbers of a head after the rotation, written out from the paper.
std::vector<double> turned(std::span<const float> row, const Rope& rope, Index token) {
  std::vector<double> out(row.begin(), row.end());
  const Index dims = rope.dims.value_or(std::ssize(row));
  for (Index pair = 0; pair < dims / 2; ++pair) {
    const bool is_half = rope.layout == RopeLayout::half;
    const auto i = static_cast<std::size_t>(is_half ? pair : 2 * pair);
    const auto j = static_cast<std::size_t>(is_half ? pair + dims / 2 : 2 * pair + 1);
    const double step = 1 / std::pow(rope.base, 2.0 * static_cast<double>(pair) / static_cast<double>(dims));
    const double angle =
        static_cast<double>(token + rope.offset) * (rope.scaling ? scaled_step(step, *rope.scaling) : step);
    const double x = static_cast<double>(row[i]);
    const double y = static_cast<double>(row[j]);
    out[i] = x * std::cos(angle) - y * std::sin(angle);
    out[j] = x * std::sin(angle) + y * std::cos(angle);
  }
  return out;
}

TEST(RotaryPositions, TurnQueriesAndKeysAsThePaperSays) {
  for (const Rope& rope : ropes()) {
    for (const bool is_readable : {true, false}) {
      const AttentionConfig config = rotated_config(70, rope);
      const Result result = is_readable ? evaluate_readable(config, serial()) : evaluate_by_engine(config, serial());
      for (const auto& [from, to] :
           {std::pair(Stage::queries, Stage::rotated_queries), std::pair(Stage::keys, Stage::rotated_keys)}) {
        for (const Index matrix : {0, 3}) {
          const auto before = result.find(from)->matrix(matrix);
          const auto after = result.find(to)->matrix(matrix);
          for (const Index token : {0, 1, 69}) {
            const std::vector<double> expected = turned(before.row(token), rope, token);
            for (Index col = 0; col < after.cols(); ++col) {
              EXPECT_NEAR(after(token, col), expected[static_cast<std::size_t>(col)], 1e-6)
                  << info(to).id << " of token " << token << ", dimension " << col << ", base " << rope.base;
            }
          }
        }
      }
    }
  }
}

TEST(RotaryPositions, EngineAgreesWithTheReadableStages) {
  for (const Rope& rope : ropes()) {
    AttentionConfig config = rotated_config(90, rope);
    config.dropout = 0.2;
    const Result readable = evaluate_readable(config, serial());
    const Result engine = evaluate_by_engine(config, serial());
    for (const Stage stage : {Stage::rotated_queries, Stage::rotated_keys, Stage::context, Stage::output})
      EXPECT_TRUE(close(*engine.find(stage), *readable.find(stage), 4e-6)) << info(stage).id;
    Tensor cells({90, 90});
    read_cells(cells.values, engine, Stage::weights, 2, {0, 0, 90, 90});
    Tensor expected({90, 90});
    read_cells(expected.values, readable, Stage::weights, 2, {0, 0, 90, 90});
    EXPECT_TRUE(close(cells, expected, 4e-6));
  }
}

TEST(RotaryPositions, AreExplainedByTheAnglesThatTurnThem) {
  for (const Rope& rope : ropes()) {
    const AttentionConfig config = rotated_config(9, rope);
    const RopeTable table = rope_table(config, 9);
    const Index pairs = rope_dims(config) / 2;
    for (Index token = 0; token < 9; ++token) {
      for (Index pair = 0; pair < pairs; ++pair) {
        const double angle = rope_angle(config, token, pair);
        const auto at = static_cast<std::size_t>(token * pairs + pair);
        EXPECT_EQ(static_cast<float>(std::cos(angle)), table.cosines[at]) << token << " " << pair;
        EXPECT_EQ(static_cast<float>(std::sin(angle)), table.sines[at]) << token << " " << pair;
      }
    }
  }
}

// The promise of the method: only the distance between query and key counts.
TEST(RotaryPositions, LeaveScoresAsTheyAreWhereAllTokensMove) {
  AttentionConfig config = rotated_config(20, {.base = 100});
  const Result here = evaluate_readable(config, serial());
  config.rope->offset = 50;
  const Result there = evaluate_readable(config, serial());
  EXPECT_FALSE(close(*there.find(Stage::rotated_queries), *here.find(Stage::rotated_queries), 1e-2));
  EXPECT_TRUE(close(*there.find(Stage::scores), *here.find(Stage::scores), 1e-5));
}

TEST(RotaryPositions, AfterAnEditHaveTheBitsOfAFreshEvaluation) {
  const AttentionConfig plain = rotated_config(90, {});
  std::vector<AttentionConfig> all = {plain, plain, plain, plain, plain};
  all[1].rope.reset();
  all[2].rope->base = 100;
  Tensor moved = noise({90, 5}, 3);
  moved.matrix()(40, 2) = 0.5F;
  all[3].inputs = moved;
  all[4].mask = MaskRoute::none;
  for (const bool is_readable : {true, false}) {
    const auto evaluated = [&](const AttentionConfig& config, const Result* before, Engine* engine) {
      return is_readable ? evaluate_readable(config, serial(), before)
                         : evaluate_by_engine(config, serial(), before, engine);
    };
    for (const AttentionConfig& before : all) {
      for (const AttentionConfig& after : all) {
        Engine engine;  // keeps packed keys from the first evaluation to the second
        const Result first = evaluated(before, nullptr, &engine);
        const Result second = evaluated(after, &first, &engine);
        const Result fresh = evaluated(after, nullptr, nullptr);
        EXPECT_TRUE(same_bits(*second.find(Stage::output), *fresh.find(Stage::output)));
        if (has_rope(after)) {
          EXPECT_TRUE(same_bits(*second.find(Stage::rotated_keys), *fresh.find(Stage::rotated_keys)));
        }
      }
    }
  }
}

TEST(RotaryPositions, AreOfMultiHeadAttentionAlone) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    AttentionConfig config = config_of(mechanism.mechanism);
    config.rope = Rope{};
    EXPECT_EQ(has_stage(config, Stage::rotated_keys), mechanism.mechanism == Mechanism::multi_head_attention);
    EXPECT_NO_THROW(evaluate(config));
  }
}

TEST(RotaryPositions, AreRefusedWhereAHeadHasFewerDimensions) {
  AttentionConfig config = rotated_config(6, {.dims = 6});
  EXPECT_NO_THROW(check(config));
  for (const Index dims : {3, 8}) {
    config.rope->dims = dims;
    EXPECT_THROW(check(config), Error) << dims;
  }
}

TEST(RotaryPositions, NameThePairThatANumberFollowsFrom) {
  const AttentionConfig config = rotated_config(6, {.dims = 4});
  const Source cell = {.stage = Stage::rotated_keys, .head = 1, .row = 2, .col = 3};
  const std::vector<SourceLine> pair = operands(config, cell);
  ASSERT_EQ(pair.size(), 2U);
  EXPECT_EQ(pair[0].first, (Source{.stage = Stage::keys, .head = 1, .row = 2, .col = 3}));
  EXPECT_EQ(pair[1].first, (Source{.stage = Stage::keys, .head = 1, .row = 2, .col = 1}));
  EXPECT_EQ(operands(config, {.stage = Stage::rotated_keys, .row = 2, .col = 5}).size(), 1U) << "it does not turn";
}

}  // namespace
}  // namespace attnscope::test
