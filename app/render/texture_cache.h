#pragma once

#include <compare>
#include <map>
#include <memory>

#include "core/evaluate.h"
#include "render/gl_objects.h"
#include "render/matrix_tile.h"

namespace attnscope {

// What is drawn, before it is cut into tiles.
struct MatrixSource {
  TensorPtr values;
  Index matrix = 0;
  TensorPtr factors;  // null, or with matrices of the same size
  Index factors_matrix = 0;
  bool causal = false;
};

// Textures of tiles, uploaded when first asked for and kept while they are used and their tensors live. Red is the
// value, green above 0 where dropped.
class TextureCache {
public:
  void begin_frame();

  // Name of the texture of one tile; valid until the next begin_frame().
  GLuint find_or_upload(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

  long upload_count() const { return upload_count_; }

private:
  struct Key {
    const Tensor* values = nullptr;
    Index matrix = 0;
    const Tensor* factors = nullptr;
    Index factors_matrix = 0;
    bool causal = false;
    Index grid_rows = 0;
    Index grid_cols = 0;
    Pooling pooling = Pooling::largest_magnitude;
    Index tile_row = 0;
    Index tile_col = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    Texture texture;
    // Watched, not owned: where they are gone, the key's addresses may belong to other tensors by now.
    std::weak_ptr<const Tensor> values;
    std::weak_ptr<const Tensor> factors;
    bool has_factors = false;
    bool pooled = false;
    long last_frame = 0;
  };

  std::map<Key, Entry> entries_;
  long frame_ = 0;
  long upload_count_ = 0;
};

}  // namespace attnscope
