#include "paint_file/animation.h"

#include <algorithm>
#include <utility>

#include "core/difference.h"
#include "core/dropout_mask.h"
#include "document/words.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

// Whether a diagram can stand in the places of another one: its blocks have as many heads and features there. One of
// other heads has places of its own.
bool is_part_of(const scene::DiagramShape& shape, const scene::DiagramShape& of) {
  using Blocks = std::vector<scene::DiagramBlock>;
  const auto fits = [](const Blocks& own, const Blocks& all) {
    return std::ranges::all_of(own, [&](const scene::DiagramBlock& block) {
      const auto twin = std::ranges::find_if(all, [&](const scene::DiagramBlock& each) {
        return each.stage == block.stage && each.is_copy == block.is_copy;
      });
      return twin != all.end() && (block.kind != scene::BlockKind::feature || twin->columns == block.columns);
    });
  };
  return fits(shape.project, of.project) && fits(shape.compare, of.compare) && fits(shape.hero, of.hero) &&
         fits(shape.mix, of.mix);
}

// Returns what a figure's layout needs, without its labels and numbers.
FigureContent outline_of(FigureContent content) {
  content.labels = {};
  for (FigurePanel& panel : content.panels) panel.result = nullptr;
  return content;
}

}  // namespace

FigureSeries::Place FigureSeries::place_of(const FigureContent& content, const FigurePanel& panel) const {
  const bool has_own = content.options.range == RangeMode::own && !content.options.fixed_range;
  return {panel.stage, has_own ? panel.head : 0};
}

void FigureSeries::add(Common& common, const FigurePanel& panel) const {
  const bool is_first = common.rows == 0;
  const MeasureKind measure = panel.range.measure.kind;
  // All frames share one kind of colour range: if any frame needs the range for many keys, all use it.
  if (is_first || (common.range.measure.kind == MeasureKind::value && measure != MeasureKind::value))
    common.range = panel.range;
  if (measure == common.range.measure.kind) {
    common.range.low = std::min(common.range.low, panel.range.low);
    common.range.high = std::max(common.range.high, panel.range.high);
  }
  common.rows = std::max(common.rows, panel.rows);
  common.cols = std::max(common.cols, panel.cols);
  if (character_count(panel.widest_number) > character_count(common.widest_number))
    common.widest_number = panel.widest_number;
  common.sums.insert(panel.widest_sums.begin(), panel.widest_sums.end());
}

void FigureSeries::add(const FigureContent& content) {
  for (const FigurePanel& panel : content.panels) add(commons_[place_of(content, panel)], panel);
  if (content.diagram) {
    const scene::DiagramShape& shape = content.diagram->shape;
    const auto size = [](const scene::DiagramShape& each) {
      return std::pair(each.keys.size(), each.project.size() + each.compare.size() + each.mix.size());
    };
    if (!largest_ || size(shape) > size(*largest_)) largest_ = shape;
  }
  marks_.merge(marks_of(content));
  if (content.labels.size() > labels_.size()) labels_ = content.labels;
  outlines_.push_back(outline_of(content));
  height_ = 0;
}

void FigureSeries::conform(FigureContent& content) const {
  for (FigurePanel& panel : content.panels) {
    const auto found = commons_.find(place_of(content, panel));
    if (found == commons_.end()) continue;
    const Common& common = found->second;
    panel.range = common.range;
    if (panel.result) panel.range.measure.counted = visibility(*panel.result, panel.stage);
    panel.room_rows = common.rows;
    panel.room_cols = common.cols;
    if (!panel.widest_sums.empty()) panel.widest_sums.assign(common.sums.begin(), common.sums.end());
    if (!panel.widest_number.empty()) panel.widest_number = common.widest_number;
  }
  if (content.diagram) {
    const bool is_part = largest_ && is_part_of(content.diagram->shape, *largest_);
    content.diagram->largest = is_part ? *largest_ : content.diagram->shape;
  }
  content.is_of_series = true;
  content.series_marks = marks_;
  if (labels_.size() > content.labels.size()) content.labels = labels_;
}

// Lays out every figure as it will be and returns the height of the highest.
double FigureSeries::page_height(const Execution& execution) {
  if (height_ > 0) return height_;
  double highest = 0;
  for (FigureContent outline : outlines_) {
    check_stop(execution);
    conform(outline);
    highest = std::max(highest, lay_out(outline).height);
  }
  return height_ = highest;
}

Figure FigureSeries::make(FigureContent content, const Execution& execution) {
  conform(content);
  Figure figure = lay_out(content);
  figure.height = page_height(execution);
  return figure;
}

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
