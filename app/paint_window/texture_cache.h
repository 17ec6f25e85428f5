#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compute/tile_store.h"
#include "paint_window/gl_objects.h"

namespace attnscope {

struct TileTexture {
  Tile tile;
  GLuint name = 0;
};

// Tiles of one matrix at another resolution, drawn while the wanted ones are computed.
struct StandIn {
  TexelGrid grid;
  std::vector<TileTexture> tiles;
};

// Textures of tiles: uploaded when first asked for, kept while they are used and their tensors live. The red channel is
// the value; green is above 0 where the cell is dropped.
class TextureCache {
public:
  // Begins a frame. `store` computes the tiles in the background; without one they are computed at once.
  // `joins_frame`: the store's current frame goes on.
  void begin_frame(TileStore* store, bool joins_frame = false);

  // The texture of one tile, valid until the next begin_frame(). Until its pixels are computed: the texture that was
  // shown in its place before, or 0. 0 too where the driver has no room for it.
  GLuint find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

  // Finds the other resolution of the same matrix that covers most of `cells`, the finest of equals. It counts as
  // used.
  StandIn find_stand_in(const MatrixSource& source, const TexelGrid& missing, const CellRect& cells);

  const std::string& failure() const { return failure_; }  // of this frame: a sentence, or empty
  long upload_count() const { return upload_count_; }

private:
  struct Entry {
    Texture texture;
    std::uint64_t number = 0;  // of its pixels' computation
    // The matrices that the key's addresses name; once they are gone, other matrices may have those addresses.
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    TexelGrid grid;
    Tile tile;
    bool pooled = false;
    long last_frame = 0;

    bool is_of(const Origin& origin) const { return first.lock() == origin.first && second.lock() == origin.second; }
  };

  using Entries = std::map<TileKey, Entry>;

  // All entries of a matrix, whatever their resolution.
  std::pair<Entries::iterator, Entries::iterator> of_matrix(const TileKey& key);
  Texture make_room_and_upload(const TilePixels& pixels, const Tile& tile);
  GLuint last_picture(const TileKey& key);
  void keep_overview(const TileKey& key);

  TileStore* store_ = nullptr;
  Entries entries_;
  long frame_ = 0;
  long upload_count_ = 0;
  std::string failure_;
};

}  // namespace attnscope
