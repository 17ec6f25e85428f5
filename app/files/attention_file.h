#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/results.h"
#include "files/arrays.h"

namespace attnscope {

// Returns whether reading one matrix of the file takes so long that it should be done in the background.
bool is_slow_to_read(const NamedArrays& file);

// Tensors of (…, query, key) in a file that belong together: one with all layers, one for each layer, or one for each
// step of a generation and each layer.
struct AttentionTensors {
  std::string name;                 // the tensor's name, or those of the first and the last layer; may be empty
  std::vector<std::size_t> arrays;  // their places in the file; several when each is a layer, one step after the other
  std::vector<Index> shape;         // shape of each array; of steps, that of their rows below each other
  Index layers = 1;
  Index steps = 1;
  Index batch_size = 1;
  Index heads = 1;
  Index queries = 1;
  Index keys = 1;
  std::string axes;            // how the axes are read: "layer, head, query, key"
  std::string other_axes;      // another way to read them; empty when there is none
  bool is_in_percent = false;  // read_layer() divides by 100; find_attention(), which reads no numbers, does not say it
  bool divides_rows = false;   // read_layer() divides each row by its sum
};

// Returns what can be viewed in a file, the likeliest first: tensors of shape (L, B, H, T, T), (L, H, T, T), (H, T, T)
// and (T, T), or, for layers in tensors of their own whose names differ in a number, the same without L. Tensors that
// are named as attention, or have no name, may have other numbers of keys than of queries. Steps of a generation, whose
// numbers of keys grow by their numbers of queries, are one tensor. With `takes_other_axes` the first axis of (L, H, T,
// T) is the batch, that of (H, T, T) the layers. Only the tensor `wanted` if that is not empty. Throws Error when there
// is none; if nothing is wanted, also for parameters of a model, whose square matrices are no attention, and unless
// somebody stated that it is attention, where nothing shows it.
std::vector<AttentionTensors> find_attention(const NamedArrays& file, const std::string& wanted, bool takes_other_axes,
                                             bool is_stated = false);

// Returns whether a file holds attention and not embeddings, which are tables, too: several square matrices are
// attention, and so is one matrix whose rows sum to 1, unless it is no square and has only zeros and ones.
bool holds_attention(const NamedArrays& file, const UnpackWatch& watch = {});
// Returns whether a file could hold either: one table.
bool is_table(const NamedArrays& file);

// Returns whether rows of the tensors sum to 100, so that they are weights in percent. Throws Error.
bool are_percent(const NamedArrays& file, const AttentionTensors& tensors, const UnpackWatch& watch = {});

// Guesses weights if the numbers are between 0 and 1, else scores: the colours of weights go from 0 to 1, those of
// scores are centred on 0. Throws Error, also if there are more tokens, heads or batch entries than can be shown.
Stage stage_of(const std::shared_ptr<const NamedArrays>& file, const AttentionTensors& tensors,
               const UnpackWatch& watch = {});

// Returns one layer, whose cells are read from the file when they are needed; only packed entries of an archive are
// held in memory. `origin` is the file's name. Throws Error if numbers cannot be read, or unpacked take too much
// memory.
std::shared_ptr<const ImportedAttention> read_layer(const std::shared_ptr<const NamedArrays>& file,
                                                    const AttentionTensors& tensors, Index layer, Stage stage,
                                                    const std::string& origin, const UnpackWatch& watch = {});

// Returns eight hexadecimal digits that change when the numbers of arrays change: the CRC-32 of a sample of their
// bytes, spread evenly, or, in an archive, of the checksums of its packed entries. Reads at most 256 KiB and unpacks
// nothing. Empty if there is nothing to read. Throws Error if the file was made shorter meanwhile.
std::string checksum_of(const NamedArrays& file, std::span<const std::size_t> arrays);

}  // namespace attnscope
