#include "core/projection.h"

#include <algorithm>
#include <array>

namespace attnscope {

namespace {

// Numbers of inputs that are taken at a time: they stay in the second-level cache, with one panel of weights and the
// next on its way, while all panels pass.
constexpr Index most_block_inputs = Index{128} * 768;
constexpr Index most_block_panels = 16;
constexpr Index least_blocks = 8;  // so that no thread waits long for the last one, where there are tokens enough
constexpr Index least_block_tokens = 32;
constexpr Index most_undivided_tokens = 96;  // up to so many tokens, blocks divide panels, not tokens
constexpr Index most_groups = 8;             // vectors in a panel, for any instruction set
constexpr Index scratch_tokens = 48;
constexpr Index most_width = 64;  // columns in a panel, for any instruction set

// Part of a panel for some tokens of one batch entry.
struct Piece {
  Index batch = 0;
  Index token = 0;
  Index count = 0;
  Index panel = 0;
  Index next_panel = 0;           // the panel that is multiplied next
  const float* packed = nullptr;  // the panel
};

// Returns where the columns of a piece go, `step` columns apart.
class Places {
public:
  Places(const ProjectionTask& task, const Piece& piece, Index column, Index step)
      : task_(task), step_(step), in_head_(column % task.head_dim) {
    const Index head = piece.batch * task.head_count + column / task.head_dim;
    head_ = task.heads + (head * task.tokens + piece.token) * task.head_dim;
  }
  float* next() {
    for (; in_head_ >= task_.head_dim; in_head_ -= task_.head_dim) head_ += task_.tokens * task_.head_dim;
    float* const place = head_ + in_head_;
    in_head_ += step_;
    return place;
  }

private:
  const ProjectionTask& task_;
  Index step_;
  Index in_head_;
  float* head_;
};

PanelProduct product_of(const ProjectionTask& task, const Piece& piece) {
  const PackedWeights& weights = *task.weights;
  return {.a = task.inputs + (piece.batch * task.tokens + piece.token) * weights.depth,
          .a_stride = weights.depth,
          .rows = piece.count,
          .depth = weights.depth,
          .panel = piece.packed,
          .next = weights.numbers_of(piece.next_panel),
          .bias = weights.panel_bias(piece.panel)};
}

// Packs one panel of unpacked weights into this thread's memory, where it stays until the next call.
const float* packed_here(const PackedWeights& weights, const Kernels& kernels, Index panel) {
  thread_local Workspace scratch;
  float* const to = scratch.reserve(static_cast<std::size_t>(weights.depth * weights.width));
  weights.pack_panel(kernels, panel, to);
  return to;
}

Index most_tokens(Index depth) { return std::max<Index>(most_block_inputs / depth, 1); }

// Multiplies through a scratch of whole vectors, for heads that do not begin and end with one.
void project_scattered(const ProjectionTask& task, const Kernels& kernels, const Piece& whole) {
  alignas(64) std::array<float, scratch_tokens * most_width> scratch;
  std::array<float*, most_groups> groups{};
  const Index begin = task.weights->first_column(whole.panel);
  const Index columns = task.weights->column_count(whole.panel);
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
    Places places(task, piece, begin, 1);
    for (Index column = 0; column < columns; ++column) {
      float* const to = places.next();
      for (Index t = 0; t < piece.count; ++t) {
        to[t * task.head_dim] = scratch[static_cast<std::size_t>(t * kernels.panel_width + column)];
      }
    }
  }
}

void project_piece(const ProjectionTask& task, const Kernels& kernels, const Piece& piece) {
  const Index begin = task.weights->first_column(piece.panel);
  const Index columns = task.weights->column_count(piece.panel);
  const bool crosses_heads = task.head_count > 1 && task.head_dim % kernels.lanes != 0;
  if (columns % kernels.lanes != 0 || crosses_heads) return project_scattered(task, kernels, piece);
  std::array<float*, most_groups> groups{};
  const Index group_count = columns / kernels.lanes;
  Places places(task, piece, begin, kernels.lanes);
  for (Index g = 0; g < group_count; ++g) groups.at(static_cast<std::size_t>(g)) = places.next();
  PanelProduct product = product_of(task, piece);
  product.groups = groups.data();
  product.group_count = static_cast<int>(group_count);
  product.c_stride = task.head_dim;
  kernels.multiply_panel(product);
}

}  // namespace

HeadPanels panels_of_head(const ProjectionTask& task, Index matrix) {
  const Index column = matrix % task.head_count * task.head_dim;
  const Index width = task.weights->panel_columns;
  return {matrix / task.head_count, column / width, blocks_of(column + task.head_dim, width)};
}

bool is_undivided(Index batch_size, Index tokens, Index depth) {
  return batch_size == 1 && tokens <= std::min(most_undivided_tokens, most_tokens(depth));
}

ProjectionBlocks blocks_of(const ProjectionTask& task, const Kernels& kernels) {
  const Index count = std::max<Index>(task.last - task.first, 1);
  const Index panel_count = task.weights->panel_count();
  ProjectionBlocks blocks;
  const bool divides_panels = panel_count > 1 && count <= most_undivided_tokens;
  const Index few = std::min(blocks_of(least_blocks, task.batch_size), std::max<Index>(count / least_block_tokens, 1));
  const Index wanted_blocks = std::max(blocks_of(count, most_tokens(task.weights->depth)), divides_panels ? 1 : few);
  blocks.tokens = rounded_up(blocks_of(count, wanted_blocks), kernels.panel_rows);
  blocks.token_blocks = blocks_of(count, blocks.tokens);
  const Index most_panels = divides_panels ? 1 : most_block_panels;
  blocks.panels = panel_count;
  if (panel_count > most_panels) {
    blocks.panels = blocks_of(panel_count, blocks_of(panel_count, most_panels));
    blocks.panel_blocks = blocks_of(panel_count, blocks.panels);
  }
  blocks.first = task.head_first.last > 0 ? blocks.token_blocks : 0;
  blocks.count = blocks.first + task.batch_size * blocks.token_blocks * blocks.panel_blocks;
  return blocks;
}

void project_block(const ProjectionTask& task, const ProjectionBlocks& blocks, const Kernels& kernels, Index block) {
  const HeadPanels& head = task.head_first;
  const bool is_head = block < blocks.first;
  const Index other = block - blocks.first;
  Piece piece{.batch = other, .token = task.first};
  Index first_panel = 0;
  Index last_panel = task.weights->panel_count();
  if (is_head) {
    piece.batch = head.batch;
    piece.token += block * blocks.tokens;
    first_panel = head.first;
    last_panel = head.last;
  } else if (blocks.token_blocks * blocks.panel_blocks > 1) {  // divisions are slow where all else is little
    piece.batch = other / blocks.panel_blocks / blocks.token_blocks;
    piece.token += other / blocks.panel_blocks % blocks.token_blocks * blocks.tokens;
    first_panel = other % blocks.panel_blocks * blocks.panels;
    last_panel = std::min(first_panel + blocks.panels, last_panel);
  }
  piece.count = std::min(blocks.tokens, task.last - piece.token);
  for (piece.panel = first_panel; piece.panel < last_panel; ++piece.panel) {
    const bool is_done = !is_head && piece.batch == head.batch && piece.panel >= head.first && piece.panel < head.last;
    if (is_done) continue;
    piece.next_panel = (piece.panel + 1) % task.weights->panel_count();  // also where the next block has it
    piece.packed =
        task.weights->is_packed() ? task.weights->panel(piece.panel) : packed_here(*task.weights, kernels, piece.panel);
    project_piece(task, kernels, piece);
  }
}

}  // namespace attnscope
