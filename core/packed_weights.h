#pragma once

#include "core/aligned.h"
#include "core/execution.h"
#include "core/kernels/kernels.h"

#include <algorithm>
#include <span>
#include <vector>

namespace attnscope {

// Columns of a projection as one tensor stores them; one of the strides is 1.
struct WeightColumns {
  const float* first = nullptr;
  Index count = 0;
  Index column_stride = 0;      // floats from one column to the next
  Index depth_stride = 0;       // floats from one input feature to the next
  const float* bias = nullptr;  // one for each column, or null
};

// A projection (depth, columns) packed for the kernels: panels (depth, panel_width) one after the other, padded with
// zeros, and a bias for each column if any has one. Panels have nearly equal numbers of columns, in whole vectors.
struct PackedWeights {
  void pack(const Kernels& kernels, std::span<const WeightColumns> sources, Index input_features,
            const Execution& execution);

  // Packs nothing yet, for weights that are multiplied once: pack_panel() makes the panels later, so the sources have
  // to outlive this object.
  void refer_to(const Kernels& kernels, std::span<const WeightColumns> sources, Index input_features);
  bool is_packed() const { return sources.empty(); }
  void pack_panel(const Kernels& kernels, Index index, float* panel) const;
  // Returns the first of a panel's numbers, packed or not; null if they do not stand together in memory.
  const float* numbers_of(Index index) const;

  // These pack in pieces: reserve() makes zeros, then each put() packs a rectangle from `column` and `feature` on.
  void reserve(const Kernels& kernels, Index column_count, Index input_features);
  void put(const Kernels& kernels, Index column, Index feature, const WeightColumns& source, Index features);
  float at(Index column, Index feature) const {
    return panel(column / panel_columns)[feature * width + column % panel_columns];
  }
  float bias_at(Index column) const { return panel_bias(column / panel_columns)[column % panel_columns]; }

  const float* panel(Index index) const { return panels.get() + index * depth * width; }
  const float* panel_bias(Index index) const { return has_bias ? biases.get() + index * width : nullptr; }
  Index panel_count() const { return blocks_of(columns, panel_columns); }
  Index first_column(Index panel) const { return panel * panel_columns; }
  Index column_count(Index panel) const { return std::min(panel_columns, columns - first_column(panel)); }

  Index depth = 0;
  Index columns = 0;
  Index width = 1;          // columns of a panel in memory
  Index panel_columns = 1;  // columns in use, in all panels but the last
  bool has_bias = false;
  Workspace panels;
  Workspace biases;
  std::vector<WeightColumns> sources;  // only if nothing is packed
};

}  // namespace attnscope
