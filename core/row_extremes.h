#pragma once

#include "core/evaluate.h"

#include <vector>

namespace attnscope {

// Smallest and largest of each row of scores before any mask, NaN passed over.
struct RowExtremes {
  std::vector<float> visible;  // up to the diagonal: low and high by turns
  std::vector<float> hidden;   // behind it; low above high where nothing was read
};

// Of one matrix; `of_all`: also behind the diagonal.
RowExtremes row_extremes(const Result& result, Index matrix, bool of_all, const Execution& execution);

}  // namespace attnscope
