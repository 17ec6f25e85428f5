// Pictures of matrices that are not held, against those of matrices that are.

#include <gtest/gtest.h>

#include "compute/pixels.h"
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
    for (const Pooling pooling : {Pooling::largest_magnitude, Pooling::mean}) {
      for (const PixelGrid& grid : {whole_grid(of_kept, 301, 301, pooling), whole_grid(of_kept, 77, 90, pooling),
                                    PixelGrid{{100, 150, 201, 151}, 50, 20, pooling}}) {
        const Pixels actual = pixels_of(of_computed, grid, {});
        const Pixels expected = pixels_of(of_kept, grid, {});
        SCOPED_TRACE(info(stage).id);
        expect_close(actual.values, expected.values);
        EXPECT_EQ(actual.drops, expected.drops);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
