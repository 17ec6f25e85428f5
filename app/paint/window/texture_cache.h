#pragma once

#include <map>
#include <memory>
#include <string>

#include "compute/head_cache.h"
#include "paint/window/gl_objects.h"

namespace attnscope {

// A picture of a matrix as a texture; it may show other cells than were asked for.
struct PictureTexture {
  GLuint name = 0;  // 0: there is no texture
  PixelGrid grid;
};

// Textures of pictures: uploaded when first asked for, kept while they are used and their matrices live. The red
// channel is the value; green is above 0 where the cell is dropped.
class TextureCache {
public:
  // Begins a frame. `cache` computes the pictures in the background; without one they are computed at once.
  // `joins_frame`: the cache's current frame goes on.
  void begin_frame(HeadCache* cache, bool joins_frame = false);

  // Returns the texture of a picture, valid until the next begin_frame(). Until it is computed, returns the last
  // texture that was shown in the same place; returns none if the driver has no room.
  PictureTexture find_or_upload(const ShownMatrix& source, const PixelGrid& grid);

  const std::string& failure() const { return failure_; }  // a sentence if an upload failed in this frame, or empty
  long upload_count() const { return upload_count_; }

private:
  struct Entry {
    Texture texture;
    // The matrices that the key's addresses name; once they are gone, other matrices may have those addresses.
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    PixelGrid grid;
    long last_frame = 0;
  };

  Texture make_room_and_upload(const Pixels& pixels, const PixelGrid& grid);
  PictureTexture last_picture(const PictureKey& key);

  HeadCache* cache_ = nullptr;
  std::map<PictureKey, Entry> entries_;
  long frame_ = 0;
  long upload_count_ = 0;
  std::string failure_;
};

}  // namespace attnscope
