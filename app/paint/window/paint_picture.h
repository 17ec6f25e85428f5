#pragma once

#include "paint/window/renderers.h"
#include "paint/window/text.h"
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

// Returns the largest letters that are no higher than `em`; if all are, the smallest. Letters are drawn at sizes that
// they were made for, so that they are crisp; only the largest ones are enlarged.
Letters letters_for(const Fonts& fonts, picture::Face face, float em);

// Returns the width of a text. Digits are equally wide, so that numbers below each other can be compared.
float width_of(const Letters& letters, picture::Face face, std::string_view text);

// Converts places of a picture to Dear ImGui's units: multiplies them with `scale` and adds `origin`.
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
  HeatmapSink* heatmaps = nullptr;  // null: leaves matrices out
};

HeatmapQuad quad_of(const picture::Heatmap& heatmap, ImVec2 min_screen, ImVec2 max_screen, const PaintBox& with);

void paint_picture(ImDrawList& list, const picture::Picture& picture, const PicturePlace& place, const PaintBox& with);

}  // namespace attnscope
