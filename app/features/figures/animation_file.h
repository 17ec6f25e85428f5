#pragma once

#include <cstddef>
#include <string>

#include "features/figures/picture_writers.h"
#include "interchange/file_series.h"

// Animations as files, with their documents in them. What the command line and windows share.
namespace attnscope {

// Throws Error when a frame needs more memory than there is.
void check_memory(const Animation& animation);

// Evaluates every frame; before any is drawn. Throws Error and Cancelled.
void look_at_frames(Animation& animation, const FrameWatch& watch, const Execution& execution);

// The bytes of all frames, with the document that was swept if the format carries one. Throws Error and Cancelled.
std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution);

// The bytes of a PNG of one frame; carries the frame's document. Throws Error and Cancelled.
std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// Writes a picture of each frame, all of them or none. Throws Error and Cancelled.
void write_whole_series(Animation& animation, const FileSeries& series, const FrameWatch& watch,
                        const Execution& execution);

}  // namespace attnscope
