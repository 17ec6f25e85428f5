#include "session/animation_file.h"

#include <fmt/format.h>

#include "compute/computation.h"
#include "core/error.h"
#include "document/json.h"
#include "interchange/picture_document.h"
#include "platform/system/memory.h"

namespace attnscope {
namespace {

std::string drawn(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  check_stop(execution);
  watch(frame, FrameStep::drawn);
  std::string png = animation.draw(frame, execution);
  check_stop(execution);  // what was asked for during the drawing
  return png;
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

std::string animation_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution) {
  AnimatedPng png(animation.frame_count(), playback);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    png.add_frame(drawn(animation, frame, watch, execution));
    if (png.size() <= max_document_bytes) continue;
    throw Error(
        fmt::format("The animation has more than {} bytes after {} of {} frames, which could not be opened "
                    "again: choose fewer frames, or a smaller width or scale.",
                    max_document_bytes, frame + 1, animation.frame_count()));
  }
  return with_document(png.finish(), PictureKind::png, animation.document());
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
