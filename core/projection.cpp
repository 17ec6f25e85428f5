#include "core/projection.h"

#include <algorithm>
#include <array>

namespace attnscope {

namespace {

// Many tokens, so that a panel pays for being fetched; the inputs stream past it.
constexpr Index block_tokens = 1024;
constexpr Index block_panels = 1;
constexpr Index most_groups = 8;  // vectors of a panel, in any instruction set
constexpr Index scratch_tokens = 48;
constexpr Index most_width = 64;  // columns of a panel, in any instruction set

// Part of a panel for some tokens of one batch entry.
struct Piece {
  Index batch = 0;
  Index token = 0;
  Index count = 0;
  Index panel = 0;
};

float* place(const ProjectionTask& task, const Piece& piece, Index column) {
  const Index head = piece.batch * task.head_count + column / task.head_dim;
  return task.heads + (head * task.tokens + piece.token) * task.head_dim + column % task.head_dim;
}

PanelProduct product_of(const ProjectionTask& task, const Piece& piece) {
  const PackedWeights& weights = *task.weights;
  return {.a = task.inputs + (piece.batch * task.tokens + piece.token) * weights.depth,
          .a_stride = weights.depth,
          .rows = piece.count,
          .depth = weights.depth,
          .panel = weights.panel(piece.panel),
          .bias = weights.panel_bias(piece.panel)};
}

// Through a scratch that takes whole vectors, for heads that do not begin and end with one.
void project_scattered(const ProjectionTask& task, const Kernels& kernels, const Piece& whole) {
  alignas(64) std::array<float, scratch_tokens * most_width> scratch;
  std::array<float*, most_groups> groups{};
  const Index begin = whole.panel * kernels.panel_width;
  const Index columns = std::min<Index>(kernels.panel_width, task.weights->columns - begin);
  const Index group_count = (columns + kernels.lanes - 1) / kernels.lanes;
  for (Index g = 0; g < group_count; ++g) groups.at(static_cast<std::size_t>(g)) = scratch.data() + g * kernels.lanes;
  for (Index done = 0; done < whole.count; done += scratch_tokens) {
    Piece piece = whole;
    piece.token += done;
    piece.count = std::min(scratch_tokens, whole.count - done);
    PanelProduct product = product_of(task, piece);
    product.groups = groups.data();
    product.group_count = static_cast<int>(group_count);
    product.c_stride = kernels.panel_width;
    kernels.multiply_panel(product);
    for (Index column = 0; column < columns; ++column) {
      float* const to = place(task, piece, begin + column);
      for (Index t = 0; t < piece.count; ++t) {
        to[t * task.head_dim] = scratch[static_cast<std::size_t>(t * kernels.panel_width + column)];
      }
    }
  }
}

void project_piece(const ProjectionTask& task, const Kernels& kernels, const Piece& piece) {
  const Index begin = piece.panel * kernels.panel_width;
  const Index columns = std::min<Index>(kernels.panel_width, task.weights->columns - begin);
  if (columns % kernels.lanes != 0 || task.head_dim % kernels.lanes != 0) {
    return project_scattered(task, kernels, piece);
  }
  std::array<float*, most_groups> groups{};
  const Index group_count = columns / kernels.lanes;
  for (Index g = 0; g < group_count; ++g) {
    groups.at(static_cast<std::size_t>(g)) = place(task, piece, begin + g * kernels.lanes);
  }
  PanelProduct product = product_of(task, piece);
  product.groups = groups.data();
  product.group_count = static_cast<int>(group_count);
  product.c_stride = task.head_dim;
  kernels.multiply_panel(product);
}

Index blocks_of(Index count, Index size) { return (count + size - 1) / size; }

}  // namespace

Index project_block_count(const ProjectionTask& task) {
  return task.batch_size * blocks_of(task.last - task.first, block_tokens) *
         blocks_of(task.weights->panel_count(), block_panels);
}

void project_block(const ProjectionTask& task, const Kernels& kernels, Index block) {
  const Index panel_blocks = blocks_of(task.weights->panel_count(), block_panels);
  const Index token_blocks = blocks_of(task.last - task.first, block_tokens);
  Piece piece;
  piece.batch = block / panel_blocks / token_blocks;
  piece.token = task.first + block / panel_blocks % token_blocks * block_tokens;
  piece.count = std::min(block_tokens, task.last - piece.token);
  const Index first_panel = block % panel_blocks * block_panels;
  const Index last_panel = std::min(first_panel + block_panels, task.weights->panel_count());
  for (piece.panel = first_panel; piece.panel < last_panel; ++piece.panel) project_piece(task, kernels, piece);
}

}  // namespace attnscope
