#include "render/texture_cache.h"

namespace attnscope {
namespace {

constexpr long kept_frames = 120;
// Dragging a divider asks for a new size of every pooled picture in every frame: the old ones are soon let go. The same
// goes for pictures of matrices that are gone, which stand in for those that are not there yet.
constexpr long pooled_kept_frames = 4;

Texture upload(const TilePixels& pixels, const Tile& tile) {
  TexturePixels content{.internal_format = GL_R32F,
                        .width = static_cast<int>(tile.cols),
                        .height = static_cast<int>(tile.rows),
                        .format = GL_RED,
                        .type = GL_FLOAT,
                        .pixels = pixels.values.data()};
  if (pixels.drops.empty()) return make_texture(content);

  std::vector<float> pairs(2 * pixels.values.size());
  for (std::size_t i = 0; i < pixels.values.size(); ++i) {
    pairs[2 * i] = pixels.values[i];
    pairs[2 * i + 1] = pixels.drops[i];
  }
  content.internal_format = GL_RG32F;
  content.format = GL_RG;
  content.pixels = pairs.data();
  return make_texture(content);
}

bool is_same_place(const TileKey& left, const TileKey& right) {
  TileKey moved = left;
  moved.first = right.first;
  moved.second = right.second;
  return moved == right;
}

}  // namespace

void TextureCache::begin_frame(TileStore* store) {
  store_ = store;
  if (store_) store_->begin_frame();
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool is_orphaned = entry.first.expired() || (entry.has_second && entry.second.expired());
    return frame_ - entry.last_frame > (entry.pooled || is_orphaned ? pooled_kept_frames : kept_frames);
  });
}

// A texture of the same tile of the same stage, from the evaluation before.
GLuint TextureCache::last_picture(const TileKey& key) {
  for (auto& [other, entry] : entries_) {
    if (frame_ - entry.last_frame > 1 || entry.texture.name() == 0 || !is_same_place(key, other)) continue;
    entry.last_frame = frame_;
    return entry.texture.name();
  }
  return 0;
}

GLuint TextureCache::find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const TileKey key = key_of(source, grid, tile);
  const Origin origin = origin_of(source);
  TilePtr pixels;
  if (store_) {
    pixels = store_->find(source, grid, tile);
    if (!pixels) return last_picture(key);
  }
  Entry& entry = entries_[key];
  const bool is_fresh = entry.texture.name() != 0 && entry.first.lock() == origin.first &&
                        entry.second.lock() == origin.second && (!pixels || entry.number == pixels->number);
  if (!is_fresh) {
    const TilePixels computed = pixels ? TilePixels{} : compute_tile(source, grid, tile, {});
    entry = {.texture = upload(pixels ? *pixels : computed, tile),
             .number = pixels ? pixels->number : 0,
             .first = origin.first,
             .second = origin.second,
             .has_second = origin.second != nullptr,
             .pooled = grid.rows < source.rows() || grid.cols < source.cols()};
    ++upload_count_;
  }
  entry.last_frame = frame_;
  return entry.texture.name();
}

}  // namespace attnscope
