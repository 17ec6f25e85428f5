// Which numbers of a result a picture of a matrix shows, and which part of a matrix a window of it shows.

#include "view/picture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/evaluate.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

// Three heads that share one of keys and values, in two entries of the batch.
std::shared_ptr<const Result> shared_keys_result() {
  AttentionConfig config = hard_document().config;
  config.num_kv_heads = 1;
  return std::make_shared<const Result>(evaluate(config));
}

TEST(PictureMatrix, HasTheNumbersOfItsEntryAndHeadWhicheverWayItIsTurned) {
  for (const auto& result : {shared_keys_result(), std::make_shared<const Result>(evaluate(hard_given(3, 5).config))}) {
    for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::weights, Stage::context}) {
      for (Index batch = 0; batch < hard_entries; ++batch) {
        for (Index head = 0; head < hard_heads; ++head) {
          for (const bool turns : {false, true}) {
            SCOPED_TRACE(fmt::format("{}, entry {}, head {}", info(stage).id, batch, head));
            picture::Matrix matrix = picture::matrix_of(result, stage, batch, head);
            const Index rows = stage_shape(result->config, stage)[stage_shape(result->config, stage).size() - 2];
            EXPECT_EQ(matrix.rows, rows);
            if (turns) picture::transpose(matrix);
            EXPECT_EQ(turns ? matrix.cols : matrix.rows, rows);
            const CellRect part{1, 0, matrix.rows - 1, matrix.cols};
            const std::vector<float> cells = read_shown(matrix, stage, part);
            ASSERT_EQ(std::ssize(cells), part.rows * part.cols);
            for (Index row = 0; row < part.rows; ++row) {
              for (Index col = 0; col < part.cols; ++col) {
                const Source is = source_at(matrix, row + 1, col);
                EXPECT_EQ(turns ? is.col : is.row, row + 1);
                EXPECT_EQ(is.batch, batch);
                EXPECT_EQ(is.head, head);
                EXPECT_EQ(cells[static_cast<std::size_t>(row * part.cols + col)], value_at(*result, is));
                EXPECT_EQ(place_of(matrix, is).row, row + 1);
                EXPECT_EQ(place_of(matrix, is).col, col);
              }
            }
          }
        }
      }
    }
  }
}

TEST(PictureMatrix, MarksACellInItsOwnHeadAndAPairInEveryStageOfPairs) {
  const auto result = shared_keys_result();
  const auto marked = [&](Stage in, Index head, const Source& of, bool turns = false) {
    picture::Matrix matrix = picture::matrix_of(result, in, 1, head);
    if (turns) picture::transpose(matrix);
    const picture::CellPlace place = marked_cell(matrix, of);
    return std::pair(place.row, place.col);
  };
  using Place = std::pair<Index, Index>;
  constexpr Place none{-1, -1};
  const Source query{.stage = Stage::queries, .batch = 1, .head = 2, .row = 4, .col = 1};
  EXPECT_EQ(marked(Stage::queries, 2, query), Place(4, 1));
  EXPECT_EQ(marked(Stage::queries, 2, query, true), Place(1, 4));
  EXPECT_EQ(marked(Stage::queries, 1, query), none);
  EXPECT_EQ(marked(Stage::keys, 2, query), none);
  const Source weight{.stage = Stage::weights, .batch = 1, .head = 2, .row = 4, .col = 1};
  EXPECT_EQ(marked(Stage::scores, 0, weight), Place(4, 1)) << "the same pair";
  EXPECT_EQ(marked(Stage::queries, 2, weight), none);
  Source sum = weight;
  sum.kind = SourceKind::row_sum;
  EXPECT_EQ(marked(Stage::weights, 2, sum), none);
  const Source output{.stage = Stage::output, .batch = 1, .head = 2, .row = 3, .col = 5};
  EXPECT_EQ(marked(Stage::output, 0, output), Place(3, 5)) << "it is of all heads";
  picture::Matrix keys = picture::matrix_of(result, Stage::keys, 1, 2);
  EXPECT_EQ(marked_lines(keys, weight), MarkedLines{.row = 1});
  picture::transpose(keys);
  EXPECT_EQ(marked_lines(keys, weight), MarkedLines{.col = 1});
  const Source gain{.stage = Stage::query_weight, .row = 2, .col = 1};
  EXPECT_EQ(marked_lines(result->config, gain, Stage::query_weight), (MarkedLines{.row = 2, .col = 1}));
  EXPECT_EQ(marked_lines(result->config, gain, Stage::queries), MarkedLines());
  EXPECT_EQ(marked_lines(result->config, output, Stage::output_weight), MarkedLines{.row = 5});
  EXPECT_EQ(marked_lines(result->config, sum, Stage::scores), MarkedLines{.row = 4});
}

TEST(CellWindows, StayInTheirMatrixAndKeepTheirPoint) {
  EXPECT_EQ(clamped({-2, 7, 4, 5}, 20, 10), (CellWindow{0, 5, 4, 5}));
  EXPECT_EQ(clamped({18, 2, 40, 50}, 20, 10), whole_window(20, 10));
  EXPECT_EQ(clamped({3, 3, 0, 5}, 20, 10), (CellWindow{0, 0, 20, 10})) << "without rows it stands for all";
  EXPECT_TRUE(is_whole(whole_window(20, 10), 20, 10));
  EXPECT_FALSE(is_whole({0, 0, 20, 9}, 20, 10));
  EXPECT_FALSE(is_whole({0, 0, 19, 10}, 20, 10));
  EXPECT_EQ(panned({2, 3, 4, 5}, 20, 10, 6, -1), (CellWindow{8, 2, 4, 5}));
  EXPECT_EQ(panned({2, 3, 4, 5}, 20, 10, -6, 9), (CellWindow{0, 5, 4, 5}));
  const WindowLimits limits{20, 10, 2, 3};
  EXPECT_EQ(zoomed({4, 2, 8, 4}, limits, 2, 8, 3), (CellWindow{6, 2.25, 4, 3})) << "3 columns at the least";
  EXPECT_EQ(zoomed({4, 2, 8, 4}, limits, 0.1, 8, 3), whole_window(20, 10));
  EXPECT_EQ(zoomed({4, 2, 1, 1}, limits, 2, 4.5, 2.5), (CellWindow{4, 2, 1, 1})) << "it is closer already";
  EXPECT_EQ(moved_to_show({4, 2, 8, 4}, 20, 10, 5, 3), (CellWindow{4, 2, 8, 4}));
  EXPECT_EQ(moved_to_show({4, 2, 8, 4}, 20, 10, 12, 1), (CellWindow{5, 1, 8, 4}));
  EXPECT_EQ(moved_to_show({4, 2, 8, 4}, 20, 10, 3, 6), (CellWindow{3, 3, 8, 4}));
  EXPECT_EQ(moved_to_show({4, 2, 0.5, 0.5}, 20, 10, 7, 9), (CellWindow{7.25, 9.25, 0.5, 0.5}));
  EXPECT_EQ(centred_on({0, 0, 20, 10}, 20, 10, 9, 4, 5), (CellWindow{7, 2, 5, 5}));
  EXPECT_EQ(centred_on({0, 0, 4, 3}, 20, 10, 19, 0, 5), (CellWindow{16, 0, 4, 3}));
}

}  // namespace
}  // namespace attnscope::test
