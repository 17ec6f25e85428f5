#pragma once

#include "paint/window/fonts.h"
#include "paint/window/heatmap_renderer.h"
#include "view/picture.h"

namespace attnscope {

// Paints pictures in the window: Dear ImGui's draw list, with heatmaps as textures.

ImU32 to_u32(const picture::Ink& ink);

// A font of ours and the height that it is drawn at, in Dear ImGui's units.
struct Letters {
  const ImFont* font = nullptr;
  float height = 0;
  float em = 0;
};

// The largest letters that are no higher than `em` (the smallest that there are, where all are); letters are drawn at
// sizes that they were made for, so that they are crisp, and are enlarged beyond the largest one only.
Letters letters_for(const Fonts& fonts, picture::Face face, float em);

// Digits are equally wide, so that numbers below each other can be compared.
float width_of(const Letters& letters, picture::Face face, std::string_view text);

// Lengths of a picture to Dear ImGui's units: places are multiplied with `scale` and moved by `origin`.
struct PicturePlace {
  ImVec2 origin;
  float scale = 1;

  ImVec2 at(double x, double y) const {
    return {origin.x + static_cast<float>(x) * scale, origin.y + static_cast<float>(y) * scale};
  }
};

picture::TextMeasure measure_in(const Fonts& fonts, float scale);

// The letters, greys and matrices that pictures are painted with.
struct PaintBox {
  const Fonts& fonts;
  const CellGreys& greys;
  HeatmapSink* heatmaps = nullptr;  // null: matrices are left out
  Pooling pooling = Pooling::largest_magnitude;
};

HeatmapQuad quad_of(const picture::Heatmap& heatmap, ImVec2 min_screen, ImVec2 max_screen, const PaintBox& with);

void paint(ImDrawList& list, const picture::Picture& picture, const PicturePlace& place, const PaintBox& with);

}  // namespace attnscope
