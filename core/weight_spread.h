#pragma once

#include <span>
#include <vector>

#include "core/evaluate.h"
#include "core/visibility.h"

namespace attnscope {

// How the weights of a stage lie around 1 / (number of keys that the query may see). From some rows of some matrices,
// evenly spread: always the same ones of a result, so that what follows from it does not depend on what was read
// before.
struct WeightSpread {
  Visibility counted;  // the keys that queries may see
  float low = 1;       // of weight × keys all but a fiftieth are not below
  float high = 1;      // all but a thousandth are not above: pixels over many cells show the largest
  float smallest = 1;  // of the weights that are not 0 all but a fiftieth are not below
  float largest = 1;   // and none is above
  bool operator==(const WeightSpread&) const = default;
};

// Returns the spread of a stage of (B,H,T_query,T_key). Takes less than a millisecond.
WeightSpread weight_spread(const Result& result, Stage stage);

// Rows of weights that somebody has read.
struct WeightRow {
  Index query = 0;
  std::vector<float> weights;  // of every key
};
WeightSpread weight_spread(std::span<const WeightRow> rows, const Visibility& counted);

// The mask of weights from elsewhere is not known: where everything right of the diagonal is 0 in these rows, a query
// is taken to see the keys up to its own, else all of them.
Visibility keys_seen(std::span<const WeightRow> rows, Index keys);

}  // namespace attnscope
