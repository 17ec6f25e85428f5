#include "paint_file/animation.h"

#include <utility>

#include "paint_file/text_shaper.h"

namespace attnscope {

Animation::Animation(std::shared_ptr<FrameResults> frames, Choose choose)
    : frames_(std::move(frames)), choose_(std::move(choose)) {}

Animation::Animation(Document document, Sweep sweep, Choose choose)
    : Animation(std::make_shared<FrameResults>(std::move(document), std::move(sweep)), std::move(choose)) {}

FigureContent Animation::content(std::size_t frame, const Execution& execution) {
  const Document shown = document(frame);
  FigureOptions options = choose_(shown);
  options.last_stage = frames_->last_stage(frame);
  options.title += (options.title.empty() ? "" : " · ") + visible_text(frames_->name(frame));
  return describe_figure(frames_->result(frame, execution), visible_texts(token_labels(shown.tokens)), options,
                         execution);
}

void Animation::look(std::size_t frame, const Execution& execution) { series_.add(content(frame, execution)); }

Figure Animation::figure(std::size_t frame, const Execution& execution) {
  return series_.make(content(frame, execution), execution);
}

std::string Animation::draw(std::size_t frame, const Execution& execution) {
  return render_png(figure(frame, execution), execution.stop);
}

FigureImage Animation::image(std::size_t frame, const Execution& execution) {
  const Figure drawn = figure(frame, execution);
  return render_image(drawn, drawn.options.scale, execution.stop);
}

}  // namespace attnscope
