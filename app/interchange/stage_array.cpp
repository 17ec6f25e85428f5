#include "interchange/stage_array.h"

#include <algorithm>

#include "core/cells.h"

namespace attnscope {
namespace {

constexpr Index cells_at_once = Index{1} << 20;

std::vector<Index> shape_of(const Result& result, Stage stage) {
  const Tensor* const tensor = result.find(stage);
  return tensor ? tensor->shape : stage_shape(result.config, stage);
}

}  // namespace

StageArray::StageArray(const Result& result, Stage stage, const ResultPart& part)
    : result_(&result), stage_(stage), shape_(shape_of(result, stage)), matrix_rows_(shape_[shape_.size() - 2]) {
  const bool has_heads = is_per_head(result.config, stage);
  const Index heads = has_heads ? head_count(result.config) : 1;
  const bool picks_batch = part.batch && is_per_batch(stage);
  const bool picks_head = part.head && has_heads;
  const Index count = element_count(std::span(shape_).first(shape_.size() - 2));
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (picks_batch && matrix / heads != *part.batch) continue;
    if (picks_head && matrix % heads != *part.head) continue;
    matrices_.push_back(matrix);
  }
  if (picks_head) shape_.erase(shape_.begin() + (is_per_batch(stage) ? 1 : 0));
  if (picks_batch) shape_.erase(shape_.begin());
}

Index StageArray::read(std::span<float> cells, Index first) const {
  const Index row = first % matrix_rows_;
  const Index count = std::min(static_cast<Index>(cells.size()) / cols(), matrix_rows_ - row);
  const auto part = cells.first(static_cast<std::size_t>(count * cols()));
  read_cells(part, *result_, stage_, matrices_[static_cast<std::size_t>(first / matrix_rows_)],
             {row, 0, count, cols()});
  return count;
}

void StageArray::for_each_strip(const std::function<void(std::span<const float>)>& visit) const {
  const Index at_once = std::clamp<Index>(cells_at_once / std::max<Index>(cols(), 1), 1, matrix_rows_);
  std::vector<float> cells(static_cast<std::size_t>(at_once * cols()));
  for (Index first = 0; first < rows();) {
    const Index count = read(cells, first);
    visit(std::span(cells).first(static_cast<std::size_t>(count * cols())));
    first += count;
  }
}

std::string StageArray::bytes_of(std::span<const float> cells) const {
  if (!is_boolean()) return {reinterpret_cast<const char*>(cells.data()), cells.size_bytes()};
  std::string bytes(cells.size(), '\0');
  std::ranges::transform(cells, bytes.begin(), [](float cell) { return static_cast<char>(cell != 0); });
  return bytes;
}

std::uint64_t StageArray::byte_count() const {
  return static_cast<std::uint64_t>(rows() * cols()) * (is_boolean() ? 1 : sizeof(float));
}

std::vector<StageArray> arrays_of(const Result& result, const ResultPart& part) {
  std::vector<StageArray> arrays;
  for (const Stage stage : part.stages) arrays.emplace_back(result, stage, part);
  if (!part.stages.empty()) return arrays;
  for (const StageInfo& stage : stages()) {
    if (has(result, stage.stage) && !is_parameter(stage.axes)) arrays.emplace_back(result, stage.stage, part);
  }
  return arrays;
}

}  // namespace attnscope
