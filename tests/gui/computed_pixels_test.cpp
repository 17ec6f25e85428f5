// Pictures of matrices that are not held, against those of matrices that are.

#include <gtest/gtest.h>

#include "compute/pixels.h"
#include "core/heads.h"
#include "head_support.h"

namespace attnscope::test {
namespace {

TEST(Pixels, OfAComputedMatrixAreThoseOfTheHeldOne) {
  const AttentionConfig config = config_of(301);
  const ResultPtr result = computed(config);
  const auto kept = std::make_shared<const Result>(evaluate_readable(config));
  for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::scaled_scores, Stage::weights,
                            Stage::dropout_factors, Stage::dropped_weights}) {
    const ShownMatrix of_computed = shown_matrix(result, stage, 1);
    const ShownMatrix of_kept = shown_matrix(kept, stage, 1);
    for (const PixelGrid& grid :
         {whole_grid(of_kept, 301, 301), whole_grid(of_kept, 77, 90), PixelGrid{{100, 150, 201, 151}, 50, 20}}) {
      const Pixels actual = pixels_of(of_computed, grid, {});
      const Pixels expected = pixels_of(of_kept, grid, {});
      SCOPED_TRACE(info(stage).id);
      expect_close(actual.values, expected.values);
      EXPECT_EQ(actual.drops, expected.drops);
    }
  }
}

TEST(PictureKey, TellsApartWhateverAPictureShows) {
  const ResultPtr result = computed(config_of(60));
  const ShownMatrix source = shown_matrix(result, Stage::dropped_weights, 1);
  const PixelGrid grid{{1, 2, 30, 20}, 10, 5};
  const PictureKey key = key_of(source, grid);
  EXPECT_EQ(key_of(source, grid), key);
  const auto other = [&](auto change) {
    ShownMatrix changed = source;
    change(changed);
    return key_of(changed, grid);
  };
  EXPECT_NE(other([](ShownMatrix& of) { of.matrix = 0; }), key);
  EXPECT_NE(other([](ShownMatrix& of) { of.seen = {}; }), key);
  EXPECT_NE(other([](ShownMatrix& of) { of.measure.kind = MeasureKind::logarithm; }), key);
  EXPECT_NE(other([](ShownMatrix& of) { of.drops = false; }), key);
  EXPECT_NE(key_of(shown_matrix(result, Stage::context, 0), grid),
            key_of(shown_matrix(result, Stage::head_context, 0), grid))
      << "both are of the same tensor";
  for (const PixelGrid& cells :
       {PixelGrid{{0, 2, 30, 20}, 10, 5}, PixelGrid{{1, 0, 30, 20}, 10, 5}, PixelGrid{{1, 2, 31, 20}, 10, 5},
        PixelGrid{{1, 2, 30, 21}, 10, 5}, PixelGrid{{1, 2, 30, 20}, 11, 5}, PixelGrid{{1, 2, 30, 20}, 10, 6}})
    EXPECT_NE(key_of(source, cells), key);
}

// Pixels over cells of two blocks of rows take both of them.
TEST(Pixels, OfAMatrixTooLargeToBeKeptAreThoseOfTheHeldOne) {
  AttentionConfig config = config_of(1030);
  config.num_heads = 1;
  const ResultPtr result = computed(config);
  ASSERT_FALSE(are_kept_whole(*result));
  const auto kept = std::make_shared<const Result>(evaluate_readable(config));
  const ShownMatrix of_computed = shown_matrix(result, Stage::dropped_weights, 0);
  const ShownMatrix of_kept = shown_matrix(kept, Stage::dropped_weights, 0);
  for (const PixelGrid& grid : {PixelGrid{{300, 150, 501, 451}, 50, 20}, whole_grid(of_kept, 77, 90)}) {
    const Pixels actual = pixels_of(of_computed, grid, {});
    const Pixels expected = pixels_of(of_kept, grid, {});
    expect_close(actual.values, expected.values);
    EXPECT_EQ(actual.drops, expected.drops);
    EXPECT_EQ(result->heads->knows(Stage::dropped_weights, 0), grid.cells.rows == 1030) << "a pass over all rows";
  }
}

// One pass over the rows of all of them.
TEST(Pixels, OfSeveralPicturesAreThoseOfEachAlone) {
  AttentionConfig config = config_of(1030);
  config.num_heads = 1;
  const ResultPtr result = computed(config);
  ASSERT_FALSE(are_kept_whole(*result));
  const ShownMatrix source = shown_matrix(result, Stage::scores, 0);
  const std::vector<MatrixPicture> pictures = {{source, {{300, 0, 600, 1030}, 30, 30}},
                                               {source, whole_grid(source, 40, 40)},
                                               {source, {{400, 100, 100, 100}, 20, 20}}};
  const std::vector<Pixels> pixels = pixels_of(pictures, {});
  ASSERT_EQ(pixels.size(), pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i)
    EXPECT_EQ(pixels[i].values, pixels_of(source, pictures[i].grid, {}).values) << i;
}

}  // namespace
}  // namespace attnscope::test
