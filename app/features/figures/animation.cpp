#include "features/figures/animation.h"

#include <utility>

#include "core/dropout.h"
#include "core/words.h"
#include "document/version.h"
#include "paint/file/text_shaper.h"

namespace attnscope {
namespace {

std::uint64_t bytes_of(const Tensor& tensor) { return tensor.values.size() * sizeof(float); }

// Counts the bytes of a result that it does not share with the one before.
std::uint64_t bytes_of(const Result& result, const Result* before) {
  std::uint64_t bytes = bytes_beyond(result.config, before ? before->config : AttentionConfig());
  for (const StageInfo& stage : stages()) {
    const TensorPtr& tensor = result.tensors[stage.stage];
    if (tensor && !(before && before->tensors[stage.stage] == tensor)) bytes += bytes_of(*tensor);
  }
  if (result.parameters && !(before && before->parameters == result.parameters)) {
    for (const Parameter& parameter : *result.parameters) bytes += bytes_of(parameter.tensor);
  }
  if (result.dropout && !(before && before->dropout == result.dropout)) bytes += result.dropout->bytes();
  return bytes;
}

}  // namespace

FrameResults::FrameResults(Document document, Sweep sweep, std::uint64_t kept_bytes)
    : document_(std::move(document)), sweep_(std::move(sweep)), room_(kept_bytes), kept_(sweep_.values.size()) {}

Document FrameResults::document(std::size_t frame) const { return frame_document(document_, sweep_, frame); }

std::string FrameResults::name(std::size_t frame) const { return frame_name(document_, sweep_, frame); }

std::shared_ptr<const Result> FrameResults::result(std::size_t frame, const Execution& execution) {
  if (sweep_.parameter == swept_stages) frame = 0;  // the same document in every frame
  if (kept_[frame]) return kept_[frame];
  const Computed before = std::exchange(latest_, compute(document(frame).config, execution, latest_, &engine_));
  ++evaluation_count_;
  const std::uint64_t bytes = bytes_of(*latest_.result, before.result.get());
  if (bytes <= room_) {
    room_ -= bytes;
    kept_[frame] = latest_.result;
  }
  return latest_.result;
}

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

void Animation::check_memory() const {
  for (std::size_t frame = 0; frame < frame_count(); ++frame) check_free_memory(document(frame).config);
}

void Animation::look(const FrameWatch& watch, const Execution& execution) {
  for (; looked_at_ < frame_count(); ++looked_at_) {
    check_stop(execution);
    if (watch) watch(looked_at_, FrameStep::evaluated);
    series_.add(content(looked_at_, execution));
  }
}

Figure Animation::figure(std::size_t frame, const Execution& execution) {
  return series_.make(content(frame, execution), execution);
}

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
    animation.check_memory();
    animation_ = std::move(animation);
    options_ = options;
  }
  animation_->look([&](std::size_t looked_at, FrameStep) { progress_->computed = looked_at; }, execution);
  progress_->computed = frames_->frame_count();
  return animation_->figure(frame, execution);
}

}  // namespace attnscope
