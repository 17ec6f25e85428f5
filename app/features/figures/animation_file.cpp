#include "features/figures/animation_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "compute/computation.h"
#include "core/error.h"
#include "document/json.h"
#include "document/words.h"
#include "interchange/apng.h"
#include "interchange/gif.h"
#include "interchange/picture_document.h"
#include "platform/system/process.h"
#include "platform/system/video.h"

namespace attnscope {
namespace {

std::string drawn(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  check_stop(execution);
  watch(frame, FrameStep::drawn);
  std::string png = animation.draw(frame, execution);
  check_stop(execution);  // what was asked for during the drawing
  return png;
}

// Animations that could not be opened again are not made to their end.
void check_size(std::size_t bytes, std::size_t frame, const Animation& animation) {
  if (bytes <= max_document_bytes) return;
  throw Error(
      fmt::format("The animation has more than {} bytes after {} of {} frames, which could not be opened "
                  "again: choose fewer frames, or a smaller width or scale.",
                  max_document_bytes, frame + 1, animation.frame_count()));
}

std::string png_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                     const Execution& execution) {
  AnimatedPng png(animation.frame_count(), playback);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    png.add_frame(drawn(animation, frame, watch, execution));
    check_size(png.size(), frame, animation);
  }
  return with_document(png.finish(), PictureKind::png, animation.document());
}

// The pixels of a frame, what is transparent on white. Of an odd size, `is_even` adds a row or a column like the last.
Image drawn_image(Animation& animation, std::size_t frame, bool is_even, const FrameWatch& watch,
                  const Execution& execution) {
  check_stop(execution);
  watch(frame, FrameStep::drawn);
  const FigureImage drawn = animation.image(frame, execution);
  Image image{drawn.width + (is_even ? drawn.width % 2 : 0), drawn.height + (is_even ? drawn.height % 2 : 0), {}};
  image.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int row = 0; row < image.height; ++row) {
    for (int col = 0; col < image.width; ++col) {
      const int at = std::min(row, drawn.height - 1) * drawn.width + std::min(col, drawn.width - 1);
      const std::uint8_t* const rgba = drawn.pixels.data() + static_cast<std::size_t>(at) * 4;
      const int alpha = rgba[3];
      for (int i = 0; i < 3; ++i)
        image.pixels.push_back(static_cast<std::uint8_t>((rgba[i] * alpha + 255 * (255 - alpha) + 127) / 255));
      image.pixels.push_back(255);
    }
  }
  return image;
}

std::string gif_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                     const Execution& execution) {
  AnimatedGif gif(playback);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    gif.add_frame(drawn_image(animation, frame, false, watch, execution));
    check_size(gif.size(), frame, animation);
  }
  return with_document(gif.finish(), PictureKind::gif, animation.document());
}

std::string video_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                       const Execution& execution) {
  std::optional<VideoEncoder> video;
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    const Image image = drawn_image(animation, frame, true, watch, execution);
    if (!video) video.emplace(image.width, image.height, playback.frames_per_second);
    video->add_frame(image.pixels, execution.stop);
  }
  return video->finish(execution.stop);
}

}  // namespace

void check_memory(const Animation& animation) {
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    check_free_memory(animation.document(frame).config);
  }
}

void look_at_frames(Animation& animation, const FrameWatch& watch, const Execution& execution) {
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    check_stop(execution);
    watch(frame, FrameStep::evaluated);
    animation.look(frame, execution);
  }
}

std::optional<AnimationKind> animation_by_ending(const std::filesystem::path& path) {
  const std::string ending = lower_ending(path);
  if (ending == ".png") return AnimationKind::png;
  if (ending == ".gif") return AnimationKind::gif;
  if (ending == ".mp4") return AnimationKind::mp4;
  return {};
}

std::string animation_file(Animation& animation, AnimationKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution) {
  switch (kind) {
    case AnimationKind::png:
      return png_file(animation, playback, watch, execution);
    case AnimationKind::gif:
      return gif_file(animation, playback, watch, execution);
    default:
      return video_file(animation, playback, watch, execution);
  }
}

std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  return with_document(drawn(animation, frame, watch, execution), PictureKind::png, animation.document(frame));
}

void write_whole_series(Animation& animation, const FileSeries& series, const FrameWatch& watch,
                        const Execution& execution) {
  SeriesWriter writer(series);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    writer.add(frame_file(animation, frame, watch, execution));
  }
  check_stop(execution);
  writer.commit();
}

}  // namespace attnscope
