#pragma once

#include <array>
#include <vector>

#include "look/colormap.h"
#include "look/themes.h"
#include "paint_window/texture_cache.h"

namespace attnscope {

// One matrix for the shader; lengths are framebuffer pixels, from the top left.
struct HeatmapPicture {
  std::vector<TileTexture> tiles;
  TexelGrid grid;
  std::array<float, 2> framebuffer = {};  // width, height
  std::array<float, 4> quad = {};         // left, top, width, height
  Colormap map = Colormap::viridis;
  IndexScale index;
  float unit = 1;  // width of a thin line
  CellGreys greys;
  float opacity = 1;
  bool is_transposed = false;  // `quad` is as it is drawn; tiles and grid are as the matrix is stored
};

// The heatmap shader (one variant for small cells, one for large ones), its colour maps and its OpenGL state.
class HeatmapProgram {
public:
  HeatmapProgram();
  void draw(const HeatmapPicture& picture) const;

private:
  struct Variant {
    explicit Variant(bool has_large_cells);

    Program program;
    GLint framebuffer, quad, grid, tile, map, index, unit, greys, opacity, transposed;  // locations of the uniforms
  };

  Variant small_cells_{false};
  Variant large_cells_{true};
  VertexArray vertex_array_;  // empty: the shader computes the corners, but a core context needs one to draw
  Texture colours_;           // one map per row
};

}  // namespace attnscope
