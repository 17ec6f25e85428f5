#pragma once

namespace attnscope {

// What a picture shows of cells that share a pixel, those left out that are masked.
enum class Pooling {
  largest_magnitude,  // positive before negative, NaN above infinity
  mean,               // NaN where one of them is
};

}  // namespace attnscope
