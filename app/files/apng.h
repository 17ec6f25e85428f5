#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "document/picture_format.h"

namespace attnscope {

// Puts an animated PNG together (PNG Third Edition, 2025: acTL, fcTL, fdAT) of pictures that are PNG files already.
// Viewers that know no animations show the first frame. Libpng can do this in some distributions only.
class AnimatedPng {
public:
  AnimatedPng(std::size_t frame_count, const Playback& playback);

  // The next frame, all of a picture; every one must be as large as the first and have pixels of the same kind. Throws
  // Error where the bytes are no sound PNG.
  void add_frame(std::string_view png);
  std::size_t size() const { return bytes_.size(); }
  std::string finish();  // the file, after all frames; leaves nothing behind

private:
  std::string frame_control();

  std::size_t frame_count_;
  Playback playback_;
  std::size_t added_ = 0;
  std::uint32_t sequence_ = 0;  // numbers fcTL and fdAT chunks
  std::string header_;          // of the first frame
  std::string bytes_;
};

}  // namespace attnscope
