#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/computation.h"
#include "document/sweep.h"
#include "paint/file/figure.h"
#include "session/figure_state.h"

namespace attnscope {

constexpr std::uint64_t kept_frames_bytes = 256ULL << 20;

// The results of a document with one parameter swept. Each is evaluated when it is first asked for, and kept until all
// kept ones take `kept_bytes`; further ones are evaluated each time.
class FrameResults {
public:
  FrameResults(Document document, Sweep sweep, std::uint64_t kept_bytes = kept_frames_bytes);

  std::size_t frame_count() const { return sweep_.values.size(); }
  const Document& document() const { return document_; }  // before the sweep
  Document document(std::size_t frame) const;             // throws Error where the value is not allowed
  std::string name(std::size_t frame) const;              // "seed 7"
  std::optional<Stage> last_stage(std::size_t frame) const { return attnscope::last_stage(sweep_, frame); }

  // Evaluates document(frame). Throws Error as evaluate() does, and Cancelled.
  std::shared_ptr<const Result> result(std::size_t frame, const Execution& execution);
  std::size_t evaluation_count() const { return evaluation_count_; }  // so far

private:
  Document document_;
  Sweep sweep_;
  std::uint64_t room_;  // bytes that may still be kept
  std::vector<std::shared_ptr<const Result>> kept_;
  Engine engine_;
  Computed latest_;  // shares with the next what the swept parameter does not change
  std::size_t evaluation_count_ = 0;
};

enum class FrameStep { evaluated, drawn };
using FrameWatch = std::function<void(std::size_t frame, FrameStep step)>;  // called before each

// The pictures of a document with one parameter swept. First look() at all frames, then draw them: the colours and the
// page size of the first picture depend on the numbers of the last, so it takes two passes. Only one picture is in
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

  void check_memory() const;  // throws Error when a frame needs more memory than there is

  // Evaluates every frame that it has not looked at; after a stop it goes on where it was. Errors of this and the next:
  // those of describe_figure() and evaluate(), and Cancelled.
  void look(const FrameWatch& watch = {}, const Execution& execution = {});
  Figure figure(std::size_t frame, const Execution& execution = {});  // all have the same size

private:
  FigureContent content(std::size_t frame, const Execution& execution);

  std::shared_ptr<FrameResults> frames_;
  Choose choose_;
  FigureSeries series_;
  std::size_t looked_at_ = 0;
};

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
  std::shared_ptr<DrawingProgress> progress_ = std::make_shared<DrawingProgress>();
};

}  // namespace attnscope
