#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "compute/picture_cache.h"
#include "files/image.h"
#include "paint/window/renderers.h"
#include "platform/window.h"

namespace attnscope {

// Everything that a picture needs without a display: a context, Dear ImGui and the renderers.
class Easel {
public:
  explicit Easel(float pixels_per_unit = 1, ImVec2 size = {320, 240});
  ~Easel();

  // One frame with these quads; `paint` may add to the draw list after them.
  Image draw(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint = {},
             ImVec4 background = {1, 1, 1, 1});
  // As the window draws a frame: only what has changed since the last one.
  Image draw_changes(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint = {},
                     ImVec4 background = {1, 1, 1, 1});
  const std::vector<PixelBox>& drawn_boxes() const { return renderer_->drawn_boxes(); }

  // Pictures come from a cache from now on, or are computed at once for null.
  void use(PictureCache* cache) { cache_ = cache; }
  const std::string& failure() const { return heatmaps_->failure(); }
  long upload_count() const { return heatmaps_->upload_count(); }
  float scale() const { return scale_; }

private:
  ImDrawData& build(const std::vector<HeatmapQuad>& quads, const std::function<void(ImDrawList&)>& paint);

  float scale_;
  PictureCache* cache_ = nullptr;
  WindowlessContext context_;
  ImGuiContext* imgui_;
  std::unique_ptr<ImguiRenderer> renderer_;
  std::unique_ptr<HeatmapRenderer> heatmaps_;
};

// How GoogleTest shows a colour.
inline void PrintTo(const Rgb& colour, std::ostream* out) {
  *out << "rgb(" << int{colour.r} << ", " << int{colour.g} << ", " << int{colour.b} << ")";
}

Rgb pixel(const Image& image, int x, int y);

TensorPtr make_matrix(Index rows, Index cols, AlignedFloats values);
// The same numbers on every machine, in (-3, 3).
TensorPtr random_matrix(Index rows, Index cols, unsigned seed);

// A quad at (min_x, min_y), of `width` by `height` units, on viridis from 0 to 1.
HeatmapQuad make_quad(TensorPtr values, float min_x, float min_y, float width, float height);

}  // namespace attnscope
