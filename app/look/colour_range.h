#pragma once

#include "core/summary.h"
#include "look/colormap.h"

namespace attnscope {

// What the ends of a colour bar stand for.
enum class RangeMode {
  standard,  // weights 0 to 1 (to 1/(1-p) after dropout); signed stages symmetric around 0, the same for all heads
  shared,    // smallest to largest value of all heads and batch entries
  own,       // smallest to largest value of the matrix that is shown
};

struct ColourRange {
  Colormap map = Colormap::viridis;
  float low = 0;
  float high = 1;
};

// Colours of one matrix of a stage; `dark` chooses maps for a dark background. Signed stages stay centred on 0 in every
// mode.
ColourRange colour_range(const AttentionConfig& config, Stage stage, const StageSummary& summary, Index matrix,
                         RangeMode mode, bool dark);

// Signed values from -magnitude to magnitude: embeddings in the table, weight matrices.
ColourRange signed_range(float magnitude, bool dark);

}  // namespace attnscope
