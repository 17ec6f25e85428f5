// Attention that was computed elsewhere, seen through the same functions as that which is computed here.

#include "core/results.h"

#include "core/evaluate.h"
#include "core/source.h"
#include "core/stages/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support.h"

namespace attnscope::test {
namespace {

// Cells of a tensor (B,H,T_query,T_key), read like those of a file.
std::shared_ptr<ImportedAttention> external_of(const Tensor& tensor) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->batch_size = tensor.shape[0];
  attention->heads = tensor.shape[1];
  attention->queries = tensor.rows();
  attention->keys = tensor.cols();
  attention->origin = "model.npy";
  attention->number_type = "float16";
  attention->read = [tensor](std::span<float> cells, Index matrix, const CellRect& rect) {
    const MatrixView<const float> values = tensor.matrix(matrix);
    std::size_t at = 0;
    for (Index row = 0; row < rect.rows; ++row) {
      for (Index col = 0; col < rect.cols; ++col) cells[at++] = values(rect.row + row, rect.col + col);
    }
  };
  attention->place = [](Index matrix, Index row, Index col) {
    return "[" + std::to_string(matrix) + ", " + std::to_string(row) + ", " + std::to_string(col) + "]";
  };
  return attention;
}

Tensor counted(Index batch, Index heads, Index queries, Index keys) {
  Tensor tensor({batch, heads, queries, keys});
  std::iota(tensor.values.begin(), tensor.values.end(), 0.0F);
  return tensor;
}

Tensor counted(Index batch, Index heads, Index tokens) { return counted(batch, heads, tokens, tokens); }

TEST(Given, CanHaveOtherKeysThanQueries) {
  const Result result = result_of(external_of(counted(2, 3, 4, 7)));
  EXPECT_EQ(stage_shape(result.config, Stage::weights), (std::vector<Index>{2, 3, 4, 7}));
  EXPECT_EQ(shape_letters(result.config, Stage::weights), "(B, H, T_query, T_key)");
  EXPECT_NO_THROW(check(result.config));
  EXPECT_EQ(value_at(result, {Stage::weights, 1, 2, 3, 6}), 2 * 3 * 4 * 7 - 1);
  EXPECT_FALSE(has_cell(result, {Stage::weights, 0, 0, 4, 0}));
  EXPECT_TRUE(has_cell(result, {Stage::weights, 0, 0, 3, 6}));
  const MatrixSummary summary = summarize_matrix(result, Stage::weights, 0, {});
  EXPECT_EQ(summary.row_sums, (std::vector<float>{21, 70, 119, 168}));
  EXPECT_EQ(explain(result, {Stage::weights, 0, 0, 1, 0}).row_sum, 70);
}

// The diagonal of a rectangle ends in its lower right corner.
TEST(Given, StepsOfGenerationAreACausalRectangle) {
  Tensor tensor = counted(1, 1, 3, 5);
  for (float& value : tensor.values) value += 1;
  EXPECT_FALSE(hides_later_keys(*external_of(tensor)));
  tensor.matrix()(0, 3) = tensor.matrix()(0, 4) = tensor.matrix()(1, 4) = 0;
  const auto attention = external_of(tensor);
  ASSERT_TRUE(hides_later_keys(*attention));
  attention->is_causal = true;
  const Result result = result_of(attention);
  EXPECT_TRUE(is_masked(result, {.stage = Stage::weights, .row = 0, .col = 3}));
  EXPECT_FALSE(is_masked(result, {.stage = Stage::weights, .row = 0, .col = 2}));
  tensor.matrix()(2, 4) = 0;
  EXPECT_FALSE(hides_later_keys(*external_of(tensor))) << "the last key is hidden from all: that is padding";
  EXPECT_FALSE(hides_later_keys(*external_of(counted(1, 1, 1, 5)))) << "one query says nothing";
  EXPECT_FALSE(hides_later_keys(*external_of(Tensor({1, 1, 5, 3})))) << "some queries would see nothing";
}

TEST(Given, IsTheOnlyStage) {
  const Result result = result_of(external_of(counted(2, 3, 4)));
  for (const StageInfo& stage : stages())
    EXPECT_EQ(has(result, stage.stage), stage.stage == Stage::weights) << stage.id;
  EXPECT_EQ(stage_shape(result.config, Stage::weights), (std::vector<Index>{2, 3, 4, 4}));
  EXPECT_NO_THROW(check(result.config));
}

TEST(Given, ZerosAboveTheWholeDiagonalAreACausalMask) {
  Tensor tensor = counted(2, 3, 4);
  for (float& value : tensor.values) value += 1;
  EXPECT_FALSE(hides_later_keys(*external_of(tensor)));
  for (Index matrix = 0; matrix < 6; ++matrix) {
    for (Index row = 0; row < 4; ++row) {
      for (Index col = row + 1; col < 4; ++col) tensor.matrix(matrix)(row, col) = 0;
    }
  }
  const auto attention = external_of(tensor);
  ASSERT_TRUE(hides_later_keys(*attention));
  attention->is_causal = true;
  const Result result = result_of(attention);
  EXPECT_TRUE(is_masked(result, {.stage = Stage::weights, .row = 1, .col = 2}));
  EXPECT_FALSE(is_masked(result, {.stage = Stage::weights, .row = 2, .col = 1}));
  tensor.matrix(5)(2, 3) = 1e-30F;
  EXPECT_FALSE(hides_later_keys(*external_of(tensor)));
  attention->stage = Stage::scores;
  EXPECT_FALSE(hides_later_keys(*attention)) << "scores before a mask have nothing hidden";
}

TEST(Given, OneTokenHasNoMask) { EXPECT_FALSE(hides_later_keys(*external_of(counted(1, 1, 1)))); }

TEST(Given, IsReadByRectangle) {
  const Tensor tensor = counted(2, 3, 4);
  const Result result = result_of(external_of(tensor));
  std::vector<float> cells(4);
  read_cells(cells, result, Stage::weights, 5, {1, 2, 2, 2});
  const MatrixView<const float> last = tensor.matrix(5);
  EXPECT_EQ(cells, (std::vector<float>{last(1, 2), last(1, 3), last(2, 2), last(2, 3)}));
  EXPECT_EQ(value_at(result, {Stage::weights, 1, 2, 3, 1}), last(3, 1));
}

TEST(Given, RowSumsAndExtremesComeFromEveryFiniteCell) {
  Tensor tensor = counted(1, 2, 700);  // more than one strip
  tensor.matrix(1)(3, 5) = std::nanf("");
  tensor.matrix(1)(699, 0) = -infinity;
  tensor.matrix(1)(699, 1) = infinity;
  tensor.matrix(1)(512, 7) = -2;
  const Result result = result_of(external_of(tensor));
  const MatrixSummary summary = summarize_matrix(result, Stage::weights, 1, {});
  EXPECT_EQ(summary.extremes.low, -2);
  EXPECT_EQ(summary.extremes.high, tensor.matrix(1)(699, 699));
  ASSERT_EQ(summary.row_sums.size(), 700U);
  for (Index row = 0; row < 700; ++row) {
    double sum = 0;
    for (Index col = 0; col < 700; ++col) {
      const float value = tensor.matrix(1)(row, col);
      sum += std::isfinite(value) ? static_cast<double>(value) : 0;
    }
    EXPECT_EQ(summary.row_sums[static_cast<std::size_t>(row)], static_cast<float>(sum)) << row;
  }
}

TEST(Given, SummarizingStopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(summarize_matrix(result_of(external_of(counted(1, 1, 700))), Stage::weights, 0,
                                {Backend::serial, 1, source.get_token()}),
               Cancelled);
}

TEST(Given, ASampleKnowsNoRowSumsAndSaysSo) {
  const SummaryPtr sample = sample_imported(*external_of(counted(2, 3, 40)));
  EXPECT_FALSE(sample->is_exact);
  EXPECT_EQ(sample->matrices.size(), 6U);
  ASSERT_EQ(sample->row_sums.size(), 240U);
  for (const float sum : sample->row_sums) EXPECT_TRUE(std::isnan(sum));
  EXPECT_EQ(sample->overall.low, 0);
  EXPECT_EQ(sample->overall.high, 6 * 1600 - 1);
}

TEST(Given, ASampleOfNothingFiniteIsZero) {
  Tensor tensor({1, 1, 3, 3});
  std::ranges::fill(tensor.values, std::nanf(""));
  EXPECT_EQ(sample_imported(*external_of(tensor))->overall.low, 0);
  EXPECT_EQ(sample_imported(*external_of(tensor))->overall.high, 0);
}

TEST(Given, ACellExplainsWhereItStands) {
  const Explanation explanation = explain(result_of(external_of(counted(2, 3, 4))), {Stage::weights, 1, 2, 3, 1});
  EXPECT_EQ(explanation.operation, &operations::read);
  EXPECT_EQ(explanation.origin, "model.npy");
  EXPECT_EQ(explanation.number_type, "float16");
  EXPECT_EQ(explanation.place, "[5, 3, 1]");
  EXPECT_EQ(explanation.value, 5 * 16 + 13);
  EXPECT_EQ(explanation.row_sum, 4 * (5 * 16) + 12 + 13 + 14 + 15);
}

}  // namespace
}  // namespace attnscope::test
