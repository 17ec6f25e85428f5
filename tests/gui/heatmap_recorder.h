#pragma once

#include <vector>

#include "paint/window/renderers.h"

namespace attnscope::test {

// Keeps what heatmaps are asked to draw, and draws nothing.
class HeatmapRecorder : public HeatmapSink {
public:
  void draw(ImDrawList&, const HeatmapQuad& quad) override { quads.push_back(quad); }

  std::vector<HeatmapQuad> quads;
};

}  // namespace attnscope::test
