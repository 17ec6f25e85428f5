#pragma once

// What the kernels of large evaluations read, and the blocks of work that it is cut into: packed weights, projections,
// and the keys that some queries see.

#include "core/execution.h"
#include "core/kernels/kernels.h"
#include "core/tensor.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace attnscope {

struct AttentionConfig;
struct Result;
struct Visibility;

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

// The panels of one batch entry that hold one head's columns, perhaps with columns of neighbouring heads.
struct HeadPanels {
  Index batch = 0;
  Index first = 0;
  Index last = 0;
};

// Projects the tokens [first, last) of every batch entry. Column c of token t of batch entry b goes to heads + ((b *
// head_count + c / head_dim) * tokens + t) * head_dim + c % head_dim, which is (B,H,T,head_dim), or (B,T,features) with
// one head.
struct ProjectionTask {
  const PackedWeights* weights = nullptr;
  const float* inputs = nullptr;  // (B,T,depth)
  Index batch_size = 1;
  Index tokens = 1;
  Index first = 0;
  Index last = 1;
  Index head_count = 1;
  Index head_dim = 1;
  float* heads = nullptr;
  HeadPanels head_first = {};  // come before all others in blocks of their own; `last` 0: none
};
HeadPanels panels_of_head(const ProjectionTask& task, Index matrix);

// The blocks are the same for every backend and of much the same size: each is some tokens of one batch entry times
// some panels.
struct ProjectionBlocks {
  Index tokens = 1;  // tokens in a block, in whole tiles
  Index token_blocks = 1;
  Index panels = 1;  // panels in a block
  Index panel_blocks = 1;
  Index count = 1;
  Index first = 0;  // blocks [0, first) compute the head that comes first
};
// Returns whether so many tokens make one block, so that each panel is multiplied once.
bool is_undivided(Index batch_size, Index tokens, Index depth);
ProjectionBlocks blocks_of(const ProjectionTask& task, const Kernels& kernels);
void project_block(const ProjectionTask& task, const ProjectionBlocks& blocks, const Kernels& kernels, Index block);

constexpr Index block_queries = 96;  // queries of one head in a block; a multiple of every tile

// The keys that some queries of one head see, as the kernels read them: ranges, and bits where ranges do not suffice.
class BlockKeys {
public:
  // `count` is at most block_queries. `scratch`: room for scratch_size() floats, which must stay.
  BlockKeys(const Result& result, Index matrix, Index first_query, Index count, float* scratch);

  void put_into(AttendTask& task) const;

  static std::size_t scratch_size(const AttentionConfig& config);

private:
  void read_kept(std::span<std::uint64_t> bits, const Result& result, Index matrix, Index first_query);
  void read_bias(std::span<float> numbers, const AttentionConfig& config, Index matrix, Index first_query);
  void read_hidden(std::span<std::uint64_t> bits, const Visibility& seen, Index first_query);

  std::array<KeyRange, block_queries> visible_;
  std::array<KeyRange, block_queries> read_;  // the keys that softmax reads, if these are others
  bool has_read_ = false;
  Index words_ = 0;                        // 64-bit words in a row of bits
  const std::uint64_t* kept_ = nullptr;    // bits of the visible weights that survive dropout
  const float* bias_ = nullptr;            // added to the scores; a row has as many numbers as bits
  const std::uint64_t* hidden_ = nullptr;  // bits of the keys that an edited mask hides
  float kept_factor_ = 1;
};

}  // namespace attnscope
