#include "features/figures/sweep_preview.h"

#include <utility>

#include "document/footer.h"
#include "features/figures/animation_file.h"

namespace attnscope {

Animation::Choose frame_choices(FigureOptions options) {
  return [options = std::move(options)](const Document& shown) {
    FigureOptions chosen = options;
    if (!chosen.footer.empty()) chosen.footer = footer_text(shown);
    return chosen;
  };
}

SweepPreview::SweepPreview(Document document, Sweep sweep)
    : frames_(std::make_shared<FrameResults>(std::move(document), std::move(sweep))) {
  progress_->is_of_frames = true;
  progress_->count = frames_->frame_count();
}

Figure SweepPreview::figure(std::size_t frame, const FigureOptions& options, const Execution& execution) {
  if (!animation_ || options_ != options) {
    Animation animation(frames_, frame_choices(options));
    check_memory(animation);
    animation_ = std::move(animation);
    options_ = options;
    looked_at_ = 0;
  }
  for (; looked_at_ < frames_->frame_count(); ++looked_at_) {
    check_stop(execution);
    progress_->computed = looked_at_;
    animation_->look(looked_at_, execution);
  }
  progress_->computed = looked_at_;
  return animation_->figure(frame, execution);
}

}  // namespace attnscope
