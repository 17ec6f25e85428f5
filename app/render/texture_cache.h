#pragma once

#include <compare>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "compute/tile_store.h"
#include "render/gl_objects.h"

namespace attnscope {

struct TileTexture {
  Tile tile;
  GLuint name = 0;
};

// Some tiles of one resolution.
struct StandIn {
  TexelGrid grid;
  std::vector<TileTexture> tiles;
};

// Textures of tiles, uploaded when first asked for and kept while they are used and their tensors live. Red is the
// value, green above 0 where dropped.
class TextureCache {
public:
  // `store` computes the tiles; without one they are computed at once. What is asked for until the next call belongs to
  // a frame of its own, or with `joins_frame` to that which the store is in.
  void begin_frame(TileStore* store, bool joins_frame = false);

  // Name of the texture of one tile, valid until the next begin_frame(). While its pixels are not there yet, that of
  // the same place in the picture before, or 0.
  GLuint find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

  // What there is of the same matrix at another resolution, to be drawn while pictures are missing: that which covers
  // most of some cells, and of such the finest. Marked as used.
  StandIn find_stand_in(const MatrixSource& source, const TexelGrid& missing, const CellRect& cells);

  long upload_count() const { return upload_count_; }

private:
  struct Entry {
    Texture texture;
    std::uint64_t number = 0;  // of the pixels in it
    // Watched, not owned: where they are gone, the key's addresses may belong to other matrices by now.
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    bool has_second = false;
    TexelGrid grid;
    Tile tile;
    bool pooled = false;
    long last_frame = 0;
  };

  // All entries of a matrix, whatever their resolution.
  std::pair<std::map<TileKey, Entry>::iterator, std::map<TileKey, Entry>::iterator> of_matrix(const TileKey& key);
  GLuint last_picture(const TileKey& key);
  void keep_overview(const TileKey& key);

  TileStore* store_ = nullptr;
  std::map<TileKey, Entry> entries_;
  long frame_ = 0;
  long upload_count_ = 0;
};

}  // namespace attnscope
