#pragma once

#include <memory>
#include <optional>

#include "features/figures/animation.h"
#include "state/figure_preview.h"

namespace attnscope {

// Returns the options of each frame's figure: these, with the footer of its own document where there is one.
Animation::Choose frame_choices(FigureOptions options);

// The frames of a sweep while they are looked at one by one, with choices that change: what was evaluated is kept, and
// what was begun goes on after a stop. For one thread, but for progress().
class SweepPreview {
public:
  SweepPreview(Document document, Sweep sweep);

  // Returns a frame as it will be drawn: all frames are looked at first. Throws Error and Cancelled.
  Figure figure(std::size_t frame, const FigureOptions& options, const Execution& execution);
  std::shared_ptr<const DrawingProgress> progress() const { return progress_; }

private:
  std::shared_ptr<FrameResults> frames_;
  std::optional<Animation> animation_;  // of `options_`
  FigureOptions options_;
  std::size_t looked_at_ = 0;  // frames of it
  std::shared_ptr<DrawingProgress> progress_ = std::make_shared<DrawingProgress>();
};

}  // namespace attnscope
