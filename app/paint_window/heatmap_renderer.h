#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <string>

#include "compute/matrix_source.h"
#include "look/colours.h"
#include "look/themes.h"
#include "picture/matrix.h"

namespace attnscope {

class TileStore;

// One matrix as a picture: what a view asks for and the renderer draws. Rows from top to bottom, columns left to right.
struct HeatmapQuad {
  MatrixSource source;  // cells that are not seen are hatched neutral grey; those that dropout dropped carry a cross
  ColourRange range;    // of the source's measure
  CellWindow window;    // the part of the matrix that is shown
  Pooling pooling = Pooling::largest_magnitude;
  Index side_by_side = 1;  // so many matrices are shown at once: of files that are too large, each is read in part
  ImVec2 min_screen;       // of that part, Dear ImGui's coordinates; nothing is drawn outside
  ImVec2 max_screen;
  CellGreys greys;             // of the marks
  bool is_transposed = false;  // `window` is of the matrix as it is shown
  float opacity = 1;           // 1 opaque; less while the picture is stale
};

// Any other picture: straight RGBA, one texel a pixel. `owner` keeps it, and its address stands for it.
struct PlainPicture {
  int width = 0;
  int height = 0;
  const std::uint8_t* pixels = nullptr;
  std::shared_ptr<const void> owner;
};

// Texels that an axis of `cells` is sampled as while `shown` of them are drawn over `pixels`: one a cell while a cell
// covers a pixel. Below that, one a pixel when all are shown; else fewer, by steps, so that pictures serve on while the
// view is panned and zoomed a little.
Index texel_count(Index cells, double shown, double pixels);

// Draws quads into a draw list, in their order among everything else in it. Tests without graphics use one that only
// records.
class HeatmapSink {
public:
  virtual ~HeatmapSink() = default;
  virtual void draw(ImDrawList& list, const HeatmapQuad& quad) = 0;
  virtual void draw_image(ImDrawList&, const PlainPicture&, ImVec2 /*min_screen*/, ImVec2 /*max_screen*/) {}
};

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
