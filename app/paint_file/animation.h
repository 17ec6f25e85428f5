#pragma once

#include <functional>
#include <memory>
#include <string>

#include "paint_file/figure_series.h"
#include "paint_file/frame_results.h"

namespace attnscope {

// The pictures of a document with one parameter swept. First look() at every frame, then draw() them: the colours and
// the page size of the first picture depend on the numbers of the last, so it takes two passes. Only one picture is in
// memory at a time.
class Animation {
public:
  // The options of one frame's figure; the frame's name is added to the title.
  using Choose = std::function<FigureOptions(const Document&)>;
  Animation(std::shared_ptr<FrameResults> frames, Choose choose);
  Animation(Document document, Sweep sweep, Choose choose);

  std::size_t frame_count() const { return frames_->frame_count(); }
  const Document& document() const { return frames_->document(); }  // before the sweep
  Document document(std::size_t frame) const { return frames_->document(frame); }

  // Errors: those of describe_figure() and evaluate(), and Cancelled.
  void look(std::size_t frame, const Execution& execution = {});
  Figure figure(std::size_t frame, const Execution& execution = {});
  std::string draw(std::size_t frame, const Execution& execution = {});   // a PNG; all have the same size
  FigureImage image(std::size_t frame, const Execution& execution = {});  // its pixels

private:
  FigureContent content(std::size_t frame, const Execution& execution);

  std::shared_ptr<FrameResults> frames_;
  Choose choose_;
  FigureSeries series_;
};

}  // namespace attnscope
