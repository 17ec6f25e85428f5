#pragma once

#include "core/evaluate.h"

#include <vector>

namespace attnscope {

// Smallest and largest of each row of scores before any mask, NaN passed over.
struct RowExtremes {
  std::vector<float> visible;  // of keys that the query sees: low and high by turns
  std::vector<float> hidden;   // of the others; low above high where none was read
};

// Returns the extremes of one matrix; `of_all`: of every hidden key, else of some.
RowExtremes row_extremes(const Result& result, Index matrix, bool of_all, const Execution& execution);

}  // namespace attnscope
