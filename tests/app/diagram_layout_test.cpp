#include "look/diagram_layout.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/external_attention.h"
#include "look/diagram_arrows.h"
#include "look/diagram_of_file.h"

namespace attnscope {
namespace {

AttentionConfig config_of(Mechanism mechanism, MaskRoute mask = MaskRoute::causal, bool scale = true,
                          double dropout = 0) {
  AttentionConfig config;
  config.inputs = RandnInputs{6, 3};
  config.mechanism = mechanism;
  config.mask = mask;
  config.scale = scale;
  config.dropout = dropout;
  config.d_out = 4;
  config.num_heads = 2;
  return config;
}

DiagramText text_of(float scale) {
  return {.width_of = [scale](std::string_view words) { return 7 * scale * static_cast<float>(words.size()); },
          .line = 15 * scale,
          .heading = 18 * scale,
          .row_labels = 50 * scale,
          .widest_label = 44 * scale,
          .longest_upright = 64 * scale,
          .row_sums = 36 * scale,
          .gap = 6 * scale,
          .number_width = 30 * scale,
          .number_height = 13 * scale};
}

std::vector<AttentionConfig> every_option() {
  std::vector<AttentionConfig> configs;
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const MaskRoute mask :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      for (const bool scale : {true, false}) {
        for (const double dropout : {0.0, 0.5}) configs.push_back(config_of(mechanism.mechanism, mask, scale, dropout));
      }
    }
  }
  return configs;
}

bool overlap(const DiagramBox& a, const DiagramBox& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::string name_of(const AttentionConfig& config, const PlacedMatrix& placed) {
  return fmt::format("{} at {} of {}, mask {}, scale {}, dropout {}", info(placed.matrix.stage).id,
                     info(placed.matrix.result).id, info(config.mechanism).id, static_cast<int>(config.mask),
                     config.scale, config.dropout);
}

TEST(Diagram, HasAStageInTheSamePlaceWhateverTheOptions) {
  const DiagramLayout first = layout_diagram(every_option().front(), text_of(1), 1280, 900);
  for (const AttentionConfig& config : every_option()) {
    const DiagramLayout layout = layout_diagram(config, text_of(1), 1280, 900);
    EXPECT_EQ(layout.width, first.width);
    EXPECT_EQ(layout.height, first.height);
    for (const PlacedMatrix& placed : layout.matrices) {
      if (placed.matrix.role != DiagramRole::result) continue;
      const PlacedMatrix* const before = first.result(placed.matrix.stage);
      ASSERT_TRUE(before) << name_of(config, placed);
      EXPECT_EQ(placed.slot.x, before->slot.x) << name_of(config, placed);
      EXPECT_EQ(placed.slot.bottom(), before->slot.bottom()) << name_of(config, placed);
      EXPECT_EQ(placed.slot.width, before->slot.width) << name_of(config, placed);
    }
  }
}

TEST(Diagram, PutsNoMatrixOrHeaderOnAnother) {
  for (const float scale : {0.75F, 1.0F, 2.0F}) {
    for (const AttentionConfig& config : every_option()) {
      const DiagramLayout layout = layout_diagram(config, text_of(scale), 1280, 720);
      for (const PlacedMatrix& a : layout.matrices) {
        EXPECT_GE(a.cells.x, 0) << name_of(config, a);
        EXPECT_GE(a.header.y, 0) << name_of(config, a);
        EXPECT_LE(a.slot.right(), layout.width) << name_of(config, a);
        EXPECT_LE(a.slot.bottom(), layout.height) << name_of(config, a);
        for (const PlacedMatrix& b : layout.matrices) {
          if (&a == &b) continue;
          EXPECT_FALSE(overlap(a.slot, b.slot)) << name_of(config, a) << "\n" << name_of(config, b);
          const bool both_have_headers = a.matrix.is_present && b.matrix.is_present && b.header.height > 0;
          EXPECT_FALSE(both_have_headers && overlap(a.cells, b.header)) << name_of(config, a) << "\n"
                                                                        << name_of(config, b);
        }
      }
    }
  }
}

TEST(Diagram, FitsTheWindowWhereNumbersFitAndKeepsThemLegibleWhereTheyDoNot) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const DiagramText text = text_of(1);
  const DiagramLayout large = layout_diagram(config, text, 1700, 1100);
  EXPECT_LE(large.width, 1700);
  EXPECT_LE(large.height, 1100);
  EXPECT_GT(large.result(Stage::scores)->cells.width / 6, text.number_width);
  const DiagramLayout small = layout_diagram(config, text, 300, 200);
  EXPECT_GE(small.result(Stage::scores)->cells.width / 6, text.number_width);
  EXPECT_GE(small.cell_height, text.number_height);
}

TEST(Diagram, HasNarrowerColumnsWhereThereAreNoSignsAndNoneOfAnotherWidth) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, true, 0.5);
  DiagramText text = text_of(1);
  text.sign_width = 6;
  const DiagramLayout layout = layout_diagram(config, text, 300, 200);
  const auto width = [&](Stage stage) { return layout.result(stage)->cells.width / 6; };
  EXPECT_EQ(width(Stage::scores), text.number_width);
  EXPECT_EQ(width(Stage::weights), text.number_width - 6);
  EXPECT_EQ(width(Stage::dropped_weights), text.number_width - 6);
  EXPECT_LT(layout.width, layout_diagram(config, text_of(1), 300, 200).width);
  for (const PlacedMatrix& placed : layout.matrices) EXPECT_LE(placed.slot.right(), layout.width);
}

TEST(Diagram, GivesHeadersALineMoreOnlyWhereCellsStayTall) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention);
  EXPECT_TRUE(layout_diagram(config, text_of(1), 1700, 1100).headers_are_roomy);
  EXPECT_FALSE(layout_diagram(config, text_of(1), 1280, 720).headers_are_roomy);
}

TEST(Diagram, OfAFileHasItsStageInPlaceAndSaysWhatItLacks) {
  auto attention = std::make_shared<ExternalAttention>();
  attention->tokens = 6;
  attention->heads = 2;
  const DiagramLayout layout = layout_diagram(result_of(attention), text_of(1), 1280, 900);
  for (const PlacedMatrix& placed : layout.matrices) {
    const bool is_read = placed.matrix.stage == Stage::weights && placed.matrix.role == DiagramRole::result;
    EXPECT_EQ(placed.matrix.is_present, is_read) << info(placed.matrix.stage).id;
    if (is_read || placed.matrix.role != DiagramRole::result) continue;
    EXPECT_TRUE(placed.matrix.absence.ends_with(": not in the file")) << placed.matrix.absence;
    EXPECT_GT(placed.slot.width, 0.0F);
  }
  EXPECT_GT(layout.result(Stage::weights)->cells.width, 0.0F);
}

TEST(Diagram, HangsRightHandOperandsAboveTheirResults) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, true, 0.5);
  const DiagramLayout layout = layout_diagram(config, text_of(1), 1280, 900);
  int operands = 0;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (placed.matrix.role != DiagramRole::above) continue;
    const PlacedMatrix* const result = layout.result(placed.matrix.result);
    ASSERT_TRUE(result);
    EXPECT_EQ(placed.slot.x, result->slot.x) << name_of(config, placed);
    EXPECT_LT(placed.slot.bottom(), result->slot.y) << name_of(config, placed);
    operands += placed.matrix.is_present ? 1 : 0;
  }
  EXPECT_EQ(operands, 8);  // W of queries, keys, values; keys; mask; dropout; values; out_proj
}

TEST(Diagram, SaysWhyAPlaceIsEmpty) {
  for (const AttentionConfig& config : every_option()) {
    for (const DiagramMatrix& matrix : diagram_matrices(config)) {
      if (matrix.role != DiagramRole::result) continue;
      EXPECT_EQ(matrix.is_present, matrix.absence.empty()) << info(matrix.stage).id;
    }
  }
}

// The inputs are typed and what stands above a result is said by its place; all else is reached by an arrow.
TEST(Diagram, LeadsAnArrowToEachResultWithoutCrossingAnother) {
  for (const AttentionConfig& config : every_option()) {
    const DiagramText text = text_of(1);
    const DiagramLayout layout = layout_diagram(config, text, 1280, 900);
    const std::vector<DiagramArrow> arrows = diagram_arrows(config, layout, text, 0);
    for (const PlacedMatrix& placed : layout.matrices) {
      if (!placed.matrix.is_present || placed.matrix.role != DiagramRole::result) continue;
      if (info(placed.matrix.stage).place.is_above) continue;
      const DiagramBox& box = placed.cells;
      const bool is_reached = std::ranges::any_of(arrows, [&](const DiagramArrow& arrow) {
        const DiagramPoint& tip = arrow.points.back();
        const bool is_beside = tip.x <= box.x && tip.x > box.x - 10 && tip.y > box.y - 1 && tip.y < box.bottom() + 1;
        return is_beside || (tip.x > box.x && tip.x < box.right() && tip.y < box.y);
      });
      EXPECT_TRUE(is_reached || placed.matrix.stage == Stage::inputs) << name_of(config, placed);
      for (const DiagramArrow& arrow : arrows) {
        for (std::size_t i = 0; i + 1 < arrow.points.size(); ++i) {
          const DiagramPoint& a = arrow.points[i];
          const DiagramPoint& b = arrow.points[i + 1];
          const DiagramBox line = {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
          EXPECT_FALSE(line.x < box.right() && box.x < line.right() + 0.01F && line.y < box.bottom() &&
                       box.y < line.bottom() + 0.01F)
              << name_of(config, placed);
        }
      }
    }
  }
}

TEST(Diagram, EndsEveryArrowInTheBandOfWhatItLeadsTo) {
  for (const AttentionConfig& config : every_option()) {
    const DiagramText text = text_of(1);
    const DiagramLayout layout = layout_diagram(config, text, 1280, 900);
    for (const DiagramArrow& arrow : diagram_arrows(config, layout, text, 0)) {
      const PlacedBand& band = layout.bands.at(static_cast<std::size_t>(info(arrow.result).place.band));
      EXPECT_GT(arrow.points.back().y, band.y) << info(arrow.result).id;
      EXPECT_LT(arrow.points.back().y, band.y + band.height) << info(arrow.result).id;
    }
  }
}

DiagramLayout without(const StageSet& left_out, const AttentionConfig& config) {
  return layout_diagram(config, text_of(1), 1200, 800, config, left_out);
}

TEST(DiagramLayout, WhatIsLeftOutTakesNoRoom) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, true, 0.5);
  const DiagramLayout all = without({}, config);
  StageSet project;
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && row.place.band == Band::project) project.add(row.stage);
  }
  const DiagramLayout no_projection = without(project, config);
  EXPECT_EQ(no_projection.bands[0].height, 0);
  EXPECT_EQ(no_projection.bands[1].y, 0);
  EXPECT_GT(no_projection.cell_height, all.cell_height);
  EXPECT_EQ(no_projection.result(Stage::queries), nullptr);
  const DiagramLayout no_mask = without({Stage::masked_scores}, config);
  EXPECT_LT(no_mask.result(Stage::scaled_scores)->slot.x - no_mask.result(Stage::scores)->slot.right(),
            all.result(Stage::scaled_scores)->slot.x - all.result(Stage::scores)->slot.right());
}

TEST(DiagramLayout, WhatIsShownDoesNotOverlapWhateverIsLeftOut) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, true, 0.5);
  for (const StageInfo& first : stages()) {
    for (const StageInfo& second : stages()) {
      if (!has_place(first.stage) || !has_place(second.stage)) continue;
      const DiagramLayout layout = without({first.stage, second.stage}, config);
      for (const PlacedMatrix& each : layout.matrices) {
        EXPECT_GT(each.slot.width, 0) << info(each.matrix.stage).id;
        EXPECT_NE(each.matrix.result, first.stage);
        for (const PlacedMatrix& other : layout.matrices) {
          if (&each == &other) continue;
          EXPECT_FALSE(overlap(each.slot, other.slot))
              << info(first.stage).id << " " << info(second.stage).id << " " << info(each.matrix.stage).id;
        }
      }
    }
  }
}

TEST(DiagramLayout, TheFirstMatrixOfEachBandHasTheNamesOfTheTokens) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, true, 0.5);
  for (const StageSet& left_out : {StageSet(), StageSet{Stage::scores}, StageSet{Stage::inputs, Stage::masked_weights},
                                   StageSet{Stage::scores, Stage::masked_scores}}) {
    const DiagramLayout layout = without(left_out, config);
    EXPECT_EQ(std::ranges::count(layout.matrices, true, &PlacedMatrix::begins_band), 3);
  }
}

TEST(DiagramArrows, GoPastWhatIsLeftOutAndSayNoOperatorThen) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const auto arrow_to = [&](Stage stage, const StageSet& left_out) {
    for (const DiagramArrow& arrow : diagram_arrows(config, without(left_out, config), text_of(1), 0)) {
      if (arrow.result == stage && !arrow.words.sign.empty()) return arrow.words.sign;
    }
    return std::string("none");
  };
  EXPECT_EQ(arrow_to(Stage::weights, {}), "softmax");
  EXPECT_EQ(arrow_to(Stage::weights, {Stage::masked_scores}), "softmax");
  EXPECT_EQ(arrow_to(Stage::weights, {Stage::scaled_scores}), "…");
  EXPECT_EQ(arrow_to(Stage::weights, {Stage::scaled_scores, Stage::masked_scores}), "…");
  // A product is never gone past: what it makes has other rows than its first factor's columns.
  EXPECT_EQ(arrow_to(Stage::weights, {Stage::scaled_scores, Stage::masked_scores, Stage::scores}), "none");
}

}  // namespace
}  // namespace attnscope
