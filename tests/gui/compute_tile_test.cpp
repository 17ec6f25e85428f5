// Tiles of matrices that are not kept, against those of matrices that are.

#include <gtest/gtest.h>

#include <limits>

#include "compute/matrix_source.h"
#include "core/matrix.h"
#include "tile_support.h"

namespace attnscope::test {
namespace {

TEST(ComputeTile, IsThatOfTheKeptMatrix) {
  const AttentionConfig config = config_of(301);
  const ResultPtr result = computed(config);
  const auto kept = std::make_shared<const Result>(evaluate_readable(config));
  for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::scaled_scores, Stage::weights,
                            Stage::dropout_factors, Stage::dropped_weights}) {
    for (const Pooling pooling : {Pooling::largest_magnitude, Pooling::mean}) {
      for (const TexelGrid& grid :
           {TexelGrid{301, 301, pooling}, TexelGrid{77, 90, pooling}, TexelGrid{1, 3, pooling}}) {
        const Tile part = {grid.rows / 3, grid.cols / 2, grid.rows - grid.rows / 3, grid.cols - grid.cols / 2};
        for (const Tile& tile : {whole(grid), part}) {
          const TilePixels actual = compute_tile(source_of(result, stage, 1), grid, tile, {});
          const TilePixels expected = compute_tile(source_of(kept, stage, 1), grid, tile, {});
          SCOPED_TRACE(info(stage).id);
          expect_close(actual.values, expected.values);
          EXPECT_EQ(actual.drops, expected.drops);
          EXPECT_FALSE(actual.is_coarse);
        }
      }
    }
  }
}

TEST(ComputeTile, OfSeveralStagesIsThatOfEach) {
  const ResultPtr result = computed(config_of(1301));  // more cells than are read at once, either way
  std::vector<MatrixSource> sources;
  for (const Stage stage : {Stage::dropped_weights, Stage::scores, Stage::mask, Stage::masked_scores, Stage::weights,
                            Stage::dropout_factors}) {
    sources.push_back(source_of(result, stage, 1));
  }
  for (const Pooling pooling : {Pooling::largest_magnitude, Pooling::mean}) {
    for (const TexelGrid& grid :
         {TexelGrid{1301, 1301, pooling}, TexelGrid{130, 97, pooling}, TexelGrid{2, 1, pooling}}) {
      const Tile tile = {grid.rows / 3, grid.cols / 3, grid.rows - grid.rows / 3, grid.cols - grid.cols / 3};
      const std::vector<TilePixels> together = compute_tiles(sources, grid, tile, {});
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const TilePixels alone = compute_tile(sources[i], grid, tile, {});
        EXPECT_EQ(together[i].values, alone.values) << info(sources[i].stage).id;
        EXPECT_EQ(together[i].drops, alone.drops) << info(sources[i].stage).id;
      }
    }
  }
}

TEST(SampleTile, ShowsOneCellUnderEachTexel) {
  const AttentionConfig config = config_of(301);
  const ResultPtr result = computed(config);
  const Result kept = evaluate_readable(config);
  const TexelGrid grid = {40, 60, Pooling::largest_magnitude};
  const Tile tile = {3, 5, 30, 50};
  const TilePixels pixels = sample_tile(source_of(result, Stage::dropped_weights, 1), grid, tile);
  EXPECT_TRUE(pixels.is_coarse);
  const auto weights = eigen(*kept.find(Stage::dropped_weights), 1);
  for (Index row = 0; row < tile.rows; ++row) {
    for (Index col = 0; col < tile.cols; ++col) {
      const CellRect under = cells_under(grid, {tile.row + row, tile.col + col, 1, 1}, 301, 301);
      const auto at = static_cast<std::size_t>(row * tile.cols + col);
      // A texel that is wholly masked is so in the sample; another is one of the cells near it.
      if (under.col > under.row + under.rows - 1 + 8) {
        EXPECT_EQ(pixels.values[at], -std::numeric_limits<float>::infinity());
      }
      if (under.col + under.cols + 8 < under.row) {
        const auto near = weights.block(std::max<Index>(0, under.row - 8), std::max<Index>(0, under.col - 8), 9, 9);
        EXPECT_LT((near.array() - pixels.values[at]).abs().minCoeff(), 1e-5F) << row << " " << col;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
