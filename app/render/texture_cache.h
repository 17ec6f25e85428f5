#pragma once

#include <compare>
#include <map>
#include <memory>

#include "core/evaluate.h"
#include "render/gl_objects.h"
#include "render/matrix_tile.h"

namespace attnscope {

enum class TileKind { values, drops };

// Textures of tiles, uploaded when first asked for and kept while they are used and their tensor lives.
class TextureCache {
public:
  void begin_frame();

  // Name of the texture of one tile of `tensor`'s trailing matrix number `matrix`; valid until the next begin_frame().
  GLuint find_or_upload(TileKind kind, const TensorPtr& tensor, Index matrix, bool causal, const TexelGrid& grid,
                        const Tile& tile);

  long upload_count() const { return upload_count_; }

private:
  struct Key {
    TileKind kind = TileKind::values;
    const Tensor* tensor = nullptr;
    Index matrix = 0;
    bool causal = false;
    Index grid_rows = 0;
    Index grid_cols = 0;
    Index tile_row = 0;
    Index tile_col = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    Texture texture;
    std::weak_ptr<const Tensor> tensor;  // gone: the key's address may belong to another tensor by now
    long last_frame = 0;
    bool pooled = false;
  };

  std::map<Key, Entry> entries_;
  long frame_ = 0;
  long upload_count_ = 0;
};

}  // namespace attnscope
