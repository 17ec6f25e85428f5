#pragma once

#include "core/tensor.h"

namespace attnscope {

// Texels that an axis of `cells` is sampled as while `shown` of them are drawn over `pixels`: one a cell while a cell
// covers a pixel. Below that, one a pixel when all are shown; else fewer, by steps, so that pictures serve on while the
// view is panned and zoomed a little.
Index texel_count(Index cells, double shown, double pixels);

}  // namespace attnscope
