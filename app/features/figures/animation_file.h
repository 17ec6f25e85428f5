#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "interchange/file_series.h"
#include "interchange/playback.h"
#include "features/figures/animation.h"

// Animations as files, with their documents in them. What the command line and windows share.
namespace attnscope {

enum class FrameStep { evaluated, drawn };
using FrameWatch = std::function<void(std::size_t frame, FrameStep step)>;  // called before each

// Throws Error when a frame needs more memory than there is.
void check_memory(const Animation& animation);

// Evaluates every frame; before any is drawn. Throws Error and Cancelled.
void look_at_frames(Animation& animation, const FrameWatch& watch, const Execution& execution);

enum class AnimationKind { png, gif, mp4 };
// Returns the kind that the path's ending names, in capitals too; none for other endings.
std::optional<AnimationKind> animation_by_ending(const std::filesystem::path& path);

// The bytes of all frames. PNG and GIF carry the document that was swept, MP4 does not; what is transparent in a PNG is
// white in the others. Throws Error, also when there are too many bytes to be opened again, and Cancelled.
std::string animation_file(Animation& animation, AnimationKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution);

// The bytes of a PNG of one frame; carries the frame's document. Throws Error and Cancelled.
std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// Writes a picture of each frame, all of them or none. Throws Error and Cancelled.
void write_whole_series(Animation& animation, const FileSeries& series, const FrameWatch& watch,
                        const Execution& execution);

}  // namespace attnscope
