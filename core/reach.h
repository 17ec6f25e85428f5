#pragma once

#include "core/source.h"
#include "core/tensor.h"

#include <vector>

namespace attnscope {

// A rectangle of cells of a stage that a number follows from, or that follow from it.
struct Reached {
  Stage stage = Stage::inputs;
  Index head = 0;    // 0 if all heads share the stage
  CellRect rect;     // the smallest rectangle that holds all of them
  int distance = 0;  // steps from the number, the fewest; a row's maximum or sum is not a step
  bool operator==(const Reached&) const = default;
};

// Returns all cells that a number follows from, down to inputs, weights and dropout factors, nearest first; several
// rectangles of a stage if one would hold other cells, too. Hidden cells contribute nothing and are left out, unless
// the number itself is hidden.
std::vector<Reached> ancestors(const AttentionConfig& config, const Source& source);

// Returns all cells that a number contributes to, in the same form.
std::vector<Reached> descendants(const AttentionConfig& config, const Source& source);

}  // namespace attnscope
