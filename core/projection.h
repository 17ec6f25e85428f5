#pragma once

#include "core/packed_weights.h"

namespace attnscope {

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

}  // namespace attnscope
