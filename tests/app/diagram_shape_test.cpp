#include "view/diagram.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/results.h"
#include "document/document.h"
#include "document/edit.h"
#include "document/sweep.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

using scene::DiagramBlock;
using scene::DiagramShape;
using Words = std::vector<std::string>;

AttentionConfig default_config() { return default_document().config; }

DiagramShape shape_for(const AttentionConfig& config, const scene::DiagramChoice& choice = {}) {
  return scene::diagram_shape(evaluate(config), default_document().tokens, {}, choice);
}

std::vector<const DiagramBlock*> blocks_of(const DiagramShape& shape) {
  std::vector<const DiagramBlock*> all;
  for (const auto* const blocks : {&shape.project, &shape.compare, &shape.main_matrix, &shape.mix})
    for (const DiagramBlock& block : *blocks) all.push_back(&block);
  return all;
}

const DiagramBlock* block_of(const DiagramShape& shape, Stage stage) {
  for (const DiagramBlock* const block : blocks_of(shape))
    if (block->stage == stage && !block->is_copy) return block;
  return nullptr;
}

std::set<Stage> stages_of(const DiagramShape& shape) {
  std::set<Stage> all;
  for (const DiagramBlock* const block : blocks_of(shape)) all.insert(block->stage);
  return all;
}

TEST(DiagramShape, HasABlockForEveryStageThatChangesSomething) {
  AttentionConfig config = default_config();
  config.d_out = 4;
  config.dropout = 0.5;
  config.softcap = 30;
  for (const MechanismInfo& mechanism : mechanisms()) {
    config.mechanism = mechanism.mechanism;
    const DiagramShape shape = shape_for(config);
    for (const Stage stage : stages_one_by_one(config)) {
      const bool is_above =
          stage == Stage::capped_scores || stage == Stage::biased_scores || is_parameter(info(stage).axes);
      const bool is_all_context = stage == Stage::head_context && head_count(config) == 1;
      const bool divides_by_one = stage == Stage::scaled_scores && score_scale(config) == 1.0F;
      if (is_above || divides_by_one || is_all_context) continue;
      EXPECT_TRUE(block_of(shape, stage)) << mechanism.id << " " << info(stage).id;
    }
  }
}

// The shape above a matrix is that of the matrix below it: one head's, of one entry of the batch.
TEST(DiagramShape, NamesTheShapeThatIsDrawn) {
  AttentionConfig config = default_config();
  config.d_out = 8;
  config.num_heads = 4;
  config.batch_size = 2;
  std::size_t count = 0;
  for (const bool shares_keys : {false, true}) {
    for (const MechanismInfo& mechanism : mechanisms()) {
      config.mechanism = mechanism.mechanism;
      config.num_kv_heads.reset();
      if (shares_keys && mechanism.mechanism == Mechanism::multi_head_attention) config.num_kv_heads = 2;
      scene::DiagramChoice choice;
      choice.head = head_count(config) - 1;
      const DiagramShape shape = shape_for(config, choice);
      for (const DiagramBlock* const block : blocks_of(shape)) {
        const std::string drawn = fmt::format("({}, {})", block->rows, block->columns.of_head);
        for (const std::string& subtitle : block->subtitles) {
          const std::size_t at = subtitle.find('(');
          if (at == std::string::npos || subtitle.find_first_of("0123456789", at) != at + 1) continue;
          ++count;
          EXPECT_EQ(subtitle.substr(at), drawn) << mechanism.id << " " << info(block->stage).id;
        }
      }
    }
  }
  EXPECT_GT(count, 50U);
}

TEST(DiagramShape, NamesTheWholeShapeOfWhatIsDrawnWhole) {
  AttentionConfig config = default_config();
  config.mechanism = Mechanism::multi_head_attention;
  config.d_out = 4;
  scene::DiagramChoice choice;
  choice.left_out = {Stage::inputs,        Stage::keys,    Stage::values,       Stage::scores,  Stage::masked_scores,
                     Stage::scaled_scores, Stage::weights, Stage::head_context, Stage::context, Stage::output};
  const DiagramShape shape = shape_for(config, choice);
  ASSERT_EQ(shape.main_matrix.size(), 1U);
  EXPECT_EQ(shape.main_matrix.front().stage, Stage::queries);
  EXPECT_EQ(shape.main_matrix.front().subtitles.front(), "(6, 4)");
}

TEST(DiagramShape, ComparesRotatedQueriesWithRotatedKeys) {
  AttentionConfig config = default_config();
  config.d_out = 4;
  config.rope = Rope{};
  const DiagramShape shape = shape_for(config);
  ASSERT_EQ(shape.compare.front().stage, Stage::rotated_queries);
  const DiagramBlock* const scores = block_of(shape, Stage::scores);
  ASSERT_TRUE(scores && scores->above);
  EXPECT_EQ(scores->above->stage, Stage::rotated_keys);
  EXPECT_EQ(scores->above->captions.back(), "R(K)ᵀ");
  EXPECT_TRUE(block_of(shape, Stage::queries)) << "as they were before";
}

TEST(DiagramShape, ComparesNormalizedQueriesWithNormalizedKeys) {
  AttentionConfig config = default_config();
  config.d_out = 4;
  config.qk_norm = QkNorm::rms;
  const DiagramShape shape = shape_for(config);
  ASSERT_EQ(shape.compare.front().stage, Stage::normalized_queries);
  const DiagramBlock* const scores = block_of(shape, Stage::scores);
  ASSERT_TRUE(scores && scores->above);
  EXPECT_EQ(scores->above->captions.back(), "N(K)ᵀ");
  EXPECT_NE(scores->subtitles.front().find("S = N(Q) N(K)ᵀ"), std::string::npos) << scores->subtitles.front();
}

TEST(DiagramShape, SaysInAWordWhatADocumentDoesWithout) {
  AttentionConfig config = default_config();
  config.d_out = 4;
  EXPECT_EQ(shape_for(config).words, Words{});
  config.mask = MaskRoute::none;
  config.scale = false;
  EXPECT_EQ(shape_for(config).words, (Words{"no mask", "not scaled"}));
  EXPECT_EQ(shape_for(config).absent, (std::vector{Stage::masked_scores, Stage::scaled_scores}));
  config.mask = MaskRoute::causal_renormalized;
  EXPECT_EQ(shape_for(config).words, (Words{"masked later", "not scaled"}));
  config.mask = MaskRoute::causal;
  config.scale = true;
  config.d_out = 2;  // one number a head
  EXPECT_EQ(shape_for(config).words, Words{"÷ √1: unchanged"});
  EXPECT_FALSE(block_of(shape_for(config), Stage::scaled_scores));
}

TEST(DiagramShape, SaysOnTheArrowThatDropoutIsOff) {
  AttentionConfig config = default_config();
  const DiagramShape off = shape_for(config);
  EXPECT_EQ(block_of(off, Stage::head_context)->note, "dropout off");
  EXPECT_EQ(block_of(off, Stage::head_context)->passed, std::vector{Stage::dropped_weights});
  config.dropout = 0.5;
  const DiagramShape on = shape_for(config);
  EXPECT_EQ(block_of(on, Stage::head_context)->note, "");
  EXPECT_TRUE(block_of(on, Stage::dropped_weights));
  config.mechanism = Mechanism::self_attention_v1;  // which has no dropout at all
  EXPECT_EQ(block_of(shape_for(config), Stage::context)->note, "");
}

TEST(DiagramShape, HangsRightHandOperandsAboveTheirResults) {
  AttentionConfig config = default_config();
  config.dropout = 0.5;
  const DiagramShape shape = shape_for(config);
  const auto above = [&](Stage result) {
    const DiagramBlock* const block = block_of(shape, result);
    return block && block->above ? block->above->stage : Stage::inputs;
  };
  EXPECT_EQ(above(Stage::queries), Stage::query_weight);
  EXPECT_EQ(above(Stage::keys), Stage::key_weight);
  EXPECT_EQ(above(Stage::values), Stage::value_weight);
  EXPECT_EQ(above(Stage::scores), Stage::keys);
  EXPECT_EQ(above(Stage::masked_scores), Stage::mask);
  EXPECT_EQ(above(Stage::dropped_weights), Stage::dropout_factors);
  EXPECT_EQ(above(Stage::head_context), Stage::values);
  EXPECT_EQ(above(Stage::output), Stage::output_weight);
  EXPECT_TRUE(block_of(shape, Stage::output)->above->bias);
}

TEST(DiagramShape, LeavesOutWhatIsNotChosenAndPutsAnotherMatrixInTheMiddle) {
  const DiagramShape shape =
      shape_for(default_config(), {.left_out = {Stage::weights, Stage::masked_scores, Stage::scaled_scores}});
  EXPECT_FALSE(stages_of(shape).contains(Stage::masked_scores));
  ASSERT_EQ(shape.main_matrix.size(), 1U);
  EXPECT_EQ(shape.main_matrix.front().stage, Stage::scores);
}

TEST(DiagramShape, OfAFileIsItsStageAndNothingElse) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 6;
  attention->heads = 2;
  const DiagramShape shape = scene::diagram_shape(result_of(attention), default_document().tokens, {}, {});
  EXPECT_EQ(stages_of(shape), std::set<Stage>{Stage::weights});
  EXPECT_EQ(shape.words, Words{}) << "nothing is known of what it was computed with";
  EXPECT_EQ(shape.main_matrix.front().subtitles.front(), "from the file (6, 6)");
}

TEST(DiagramShape, OfADifferenceHasTheStagesThatBothHave) {
  const Result a = evaluate(default_config());
  AttentionConfig config = default_config();
  config.d_out = 6;
  const DiagramShape shape = scene::diagram_shape(
      *difference_of(std::make_shared<const Result>(evaluate(config)), std::make_shared<const Result>(a)),
      default_document().tokens, {}, {});
  EXPECT_TRUE(block_of(shape, Stage::weights));
  EXPECT_FALSE(block_of(shape, Stage::output)) << "of another shape in A";
}

TEST(DiagramWords, SayWhatHappensInEveryStageThatIsShown) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const Index heads : {1, 2}) {
      Document document = default_document();
      document.config.softcap = 30;
      set_mechanism(document, mechanism.mechanism);
      document.config.num_heads = heads;
      std::set<std::string> lines;
      for (const Stage stage : stages_one_by_one(document.config)) {
        const std::string line = about(document.config, stage);
        EXPECT_NE(line, info(stage).formula) << info(stage).id;
        EXPECT_TRUE(lines.insert(line).second) << info(stage).id << " says what another one says";
        EXPECT_TRUE(head_count(document.config) > 1 || line.find("heads") == std::string::npos) << line;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
