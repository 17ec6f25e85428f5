#pragma once

#include <algorithm>
#include <cmath>

#include "core/visibility.h"

namespace attnscope {

// The measure by which weights are compared and coloured: the number itself, or one in which small numbers differ.
enum class MeasureKind {
  value,
  relative,   // times the keys that its query may see: 1 where all of them would have the same weight
  logarithm,  // to the base 10
};

struct Measure {
  MeasureKind kind = MeasureKind::value;
  Visibility counted = {};  // relative: the keys that queries may see

  float factor(Index query) const {
    return kind == MeasureKind::relative ? static_cast<float>(counted.count(query)) : 1.0F;
  }
  // Returns the measure of a number that has its factor. Computed in double, so that every machine rounds to the same
  // float.
  float finish(float value) const {
    if (kind != MeasureKind::logarithm || !std::isfinite(value)) return value;
    return static_cast<float>(std::log10(std::max(static_cast<double>(value), 1e-38)));
  }
  float of(float value, Index query) const { return finish(value * factor(query)); }
  auto operator<=>(const Measure&) const = default;
};

}  // namespace attnscope
