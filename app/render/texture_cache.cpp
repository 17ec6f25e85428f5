#include "render/texture_cache.h"

namespace attnscope {
namespace {

constexpr long kept_frames = 120;
// Dragging a divider asks for a new size of every pooled picture in every frame: the old ones are soon let go.
constexpr long pooled_kept_frames = 4;

Texture upload(TileKind kind, const ConstMatrixMap& matrix, bool causal, const TexelGrid& grid, const Tile& tile) {
  TexturePixels content{.width = static_cast<int>(tile.cols), .height = static_cast<int>(tile.rows), .format = GL_RED};
  if (kind == TileKind::values) {
    const std::vector<float> values = tile_values(matrix, causal, grid, tile);
    content.internal_format = GL_R32F;
    content.type = GL_FLOAT;
    content.pixels = values.data();
    return make_texture(content);
  }
  const std::vector<std::uint8_t> drops = tile_drops(matrix, causal, grid, tile);
  content.internal_format = GL_R8;
  content.type = GL_UNSIGNED_BYTE;
  content.pixels = drops.data();
  return make_texture(content);
}

}  // namespace

void TextureCache::begin_frame() {
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    return entry.tensor.expired() || frame_ - entry.last_frame > (entry.pooled ? pooled_kept_frames : kept_frames);
  });
}

GLuint TextureCache::find_or_upload(TileKind kind, const TensorPtr& tensor, Index matrix, bool causal,
                                    const TexelGrid& grid, const Tile& tile) {
  Entry& entry = entries_[{kind, tensor.get(), matrix, causal, grid.rows, grid.cols, tile.row, tile.col}];
  if (entry.texture.name() == 0 || entry.tensor.lock() != tensor) {
    const ConstMatrixMap cells = tensor->matrix(matrix);
    entry = {.texture = upload(kind, cells, causal, grid, tile),
             .tensor = tensor,
             .last_frame = frame_,
             .pooled = grid.rows < cells.rows() || grid.cols < cells.cols()};
    ++upload_count_;
  }
  entry.last_frame = frame_;
  return entry.texture.name();
}

}  // namespace attnscope
