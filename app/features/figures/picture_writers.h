#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "document/picture_format.h"
#include "features/figures/animation.h"
#include "interchange/playback.h"

// The writer of each format of figures.
namespace attnscope {

// The bytes of a still figure, without its document. Throws Error when the picture would be too large, and Cancelled.
std::string still_picture(const Figure& figure, PictureKind kind, const std::stop_token& stop, const DrawWatch& watch,
                          const EncodeWatch& encoding);

enum class FrameStep { evaluated, drawn };
using FrameWatch = std::function<void(std::size_t frame, FrameStep step)>;  // called before each

// The bytes of a PNG of one frame, without its document. Throws Error and Cancelled.
std::string frame_picture(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// The bytes of all frames, without the document. What is transparent in a PNG is white in other formats. Throws Error,
// also when there are too many bytes to be opened again, and Cancelled.
std::string animated_picture(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                             const Execution& execution);

}  // namespace attnscope
