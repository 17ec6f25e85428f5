#include "render/heatmap_renderer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>

#include "render/heatmap_program.h"
#include "render/texture_cache.h"

namespace attnscope {
namespace {

// A quad whose textures are ready; where its pixels lie in the framebuffer is known only when the frame is drawn.
struct Request {
  const HeatmapProgram* program = nullptr;
  ImVec2 min_screen;
  HeatmapPicture picture;
};

struct PixelRect {
  float min_x = 0, min_y = 0, max_x = 0, max_y = 0;
};

TexelGrid choose_grid(const ConstMatrixMap& matrix, float width, float height) {
  return {std::clamp<Index>(static_cast<Index>(height), 1, matrix.rows()),
          std::clamp<Index>(static_cast<Index>(width), 1, matrix.cols()), Pooling::largest_magnitude};
}

struct TileRange {
  Index first = 0;  // tile numbers
  Index last = 0;   // one past
};

// Tiles of an axis of `texels` drawn over `length` pixels that show between pixels `from` and `to`.
TileRange visible_tiles(Index texels, float length, float from, float to) {
  const float per_pixel = static_cast<float>(texels) / length;
  const auto texel_at = [&](float pixel) {
    return std::clamp<Index>(static_cast<Index>(std::floor(pixel * per_pixel)), 0, texels - 1);
  };
  if (to <= 0 || from >= length) return {};
  // A texel more on either side, as the product may round across a border.
  const Index first = std::max<Index>(texel_at(from) - 1, 0);
  const Index last = std::min<Index>(texel_at(to) + 1, texels - 1);
  return {first / tile_side, last / tile_side + 1};
}

// Called while Dear ImGui's backend draws the frame, between its own commands.
void draw_request(const ImDrawList*, const ImDrawCmd* command) {
  const ImDrawData* const data = ImGui::GetDrawData();
  const auto& request = *static_cast<const Request*>(command->UserCallbackData);
  const ImVec2 scale = data->FramebufferScale;
  const float width = std::round(data->DisplaySize.x * scale.x);
  const float height = std::round(data->DisplaySize.y * scale.y);
  const auto to_x = [&](float x) { return std::round((x - data->DisplayPos.x) * scale.x); };
  const auto to_y = [&](float y) { return std::round((y - data->DisplayPos.y) * scale.y); };

  const ImVec4& clip = command->ClipRect;
  const PixelRect visible = {std::max(to_x(clip.x), 0.0F), std::max(to_y(clip.y), 0.0F), std::min(to_x(clip.z), width),
                             std::min(to_y(clip.w), height)};
  if (visible.max_x <= visible.min_x || visible.max_y <= visible.min_y) return;
  glViewport(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  glScissor(static_cast<GLint>(visible.min_x), static_cast<GLint>(height - visible.max_y),
            static_cast<GLsizei>(visible.max_x - visible.min_x), static_cast<GLsizei>(visible.max_y - visible.min_y));

  HeatmapPicture picture = request.picture;
  picture.framebuffer = {width, height};
  picture.quad[0] = to_x(request.min_screen.x);
  picture.quad[1] = to_y(request.min_screen.y);
  request.program->draw(picture);
}

}  // namespace

struct HeatmapRenderer::Impl {
  HeatmapProgram program;
  TextureCache textures;
  std::deque<Request> requests;  // of this frame; callbacks hold their addresses
  float pixels_per_unit = 1;

  void add_tiles(HeatmapPicture& picture, const HeatmapQuad& quad, const PixelRect& visible);
};

// Only tiles inside `visible`, in pixels of the quad.
void HeatmapRenderer::Impl::add_tiles(HeatmapPicture& picture, const HeatmapQuad& quad, const PixelRect& visible) {
  const TexelGrid& grid = picture.grid;
  const TileRange rows = visible_tiles(grid.rows, picture.quad[3], visible.min_y, visible.max_y);
  const TileRange cols = visible_tiles(grid.cols, picture.quad[2], visible.min_x, visible.max_x);
  const MatrixSource source = {quad.values, quad.matrix, quad.factors, quad.factors_matrix, quad.causal};
  assert((!source.factors ||
          (source.factors->rows() == quad.values->rows() && source.factors->cols() == quad.values->cols())) &&
         "dropout factors belong to a matrix of their own size");
  for (Index row = rows.first; row < rows.last; ++row) {
    for (Index col = cols.first; col < cols.last; ++col) {
      const Tile tile = {row * tile_side, col * tile_side, std::min(tile_side, grid.rows - row * tile_side),
                         std::min(tile_side, grid.cols - col * tile_side)};
      picture.tiles.push_back({tile, textures.find_or_upload(source, grid, tile)});
    }
  }
}

HeatmapRenderer::HeatmapRenderer() : impl_(std::make_unique<Impl>()) {}
HeatmapRenderer::~HeatmapRenderer() = default;

void HeatmapRenderer::begin_frame(float pixels_per_unit) {
  impl_->pixels_per_unit = pixels_per_unit;
  impl_->requests.clear();
  impl_->textures.begin_frame();
}

void HeatmapRenderer::draw(ImDrawList& list, const HeatmapQuad& quad) {
  const float scale = impl_->pixels_per_unit;
  // The size is rounded by itself, not from the rounded corners: it must not change while the quad is scrolled.
  const float width = std::round((quad.max_screen.x - quad.min_screen.x) * scale);
  const float height = std::round((quad.max_screen.y - quad.min_screen.y) * scale);
  if (!quad.values || quad.values->size() == 0 || width < 1 || height < 1) return;
  const ImVec2 clip_min = list.GetClipRectMin();
  const ImVec2 clip_max = list.GetClipRectMax();
  const PixelRect visible = {(clip_min.x - quad.min_screen.x) * scale, (clip_min.y - quad.min_screen.y) * scale,
                             (clip_max.x - quad.min_screen.x) * scale, (clip_max.y - quad.min_screen.y) * scale};

  Request request{.program = &impl_->program, .min_screen = quad.min_screen, .picture = {}};
  HeatmapPicture& picture = request.picture;
  picture.grid = choose_grid(quad.values->matrix(quad.matrix), width, height);
  picture.quad = {0, 0, width, height};
  picture.map = quad.map;
  picture.index = index_scale(quad.low, quad.high);
  picture.unit = std::max(1.0F, std::round(scale));
  picture.dark = quad.dark;
  picture.opacity = quad.opacity;
  impl_->add_tiles(picture, quad, visible);
  if (picture.tiles.empty()) return;
  impl_->requests.push_back(std::move(request));
  list.AddCallback(draw_request, &impl_->requests.back());
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

long HeatmapRenderer::upload_count() const { return impl_->textures.upload_count(); }

}  // namespace attnscope
