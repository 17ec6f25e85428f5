#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "document/picture_format.h"
#include "files/image.h"

namespace attnscope {

// Puts an animated GIF together (GIF89a). A frame has 256 colours of its own, and holds no more than what differs from
// the one before it. Pictures must be opaque: GIF has no half-transparent pixels, which letters end in.
class AnimatedGif {
public:
  explicit AnimatedGif(const Playback& playback);
  ~AnimatedGif();
  AnimatedGif(const AnimatedGif&) = delete;
  AnimatedGif& operator=(const AnimatedGif&) = delete;

  void add_frame(const Image& image);  // every one must be as large as the first; throws Error
  std::size_t size() const;            // so far, in bytes
  std::string finish();                // the file, after all frames; leaves nothing behind

private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace attnscope
