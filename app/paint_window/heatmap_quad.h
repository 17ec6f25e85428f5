#pragma once

#include <imgui.h>

#include "compute/pooling.h"
#include "core/evaluate.h"
#include "core/measure.h"
#include "core/visibility.h"
#include "look/colormap.h"
#include "look/themes.h"
#include "picture/cell_window.h"

namespace attnscope {

// One matrix as a picture: what a view asks for and the renderer draws. Rows from top to bottom, columns left to right.
struct HeatmapQuad {
  TensorPtr values;  // trailing matrix number `matrix` of it is shown
  Index matrix = 0;
  TensorPtr factors;  // dropout factors, where dropped cells carry a cross; else null
  Index factors_matrix = 0;
  std::shared_ptr<const Result> result;  // where `values` is null: cells of this stage of it are computed
  Stage stage = Stage::weights;
  bool drops = false;  // with the dropout factors of `result`
  Visibility seen;     // cells that are not are hatched neutral grey
  Colormap map = Colormap::viridis;
  float low = 0;      // value of the map's first colour
  float high = 1;     // value of its last
  Measure measure;    // of the cells, that these are values of
  CellWindow window;  // the part of the matrix that is shown
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

// Draws quads into a draw list, in their order among everything else in it. Implemented in render/; tests without
// graphics use one that only records.
class HeatmapSink {
public:
  virtual ~HeatmapSink() = default;
  virtual void draw(ImDrawList& list, const HeatmapQuad& quad) = 0;
  virtual void draw_image(ImDrawList&, const PlainPicture&, ImVec2 /*min_screen*/, ImVec2 /*max_screen*/) {}
};

}  // namespace attnscope
