#include "features/figures/animation_file.h"

#include "compute/computation.h"
#include "interchange/picture_document.h"
#include "platform/system/process.h"

namespace attnscope {
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

std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution) {
  return with_document(animated_picture(animation, kind, playback, watch, execution), kind, animation.document());
}

std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  return with_document(frame_picture(animation, frame, watch, execution), PictureKind::png, animation.document(frame));
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
