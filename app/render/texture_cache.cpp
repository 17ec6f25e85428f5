#include "render/texture_cache.h"

namespace attnscope {
namespace {

constexpr long kept_frames = 120;
// Dragging a divider asks for a new size of every pooled picture in every frame: the old ones are soon let go.
constexpr long pooled_kept_frames = 4;

Texture upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const std::vector<float> values =
      tile_values(std::as_const(*source.values).matrix(source.matrix), source.causal, grid, tile);
  TexturePixels content{.internal_format = GL_R32F,
                        .width = static_cast<int>(tile.cols),
                        .height = static_cast<int>(tile.rows),
                        .format = GL_RED,
                        .type = GL_FLOAT,
                        .pixels = values.data()};
  if (!source.factors) return make_texture(content);

  const std::vector<float> drops =
      tile_drops(std::as_const(*source.factors).matrix(source.factors_matrix), source.causal, grid, tile);
  std::vector<float> pairs(2 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    pairs[2 * i] = values[i];
    pairs[2 * i + 1] = drops[i];
  }
  content.internal_format = GL_RG32F;
  content.format = GL_RG;
  content.pixels = pairs.data();
  return make_texture(content);
}

}  // namespace

void TextureCache::begin_frame() {
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool is_orphaned = entry.values.expired() || (entry.has_factors && entry.factors.expired());
    return is_orphaned || frame_ - entry.last_frame > (entry.pooled ? pooled_kept_frames : kept_frames);
  });
}

GLuint TextureCache::find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const Key key = {source.values.get(),
                   source.matrix,
                   source.factors.get(),
                   source.factors_matrix,
                   source.causal,
                   grid.rows,
                   grid.cols,
                   grid.pooling,
                   tile.row,
                   tile.col};
  Entry& entry = entries_[key];
  const bool is_fresh = entry.values.lock() == source.values && entry.factors.lock() == source.factors;
  if (entry.texture.name() == 0 || !is_fresh) {
    entry = {.texture = upload(source, grid, tile),
             .values = source.values,
             .factors = source.factors,
             .has_factors = source.factors != nullptr,
             .pooled = grid.rows < source.values->rows() || grid.cols < source.values->cols()};
    ++upload_count_;
  }
  entry.last_frame = frame_;
  return entry.texture.name();
}

}  // namespace attnscope
