#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/engine.h"
#include "document/sweep.h"
#include "figure/figure_series.h"

namespace attnscope {

// The pictures of a document with one parameter swept. First look() at every frame, then draw() them: no more than one
// is evaluated or drawn at a time.
class Animation {
public:
  // What is chosen about the figure of a frame's document; the frame's name comes to its title.
  using Choose = std::function<FigureOptions(const Document&)>;
  Animation(Document document, Sweep sweep, Choose choose);

  std::size_t frame_count() const { return sweep_.values.size(); }
  const Document& document() const { return document_; }  // that is swept
  Document document(std::size_t frame) const;             // throws Error where the value is not allowed

  // Both evaluate the frame: throw Error as describe_figure() and evaluate() do, and Cancelled.
  void look(std::size_t frame, const Execution& execution = {});
  std::string draw(std::size_t frame, const Execution& execution = {});  // a PNG, all of one size

private:
  FigureContent content(std::size_t frame, const Execution& execution);

  Document document_;
  Sweep sweep_;
  Choose choose_;
  FigureSeries series_;
  Engine engine_;
  std::shared_ptr<const Result> latest_;  // shares with the next what the swept parameter does not change
};

}  // namespace attnscope
