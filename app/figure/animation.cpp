#include "figure/animation.h"

#include <utility>

namespace attnscope {

Animation::Animation(Document document, Sweep sweep, Choose choose)
    : document_(std::move(document)), sweep_(std::move(sweep)), choose_(std::move(choose)) {}

Document Animation::document(std::size_t frame) const { return frame_document(document_, sweep_, frame); }

FigureContent Animation::content(std::size_t frame, const Execution& execution) {
  const Document shown = document(frame);
  FigureOptions options = choose_(shown);
  options.title += (options.title.empty() ? "" : " · ") + visible_text(frame_name(document_, sweep_, frame));
  latest_ =
      std::make_shared<const Result>(evaluate(shown.config, execution, latest_.get(), Squares::by_size, &engine_));
  return describe_figure(latest_, visible_texts(token_labels(shown.tokens)), options, execution);
}

void Animation::look(std::size_t frame, const Execution& execution) { series_.add(content(frame, execution)); }

std::string Animation::draw(std::size_t frame, const Execution& execution) {
  return render_png(series_.make(content(frame, execution), execution), execution.stop);
}

}  // namespace attnscope
