#include "paint_file/frame_results.h"

#include <utility>

#include "core/dropout_mask.h"

namespace attnscope {
namespace {

std::uint64_t bytes_of(const Tensor& tensor) { return tensor.values.size() * sizeof(float); }

// What a result takes beyond what it shares with the one before.
std::uint64_t bytes_of(const Result& result, const Result* before) {
  std::uint64_t bytes = bytes_beyond(result.config, before ? before->config : AttentionConfig());
  for (const StageInfo& stage : stages()) {
    const TensorPtr& tensor = result.tensors[stage.stage];
    if (tensor && !(before && before->tensors[stage.stage] == tensor)) bytes += bytes_of(*tensor);
  }
  if (result.parameters && !(before && before->parameters == result.parameters)) {
    for (const Parameter& parameter : *result.parameters) bytes += bytes_of(parameter.tensor);
  }
  if (result.rows && !(before && before->rows == result.rows)) {
    bytes += (result.rows->max.size() + result.rows->sum.size() + result.rows->masked_sum.size()) * sizeof(float);
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
  if (sweep_.parameter == SweptParameter::stages) frame = 0;  // the same document in every frame
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

}  // namespace attnscope
