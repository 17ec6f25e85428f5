#include "paint/window/texture_cache.h"

#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"

namespace attnscope {
namespace {

constexpr long kept_frames = 120;
// Pooled pictures are kept for less long, because dragging a divider asks for a new size of every picture in every
// frame; and so are pictures of matrices that are gone, which stand in until new ones are there.
constexpr long pooled_kept_frames = 4;

Texture upload(const Pixels& pixels, const PixelGrid& grid) {
  TexturePixels content{.internal_format = GL_R32F,
                        .width = static_cast<int>(grid.cols),
                        .height = static_cast<int>(grid.rows),
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

bool is_pooled(const PixelGrid& grid) { return grid.rows < grid.cells.rows || grid.cols < grid.cells.cols; }

}  // namespace

void TextureCache::begin_frame(HeadCache* cache, bool joins_frame) {
  cache_ = cache;
  failure_.clear();
  if (cache_ && !joins_frame) cache_->begin_frame();
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const auto& [key, entry] = item;
    const bool is_orphaned = entry.first.expired() || (key.second && entry.second.expired());
    return frame_ - entry.last_frame > (is_pooled(entry.grid) || is_orphaned ? pooled_kept_frames : kept_frames);
  });
}

// Returns the newest texture of the same matrix of the same stage: these cells from the evaluation before, or other
// cells.
PictureTexture TextureCache::last_picture(const PictureKey& key) {
  Entry* best = nullptr;
  const auto rank = [&](const PictureKey& of, const Entry& entry) {
    const bool is_of_these_numbers = of.first == key.first && of.second == key.second;
    return std::tuple(entry.last_frame, is_of_these_numbers, entry.grid.cells.rows * entry.grid.cells.cols);
  };
  std::tuple<long, bool, Index> best_rank;
  for (auto& [other, entry] : entries_) {
    const bool is_same_place = other.stage == key.stage && other.matrix == key.matrix && other.seen == key.seen;
    if (!is_same_place || entry.texture.name() == 0) continue;
    if (best && rank(other, entry) <= best_rank) continue;
    best = &entry;
    best_rank = rank(other, entry);
  }
  if (!best || frame_ - best->last_frame > 1) return {};
  best->last_frame = frame_;
  return {best->texture.name(), best->grid};
}

// Frees the textures that this frame has not used until there is room; returns no texture if that does not help.
Texture TextureCache::make_room_and_upload(const Pixels& pixels, const PixelGrid& grid) {
  for (const bool is_last : {false, true}) {
    try {
      return upload(pixels, grid);
    } catch (const Error& refused) {
      if (is_last) failure_ = refused.what();
    }
    std::erase_if(entries_, [&](const auto& item) { return item.second.last_frame < frame_; });
  }
  return {};
}

PictureTexture TextureCache::find_or_upload(const ShownMatrix& source, const PixelGrid& grid) {
  const PictureKey key = key_of(source, grid);
  const Origin origin = origin_of(source);
  auto entry = entries_.find(key);
  const bool is_there = entry != entries_.end() && entry->second.first.lock() == origin.first &&
                        entry->second.second.lock() == origin.second;
  if (!is_there) {
    const PixelsPtr pixels =
        cache_ ? cache_->find(source, grid) : std::make_shared<const Pixels>(pixels_of(source, grid, {}));
    if (!pixels) return last_picture(key);
    Texture texture = make_room_and_upload(*pixels, grid);
    if (texture.name() == 0) return {};
    Entry made{.texture = std::move(texture), .first = origin.first, .second = origin.second, .grid = grid};
    entry = entries_.insert_or_assign(key, std::move(made)).first;
    ++upload_count_;
  }
  entry->second.last_frame = frame_;
  return {entry->second.texture.name(), grid};
}

}  // namespace attnscope
