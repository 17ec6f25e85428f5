#pragma once

#include <cstdint>
#include <vector>

#include "core/stage.h"
#include "core/tensor.h"
#include "document/document.h"

// Weights and biases changed by hand: overrides by the names of PyTorch's state_dict. What nobody changes stays what
// the seed gives. Each takes a valid document and leaves a valid one; what cannot be done throws Error with a sentence.
namespace attnscope {

// Cells of a weight matrix or a bias as its stage has them, which holds all heads but where each head has its own.
struct WeightCells {
  Stage stage = Stage::query_weight;
  Index head = 0;
  CellRect rect = {};
};

CellRect all_cells(const AttentionConfig& config, Stage weight);
// Returns the cells that belong to a head: rows of W_query, columns of out_proj; none of the bias of out_proj.
CellRect cells_of_head(const AttentionConfig& config, Stage weight, Index head);

void set_weight(Document& document, Stage weight, Index head, Index row, Index col, float value);

enum class Filling { zeros, identity, randn, orthogonal };
// `seed`: of the generator that randn and orthogonal draw from.
void fill_weights(Document& document, const WeightCells& cells, Filling filling, std::uint64_t seed = 0);
void make_one_hot(Document& document, const WeightCells& cells, Index row, Index col);  // 1 there, 0 elsewhere
void scale_weights(Document& document, const WeightCells& cells, double factor);
// A block of numbers, its first one at (row, col).
void paste_weights(Document& document, Stage weight, Index head, Index row, Index col,
                   const std::vector<std::vector<float>>& rows);
void copy_weights_of_head(Document& document, Stage weight, Index from, Index to);

void restore_weights(Document& document, const WeightCells& cells);  // to what the seed gives
void restore_all_weights(Document& document);

}  // namespace attnscope
