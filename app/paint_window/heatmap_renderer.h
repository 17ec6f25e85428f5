#pragma once

#include <memory>
#include <string>

#include "paint_window/heatmap_quad.h"

namespace attnscope {

class TileStore;

// Draws heatmaps through one shader: a float texture per matrix, uploaded once and kept while it is used, the colormap
// as a lookup texture. Cells that are masked, dropped, NaN or infinite are marked in the shader; cells smaller than a
// pixel are pooled. Needs the current OpenGL 3.3 context that it was made in.
class HeatmapRenderer : public HeatmapSink {
public:
  HeatmapRenderer();
  ~HeatmapRenderer() override;

  // Call before the views are built, with the framebuffer's pixels per unit; forgets textures unused for a while.
  // `store` computes the tiles in the background; without one they are computed at once. `joins_frame`: another
  // renderer has begun the store's frame.
  void begin_frame(float pixels_per_unit, TileStore* store = nullptr, bool joins_frame = false);
  void draw(ImDrawList& list, const HeatmapQuad& quad) override;
  void draw_image(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) override;

  // A sentence about what the driver had no memory for in this frame, or empty. Its place is left empty.
  const std::string& failure() const;

  // Textures uploaded so far, for tests: an unchanged matrix is not uploaded again.
  long upload_count() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attnscope
