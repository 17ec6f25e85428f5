#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "document/picture_format.h"
#include "features/figures/animation.h"
#include "interchange/file_series.h"

// The writers of figures and animations, which the command line and windows share.
namespace attnscope {

// The bytes of a still figure, without its document. Throws Error when the picture would be too large, and Cancelled.
std::string still_picture(const Figure& figure, PictureKind kind, const std::stop_token& stop, const DrawWatch& watch,
                          const EncodeWatch& encoding);

enum class FrameStep { evaluated, drawn };
using FrameWatch = std::function<void(std::size_t frame, FrameStep step)>;  // called before each

// Throws Error when a frame needs more memory than there is.
void check_memory(const Animation& animation);

// Evaluates every frame; before any is drawn. Throws Error and Cancelled.
void look_at_frames(Animation& animation, const FrameWatch& watch, const Execution& execution);

// The bytes of all frames, with the document that was swept if the format carries one. What is transparent in a PNG is
// white in other formats. Throws Error, also when there are too many bytes to be opened again, and Cancelled.
std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution);

// The bytes of a PNG of one frame; carries the frame's document. Throws Error and Cancelled.
std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// Writes a picture of each frame, all of them or none. Throws Error and Cancelled.
void write_whole_series(Animation& animation, const FileSeries& series, const FrameWatch& watch,
                        const Execution& execution);

}  // namespace attnscope
