#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/given.h"
#include "interchange/arrays.h"

namespace attnscope {

// Whether to read a matrix of the file takes so long that nobody should wait for it.
bool is_slow_to_read(const NamedArrays& file);

// Tensors of a file that are queries by keys and belong together: all layers in one, or one for each layer.
struct AttentionTensors {
  std::string name;                 // of the tensor, or of the first and the last; empty where it has none
  std::vector<std::size_t> arrays;  // of the file; several: a layer each
  std::vector<Index> shape;         // of each
  Index layers = 1;
  Index batch_size = 1;
  Index heads = 1;
  Index tokens = 1;
  std::string axes;        // what the axes are taken for: "layer, head, query, key"
  std::string other_axes;  // what they could be as well; empty where there is no choice
};

// What can be looked at of a file, the likeliest first: tensors of shape (…, T, T). (L, B, H, T, T), (L, H, T, T),
// (H, T, T) and (T, T); as one of several of the same shape whose names differ in a number, each without L. With
// `takes_other_axes` the first axis of (L, H, T, T) is the batch, that of (H, T, T) the layers. Only the tensor
// `wanted` where that is not empty. Throws Error when there is none.
std::vector<AttentionTensors> find_attention(const NamedArrays& file, const std::string& wanted, bool takes_other_axes);

// Whether a file holds attention rather than embeddings, which are tables too: several square matrices do, and one
// whose rows are made of shares that sum to 1.
bool holds_attention(const NamedArrays& file, const UnpackWatch& watch = {});
// Whether it could be both: one square table.
bool is_square_table(const NamedArrays& file);

// Weights, or scores where some of the numbers are no shares of 1: one is shown from 0 to 1, the other around 0. Throws
// Error, also where there are more tokens, heads or batch entries than are shown.
Stage stage_of(const std::shared_ptr<const NamedArrays>& file, const AttentionTensors& tensors,
               const UnpackWatch& watch = {});

// One layer as something to be read from where it lies. `origin` is the file's name. Nothing is copied but what an
// archive has packed. Throws Error when its numbers cannot be read, or would take too much memory unpacked.
std::shared_ptr<const GivenSquares> read_layer(const std::shared_ptr<const NamedArrays>& file,
                                               const AttentionTensors& tensors, Index layer, Stage stage,
                                               const std::string& origin, const UnpackWatch& watch = {});

}  // namespace attnscope
