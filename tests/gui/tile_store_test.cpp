#include "compute/tile_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

namespace attnscope {
namespace {

using ResultPtr = std::shared_ptr<const Result>;

AttentionConfig config_of(Index tokens) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = tokens, .features = 8};
  config.d_out = 16;
  config.num_heads = 2;
  config.dropout = 0.25;
  return config;
}

ResultPtr computed(const AttentionConfig& config) {
  return std::make_shared<const Result>(evaluate(config, {}, nullptr, Squares::on_demand));
}

// As an evaluation leaves it, but for the statistics, which take long: good enough to be drawn.
ResultPtr large_result() {
  const auto result = std::make_shared<Result>();
  result->config = config_of(16384);
  result->config.d_out = 128;
  result->config.dropout = 0;
  result->config.mask = MaskRoute::none;
  for (const Stage stage : {Stage::queries, Stage::keys}) {
    Tensor tensor(stage_shape(result->config, stage));
    Generator generator(static_cast<std::uint64_t>(stage));
    fill_uniform(tensor.values, generator, -1, 1);
    result->tensors[static_cast<std::size_t>(stage)] = std::make_shared<const Tensor>(std::move(tensor));
  }
  const std::vector<float> ones(2 * 16384, 1.0F);
  result->rows = std::make_shared<const RowStatistics>(RowStatistics{ones, ones, {}});
  return result;
}

MatrixSource source_of(const ResultPtr& result, Stage stage, Index matrix = 1) {
  return {.values = nullptr,
          .matrix = matrix,
          .factors = nullptr,
          .causal = hides_later_keys(result->config, stage),
          .result = result,
          .stage = stage,
          .drops = stage == Stage::dropped_weights};
}

MatrixSource kept_source_of(const Result& result, Stage stage, Index matrix = 1) {
  MatrixSource source;
  source.values = result.share(stage);
  source.matrix = matrix;
  source.causal = hides_later_keys(result.config, stage);
  source.stage = stage;
  if (stage == Stage::dropped_weights) source.factors = result.share(Stage::dropout_factors);
  source.factors_matrix = matrix;
  return source;
}

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isfinite(expected[i])) {
      ASSERT_NEAR(actual[i], expected[i], 1e-5) << "texel " << i;
    } else {
      ASSERT_EQ(actual[i], expected[i]) << "texel " << i;
    }
  }
}

// Asks until all is exact, as frames do.
TilePtr exact(TileStore& store, const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  do {
    store.begin_frame();
    store.find(source, grid, tile);
  } while (store.wait());
  return store.find(source, grid, tile);
}

constexpr Tile whole(const TexelGrid& grid) { return {0, 0, grid.rows, grid.cols}; }

TEST(ComputeTile, IsThatOfTheKeptMatrix) {
  const AttentionConfig config = config_of(301);
  const ResultPtr result = computed(config);
  const Result kept = evaluate(config);
  for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::scaled_scores, Stage::weights,
                            Stage::dropout_factors, Stage::dropped_weights}) {
    for (const Pooling pooling : {Pooling::largest_magnitude, Pooling::mean}) {
      for (const TexelGrid& grid :
           {TexelGrid{301, 301, pooling}, TexelGrid{77, 90, pooling}, TexelGrid{1, 3, pooling}}) {
        const Tile part = {grid.rows / 3, grid.cols / 2, grid.rows - grid.rows / 3, grid.cols - grid.cols / 2};
        for (const Tile& tile : {whole(grid), part}) {
          const TilePixels actual = compute_tile(source_of(result, stage), grid, tile, {});
          const TilePixels expected = compute_tile(kept_source_of(kept, stage), grid, tile, {});
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
    sources.push_back(source_of(result, stage));
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
  const Result kept = evaluate(config);
  const TexelGrid grid = {40, 60, Pooling::largest_magnitude};
  const Tile tile = {3, 5, 30, 50};
  const TilePixels pixels = sample_tile(source_of(result, Stage::dropped_weights), grid, tile);
  EXPECT_TRUE(pixels.is_coarse);
  const auto weights = kept.find(Stage::dropped_weights)->matrix(1);
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

TEST(TileStore, GivesSmallMatricesAtOnce) {
  TileStore store;
  const ResultPtr result = computed(config_of(60));
  const TexelGrid grid = {60, 60, Pooling::largest_magnitude};
  store.begin_frame();
  const TilePtr tile = store.find(source_of(result, Stage::weights), grid, whole(grid));
  ASSERT_NE(tile, nullptr);
  EXPECT_FALSE(tile->is_coarse);
  EXPECT_FALSE(store.wait()) << "nothing is left to wait for";
}

TEST(TileStore, GivesLargeMatricesCoarseFirstThenExact) {
  const ResultPtr result = large_result();
  std::atomic<int> calls = 0;
  TileStore store([&] { ++calls; });
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  const MatrixSource source = source_of(result, Stage::scaled_scores);
  store.begin_frame();
  EXPECT_EQ(store.find(source, grid, whole(grid)), nullptr);
  TilePtr first;
  while (!first) first = store.find(source, grid, whole(grid));
  EXPECT_TRUE(first->is_coarse);
  const TilePtr last = exact(store, source, grid, whole(grid));
  EXPECT_FALSE(last->is_coarse);
  EXPECT_NE(last->number, first->number);
  expect_close(last->values, compute_tile(source, grid, whole(grid), {}).values);
  EXPECT_GE(calls, 2);
  EXPECT_TRUE(store.take_changed());
  EXPECT_FALSE(store.take_changed());
}

TEST(TileStore, PoolsLargeKeptMatricesOnItsThread) {
  const auto tensor = std::make_shared<const Tensor>(std::vector<Index>{700, 700});
  MatrixSource source;
  source.values = tensor;
  TileStore store;
  const TexelGrid grid = {100, 100, Pooling::mean};
  store.begin_frame();
  EXPECT_EQ(store.find(source, grid, whole(grid)), nullptr);
  EXPECT_EQ(exact(store, source, grid, whole(grid))->values, std::vector<float>(10000, 0.0F));
}

TEST(TileStore, ForgetsTheLeastRecentlyShownBeyondItsBudget) {
  const ResultPtr result = computed(config_of(200));
  constexpr std::uint64_t budget = 5 * 100 * 100 * sizeof(float);
  TileStore store({}, budget);
  const TexelGrid grid = {100, 100, Pooling::largest_magnitude};
  for (Index tokens = 200; tokens < 230; ++tokens) {
    exact(store, source_of(computed(config_of(tokens)), Stage::weights), grid, whole(grid));
  }
  std::vector<ResultPtr> results;
  for (Index tokens = 200; tokens < 230; ++tokens) {
    results.push_back(computed(config_of(tokens)));
    exact(store, source_of(results.back(), Stage::weights), grid, whole(grid));
    EXPECT_LE(store.bytes(), budget + 2 * 100 * 100 * sizeof(float));
  }
}

TEST(TileStore, KeepsNoResultAlive) {
  ResultPtr result = computed(config_of(1500));
  const std::weak_ptr<const Result> watched = result;
  TileStore store;
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  exact(store, source_of(result, Stage::weights), grid, whole(grid));
  result.reset();
  EXPECT_TRUE(watched.expired());
  store.begin_frame();
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(TileStore, MakesOnlyCoarsePicturesWhilePaused) {
  const ResultPtr result = large_result();
  TileStore store;
  store.pause(true);
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  const MatrixSource source = source_of(result, Stage::weights);
  TilePtr tile;
  while (!tile) {
    store.begin_frame();
    tile = store.find(source, grid, whole(grid));
  }
  EXPECT_TRUE(tile->is_coarse);
  EXPECT_FALSE(store.wait()) << "waiting would never end";
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(store.find(source, grid, whole(grid))->is_coarse);
  store.pause(false);
  EXPECT_FALSE(exact(store, source, grid, whole(grid))->is_coarse);
}

TEST(TileStore, EndsQuicklyWhileItComputes) {
  const ResultPtr result = large_result();
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  std::chrono::steady_clock::time_point start;
  {
    TileStore store;
    store.begin_frame();
    store.find(source_of(result, Stage::weights, 0), grid, whole(grid));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    start = std::chrono::steady_clock::now();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
}

TEST(TileStore, SummariesBecomeExact) {
  AttentionConfig config = config_of(500);
  const ResultPtr result = computed(config);
  const Result kept = evaluate(config);
  const Summaries estimates = summarize(*result, {}, nullptr, nullptr);
  const Summaries expected = summarize(kept, {}, nullptr, nullptr);
  TileStore store;
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has(*result, stage.stage)) continue;
    SCOPED_TRACE(stage.id);
    const auto at = static_cast<std::size_t>(stage.stage);
    SummaryPtr summary;
    do {
      store.begin_frame();
      summary = store.summary(result, stage.stage, estimates.at(at), 0, true);
    } while (store.wait());
    summary = store.summary(result, stage.stage, estimates.at(at), 0, true);
    EXPECT_TRUE(summary->is_exact);
    const float scale = std::max({1.0F, -expected.at(at)->overall.low, expected.at(at)->overall.high});
    EXPECT_NEAR(summary->overall.low, expected.at(at)->overall.low, 1e-5 * scale);
    EXPECT_NEAR(summary->overall.high, expected.at(at)->overall.high, 1e-5 * scale);
    ASSERT_EQ(summary->row_sums.size(), expected.at(at)->row_sums.size());
    for (std::size_t row = 0; row < summary->row_sums.size(); ++row) {
      ASSERT_NEAR(summary->row_sums[row], expected.at(at)->row_sums[row], 1e-3) << row;
    }
  }
}

// As where heads stand side by side: none of them is forgotten for another.
TEST(TileStore, SummariesOfAllMatricesAskedForBecomeExact) {
  const ResultPtr result = computed(config_of(500));
  const auto at = static_cast<std::size_t>(Stage::dropped_weights);
  const SummaryPtr estimate = summarize(*result, {}, nullptr, nullptr).at(at);
  const SummaryPtr expected = summarize(evaluate(config_of(500)), {}, nullptr, nullptr).at(at);
  const auto ask = [&](TileStore& store) {
    store.summary(result, Stage::dropped_weights, estimate, 0, false);
    return store.summary(result, Stage::dropped_weights, estimate, 1, false);
  };
  TileStore store;
  do {
    store.begin_frame();
    ask(store);
  } while (store.wait());
  expect_close(ask(store)->row_sums, expected->row_sums);
}

}  // namespace
}  // namespace attnscope
