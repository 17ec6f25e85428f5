#pragma once

#include <functional>
#include <memory>
#include <string>

#include "figure/figure_series.h"
#include "figure/frame_results.h"

namespace attnscope {

// The pictures of a document with one parameter swept. First look() at every frame, then draw() them: two passes, as
// the colours of the first picture and the size of its page depend on the numbers of the last. No more than one is
// drawn at a time.
class Animation {
public:
  // What is chosen about the figure of a frame's document; the frame's name comes to its title.
  using Choose = std::function<FigureOptions(const Document&)>;
  Animation(std::shared_ptr<FrameResults> frames, Choose choose);
  Animation(Document document, Sweep sweep, Choose choose);

  std::size_t frame_count() const { return frames_->frame_count(); }
  const Document& document() const { return frames_->document(); }  // that is swept
  Document document(std::size_t frame) const { return frames_->document(frame); }

  // Throw Error as describe_figure() and evaluate() do, and Cancelled.
  void look(std::size_t frame, const Execution& execution = {});
  Figure figure(std::size_t frame, const Execution& execution = {});
  std::string draw(std::size_t frame, const Execution& execution = {});  // a PNG, all of one size

private:
  FigureContent content(std::size_t frame, const Execution& execution);

  std::shared_ptr<FrameResults> frames_;
  Choose choose_;
  FigureSeries series_;
};

}  // namespace attnscope
