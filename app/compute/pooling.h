#pragma once

namespace attnscope {

// The way in which a picture shows cells that share a pixel; masked cells are left out.
enum class Pooling {
  largest_magnitude,  // positive before negative, NaN above infinity
  mean,               // NaN where one of them is
};

}  // namespace attnscope
