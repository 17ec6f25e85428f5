#include "compute/tile_store.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/external_attention.h"
#include "tests/support/exact_summary.h"
#include "tests/support/held_matrix.h"
#include "tests/support/patience.h"
#include "tile_support.h"

namespace attnscope::test {
namespace {

// Asks until all is exact, as frames do.
TilePtr exact(TileStore& store, const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  wait_until([&] {
    store.begin_frame();
    store.find(source, grid, tile);
    return !store.wait();
  });
  return store.find(source, grid, tile);
}

TEST(TileStore, GivesSmallMatricesAtOnce) {
  TileStore store;
  const ResultPtr result = computed(config_of(60));
  const TexelGrid grid = {60, 60, Pooling::largest_magnitude};
  store.begin_frame();
  const TilePtr tile = store.find(source_of(result, Stage::weights, 1), grid, whole(grid));
  ASSERT_NE(tile, nullptr);
  EXPECT_FALSE(tile->is_coarse);
  EXPECT_FALSE(store.wait()) << "nothing is left to wait for";
}

TEST(TileStore, GivesLargeMatricesCoarseFirstThenExact) {
  const ResultPtr result = large_result();
  std::atomic<int> calls = 0;
  TileStore store([&] { ++calls; });
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  const MatrixSource source = source_of(result, Stage::scaled_scores, 1);
  store.begin_frame();
  EXPECT_EQ(store.find(source, grid, whole(grid)), nullptr);
  TilePtr first;
  wait_until([&] { return (first = store.find(source, grid, whole(grid))) != nullptr; });
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
  const MatrixSource source = source_holding(tensor);
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
    exact(store, source_of(computed(config_of(tokens)), Stage::weights, 1), grid, whole(grid));
  }
  std::vector<ResultPtr> results;
  for (Index tokens = 200; tokens < 230; ++tokens) {
    results.push_back(computed(config_of(tokens)));
    exact(store, source_of(results.back(), Stage::weights, 1), grid, whole(grid));
    EXPECT_LE(store.bytes(), budget + 2 * 100 * 100 * sizeof(float));
  }
}

TEST(TileStore, KeepsNoResultAlive) {
  ResultPtr result = computed(config_of(1500));
  const std::weak_ptr<const Result> watched = result;
  TileStore store;
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  exact(store, source_of(result, Stage::weights, 1), grid, whole(grid));
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
  const MatrixSource source = source_of(result, Stage::weights, 1);
  // Between the coarse pictures of finer and finer grids there would be time for exact ones.
  for (Index side = 300; side < 330; ++side) {
    const TexelGrid finer = {side, side, Pooling::largest_magnitude};
    TilePtr tile;
    wait_until([&] {
      store.begin_frame();
      tile = store.find(source, finer, whole(finer));
      return tile != nullptr;
    });
    EXPECT_TRUE(tile->is_coarse);
    EXPECT_FALSE(store.wait()) << "waiting would never end";
  }
  EXPECT_TRUE(store.find(source, grid, whole(grid))->is_coarse);
  store.pause(false);
  EXPECT_FALSE(exact(store, source, grid, whole(grid))->is_coarse);
}

// The exact picture of this would take an hour.
TEST(TileStore, EndsWhileItComputes) {
  auto attention = std::make_shared<ExternalAttention>();
  attention->tokens = 1'000'000;
  attention->read = [](std::span<float> cells, Index, const CellRect&, CellStep) { std::ranges::fill(cells, 0.0F); };
  MatrixSource source;
  source.result = std::make_shared<const Result>(result_of(attention));
  const TexelGrid grid = {300, 300, Pooling::largest_magnitude};
  std::atomic<int> calls = 0;
  {
    TileStore store([&] { ++calls; });
    store.begin_frame();
    wait_until([&] { return store.find(source, grid, whole(grid)) != nullptr; });
  }
  EXPECT_EQ(calls, 1) << "for the coarse picture";
}

TEST(TileStore, SummariesBecomeExact) {
  AttentionConfig config = config_of(500);
  const ResultPtr result = computed(config);
  const Result kept = evaluate_readable(config);
  const Summaries estimates(result);
  TileStore store;
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has(*result, stage.stage)) continue;
    SCOPED_TRACE(stage.id);
    const StageSummary expected = exact_summary(*kept.find(stage.stage));
    SummaryPtr summary;
    wait_until([&] {
      store.begin_frame();
      summary = store.summary(result, stage.stage, estimates.of(stage.stage), 0, {1, 1});
      return !store.wait();
    });
    summary = store.summary(result, stage.stage, estimates.of(stage.stage), 0, {1, 1});
    EXPECT_TRUE(summary->is_exact);
    const float scale = std::max({1.0F, -expected.overall.low, expected.overall.high});
    EXPECT_NEAR(summary->overall.low, expected.overall.low, 1e-5 * scale);
    EXPECT_NEAR(summary->overall.high, expected.overall.high, 1e-5 * scale);
    ASSERT_EQ(summary->row_sums.size(), expected.row_sums.size());
    for (std::size_t row = 0; row < summary->row_sums.size(); ++row) {
      ASSERT_NEAR(summary->row_sums[row], expected.row_sums[row], 1e-3) << row;
    }
  }
}

// As where heads stand side by side: none of them is forgotten for another.
TEST(TileStore, SummariesOfAllMatricesAskedForBecomeExact) {
  const ResultPtr result = computed(config_of(500));
  const SummaryPtr estimate = Summaries(result).of(Stage::dropped_weights);
  const StageSummary expected = exact_summary(*evaluate_readable(config_of(500)).find(Stage::dropped_weights));
  const auto ask = [&](TileStore& store) {
    store.summary(result, Stage::dropped_weights, estimate, 0, {});
    return store.summary(result, Stage::dropped_weights, estimate, 1, {});
  };
  TileStore store;
  wait_until([&] {
    store.begin_frame();
    ask(store);
    return !store.wait();
  });
  expect_close(ask(store)->row_sums, expected.row_sums);
}

}  // namespace
}  // namespace attnscope::test
