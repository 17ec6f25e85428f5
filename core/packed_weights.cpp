#include "core/packed_weights.h"

#include <algorithm>

namespace attnscope {

namespace {

// Input features that are copied together: so many floats of a column fill a cache line.
constexpr Index depth_step = 16;

// Packs columns [first, last) of the source, which start at column `at` of the panel.
void pack_columns(const Kernels& kernels, float* panel, Index at, const WeightColumns& source, Index first, Index last,
                  Index depth) {
  const Index width = kernels.panel_width;
  const float* const from = source.first + first * source.column_stride;
  for (Index k = 0; k < depth; k += depth_step) {
    const Index count = std::min(depth_step, depth - k);
    float* const to = panel + k * width + at;
    if (source.depth_stride == 1) {
      kernels.transpose(to, width, from + k, source.column_stride, last - first, count);
    } else {
      for (Index d = 0; d < count; ++d) std::copy_n(from + (k + d) * source.depth_stride, last - first, to + d * width);
    }
  }
}

// Gives packed weights their size, and zeros as biases.
void set_size(PackedWeights& weights, const Kernels& kernels, Index columns, Index input_features) {
  weights.depth = input_features;
  weights.width = kernels.panel_width;
  weights.columns = columns;
  weights.panel_columns = rounded_up(blocks_of(columns, blocks_of(columns, weights.width)), kernels.lanes);
  const Index padded = weights.panel_count() * weights.width;
  weights.biases.reserve(static_cast<std::size_t>(padded));
  std::fill_n(weights.biases.get(), padded, 0.0F);
}

float* reserve_panels(PackedWeights& weights) {
  return weights.panels.reserve(static_cast<std::size_t>(weights.panel_count() * weights.width * weights.depth));
}

// Calls work(source, from, to, first) for each source that has columns in [begin, end) of the whole: they are
// [from, to) of the whole, and the source begins with column `first` of it.
template <typename Work>
void for_each_source(const std::vector<WeightColumns>& sources, Index begin, Index end, const Work& work) {
  Index first = 0;
  for (const WeightColumns& source : sources) {
    const Index from = std::max(begin, first);
    const Index to = std::min(end, first + source.count);
    if (from < to) work(source, from, to, first);
    first += source.count;
  }
}

}  // namespace

void PackedWeights::refer_to(const Kernels& kernels, std::span<const WeightColumns> from, Index input_features) {
  sources.assign(from.begin(), from.end());
  has_bias = std::ranges::any_of(sources, [](const WeightColumns& source) { return source.bias != nullptr; });
  Index total = 0;
  for (const WeightColumns& source : sources) total += source.count;
  set_size(*this, kernels, total, input_features);
  for_each_source(sources, 0, total, [&](const WeightColumns& source, Index begin, Index end, Index) {
    if (!source.bias) return;
    for (Index column = begin; column < end; ++column)
      biases.get()[column / panel_columns * width + column % panel_columns] = source.bias[column - begin];
  });
}

void PackedWeights::pack(const Kernels& kernels, std::span<const WeightColumns> from, Index input_features,
                         const Execution& execution) {
  refer_to(kernels, from, input_features);
  float* const first = reserve_panels(*this);
  for_each_block(execution, panel_count(),
                 [&](Index index) { pack_panel(kernels, index, first + index * depth * width); });
  sources.clear();
}

void PackedWeights::pack_panel(const Kernels& kernels, Index index, float* panel) const {
  const Index begin = first_column(index);
  const Index end = begin + column_count(index);
  if (end < begin + width) std::fill_n(panel, depth * width, 0.0F);
  for_each_source(sources, begin, end, [&](const WeightColumns& source, Index from, Index to, Index first) {
    pack_columns(kernels, panel, from - begin, source, from - first, to - first, depth);
  });
}

const float* PackedWeights::numbers_of(Index index) const {
  if (is_packed()) return panel(index);
  const float* numbers = nullptr;
  const Index begin = first_column(index);
  for_each_source(sources, begin, begin + 1, [&](const WeightColumns& source, Index from, Index, Index first) {
    if (source.depth_stride == 1) numbers = source.first + (from - first) * source.column_stride;
  });
  return numbers;
}

void PackedWeights::reserve(const Kernels& kernels, Index column_count, Index input_features) {
  set_size(*this, kernels, column_count, input_features);
  std::fill_n(reserve_panels(*this), panel_count() * width * depth, 0.0F);
}

void PackedWeights::put(const Kernels& kernels, Index column, Index feature, const WeightColumns& source,
                        Index features) {
  for (Index done = 0; done < source.count;) {
    const Index index = (column + done) / panel_columns;
    const Index at = column + done - first_column(index);
    const Index count = std::min(column_count(index) - at, source.count - done);
    float* const panel = panels.get() + (index * depth + feature) * width;
    pack_columns(kernels, panel, at, source, done, done + count, features);
    done += count;
  }
}

}  // namespace attnscope
