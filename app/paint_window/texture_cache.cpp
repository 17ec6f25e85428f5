#include "paint_window/texture_cache.h"

#include <algorithm>
#include <tuple>

#include "core/error.h"

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

bool is_same_matrix(const TileKey& left, const TileKey& right) {
  return std::tie(left.first, left.second, left.stage, left.matrix, left.seen) ==
         std::tie(right.first, right.second, right.stage, right.matrix, right.seen);
}

bool is_whole(const TexelGrid& grid, const Tile& tile) { return tile.rows == grid.rows && tile.cols == grid.cols; }

Index overlap(Index first, Index count, Index other_first, Index other_count) {
  return std::max<Index>(0, std::min(first + count, other_first + other_count) - std::max(first, other_first));
}

// Cells of `cells` that lie under a tile; those under its edges are counted twice.
Index covered_cells(const CellRect& cells, const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const CellRect under = cells_under(grid, tile, source.rows(), source.cols());
  return overlap(cells.row, cells.rows, under.row, under.rows) * overlap(cells.col, cells.cols, under.col, under.cols);
}

}  // namespace

void TextureCache::begin_frame(TileStore* store, bool joins_frame) {
  store_ = store;
  failure_.clear();
  if (store_ && !joins_frame) store_->begin_frame();
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const auto& [key, entry] = item;
    const bool is_orphaned = entry.first.expired() || (key.second && entry.second.expired());
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

std::pair<TextureCache::Entries::iterator, TextureCache::Entries::iterator> TextureCache::of_matrix(
    const TileKey& key) {
  TileKey least = key;
  least.grid_rows = least.grid_cols = least.tile_row = least.tile_col = 0;
  least.pooling = Pooling::largest_magnitude;
  const auto first = entries_.lower_bound(least);
  return {first,
          std::find_if(first, entries_.end(), [&](const auto& item) { return !is_same_matrix(item.first, key); })};
}

// A picture of the whole matrix stays while parts of it are looked at, so that there is something to show of any other.
void TextureCache::keep_overview(const TileKey& key) {
  Entry* newest = nullptr;
  for (auto [at, end] = of_matrix(key); at != end; ++at) {
    Entry& entry = at->second;
    if (!is_whole(entry.grid, entry.tile)) continue;
    if (!newest || entry.last_frame > newest->last_frame) newest = &entry;
  }
  if (newest) newest->last_frame = frame_;
}

StandIn TextureCache::find_stand_in(const MatrixSource& source, const TexelGrid& missing, const CellRect& cells) {
  struct Candidate {
    StandIn stand_in;
    Index covered = 0;
    std::vector<Entry*> entries;
  };
  std::vector<Candidate> candidates;
  const Origin origin = origin_of(source);
  for (auto [at, end] = of_matrix(key_of(source, missing, {})); at != end; ++at) {
    Entry& entry = at->second;
    if (entry.grid == missing || entry.texture.name() == 0 || !entry.is_of(origin)) continue;
    // Entries of one resolution follow one another.
    if (candidates.empty() || candidates.back().stand_in.grid != entry.grid)
      candidates.push_back({{entry.grid, {}}, 0, {}});
    Candidate& candidate = candidates.back();
    candidate.stand_in.tiles.push_back({entry.tile, entry.texture.name()});
    candidate.covered += covered_cells(cells, source, entry.grid, entry.tile);
    candidate.entries.push_back(&entry);
  }
  const auto rank = [&](const Candidate& candidate) {
    return std::pair(std::min(candidate.covered, cells.rows * cells.cols),
                     candidate.stand_in.grid.rows * candidate.stand_in.grid.cols);
  };
  const auto best = std::ranges::max_element(candidates, {}, rank);
  if (best == candidates.end()) return {};
  for (Entry* entry : best->entries) entry->last_frame = frame_;
  return std::move(best->stand_in);
}

// Frees the textures that this frame has not used until there is room; returns no texture if that does not help.
Texture TextureCache::make_room_and_upload(const TilePixels& pixels, const Tile& tile) {
  for (const bool is_last : {false, true}) {
    try {
      return upload(pixels, tile);
    } catch (const Error& refused) {
      if (is_last) failure_ = refused.what();
    }
    std::erase_if(entries_, [&](const auto& item) { return item.second.last_frame < frame_; });
  }
  return {};
}

GLuint TextureCache::find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const TileKey key = key_of(source, grid, tile);
  const Origin origin = origin_of(source);
  if (!is_whole(grid, tile)) keep_overview(key);
  TilePtr pixels;
  if (store_) {
    pixels = store_->find(source, grid, tile);
    if (!pixels) return last_picture(key);
  }
  auto entry = entries_.find(key);
  const bool is_fresh =
      entry != entries_.end() && entry->second.is_of(origin) && (!pixels || entry->second.number == pixels->number);
  if (!is_fresh) {
    const TilePixels computed = pixels ? TilePixels{} : compute_tile(source, grid, tile, {});
    Texture texture = make_room_and_upload(pixels ? *pixels : computed, tile);
    if (texture.name() == 0) return 0;
    Entry made{.texture = std::move(texture),
               .number = pixels ? pixels->number : 0,
               .first = origin.first,
               .second = origin.second,
               .grid = grid,
               .tile = tile,
               .pooled = grid.rows < source.rows() || grid.cols < source.cols()};
    entry = entries_.insert_or_assign(key, std::move(made)).first;
    ++upload_count_;
  }
  entry->second.last_frame = frame_;
  return entry->second.texture.name();
}

}  // namespace attnscope
