#include "core/packed_weights.h"

#include <algorithm>

namespace attnscope {

namespace {

// Input features that are copied together: so many floats of a column fill a cache line.
constexpr Index depth_step = 16;

// Columns [first, last) of the source, which start at column `at` of the panel.
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

// Gives packed weights their size; their biases are zeros.
void set_size(PackedWeights& weights, const Kernels& kernels, Index columns, Index input_features) {
  weights.depth = input_features;
  weights.width = kernels.panel_width;
  weights.columns = columns;
  weights.panel_columns = rounded_up(blocks_of(columns, blocks_of(columns, weights.width)), kernels.lanes);
  const Index padded = weights.panel_count() * weights.width;
  weights.panels.reserve(static_cast<std::size_t>(padded * input_features));
  weights.biases.reserve(static_cast<std::size_t>(padded));
  std::fill_n(weights.biases.get(), padded, 0.0F);
}

}  // namespace

void PackedWeights::pack(const Kernels& kernels, std::span<const WeightColumns> sources, Index input_features,
                         const Execution& execution) {
  Index column_total = 0;
  has_bias = false;
  for (const WeightColumns& source : sources) {
    column_total += source.count;
    has_bias = has_bias || source.bias;
  }
  set_size(*this, kernels, column_total, input_features);
  for_each_block(execution, panel_count(), [&](Index index) {
    float* const panel = panels.get() + index * depth * width;
    float* const bias = biases.get() + index * width;
    const Index begin = first_column(index);
    const Index end = begin + column_count(index);
    if (end < begin + width) std::fill_n(panel, depth * width, 0.0F);
    Index first = 0;  // column of the whole at which the source begins
    for (const WeightColumns& source : sources) {
      const Index from = std::max(begin, first);
      const Index to = std::min(end, first + source.count);
      if (from < to) {
        pack_columns(kernels, panel, from - begin, source, from - first, to - first, depth);
        if (source.bias) std::copy_n(source.bias + (from - first), to - from, bias + (from - begin));
      }
      first += source.count;
    }
  });
}

void PackedWeights::reserve(const Kernels& kernels, Index column_count, Index input_features) {
  set_size(*this, kernels, column_count, input_features);
  std::fill_n(panels.get(), panel_count() * width * depth, 0.0F);
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
