#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "document/file_formats.h"
#include "files/png.h"

namespace attnscope {

// Puts an animated GIF together (GIF89a). A frame has 256 colours of its own, and holds no more than what differs from
// the one before it; frames that are the same become one that is shown for longer. Pictures must be opaque: GIF has no
// half-transparent pixels, which letters end in.
class AnimatedGif {
public:
  // `colours` limits those of a frame, 16 to 256: fewer make a smaller file.
  explicit AnimatedGif(const Playback& playback, std::size_t colours = 256);
  ~AnimatedGif();
  AnimatedGif(const AnimatedGif&) = delete;
  AnimatedGif& operator=(const AnimatedGif&) = delete;

  void add_frame(const Image& image);  // throws Error unless it is as large as the first
  std::size_t size() const;            // bytes so far
  std::string finish();                // returns the file; call it once, after all frames

private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace attnscope
