#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
#include "core/results.h"
#include "document/document.h"
#include "files/arrays.h"

namespace attnscope {

// Thrown where a file leaves something open: the window asks for it, and the command line names its option. The
// sentence says what is open and mentions neither.
struct ChoiceNeeded : Error {
  enum class Of { tensor, rows, num_heads, mechanism, numbers };

  ChoiceNeeded(Of what, const std::string& sentence, std::vector<std::string> choices = {})
      : Error(what == Of::num_heads ? "num_heads" : "", sentence), of(what), options(std::move(choices)) {}

  Of of;
  std::vector<std::string> options;  // the likeliest first; none if there are too many to choose from
};

// Returns the numbers of heads that can share so many features, the likeliest first: those whose heads are 64 wide.
std::vector<std::string> likely_heads(Index features);
std::string listed_options(const std::vector<std::string>& options);  // "1, 2 or 4"

// The choices of a user who imports a file; what is left out follows from the file.
struct ImportChoice {
  std::string tensor = {};                  // embeddings: name of the tensor; weights: beginning of its names
  std::optional<Index> first_row = {};      // embeddings: the rows that become tokens, from 0
  Index row_count = 0;                      // with first_row
  std::optional<Index> num_heads = {};      // weights
  std::optional<Mechanism> mechanism = {};  // weights
  bool keeps_inputs = false;                // weights: inputs of another d_in are an error, not replaced
};

// Returns whether the state_dict names of the arrays are those of attention's weights, and the arrays no embeddings.
bool holds_weights(const NamedArrays& file, const ImportChoice& choice);

// Returns whether the arrays have the names of a model's parameters, and so are no attention.
bool holds_parameters(const NamedArrays& file);
// Returns whether they are those of a whole model: a table of embeddings and layers.
bool holds_model(const NamedArrays& file);
// Throws Error that says what to do with a file of parameters.
[[noreturn]] void refuse_parameters(const NamedArrays& file);

// Returns whether the arrays are named queries, keys and values, or q, k and v, and there is no other but a mask.
bool holds_heads(const NamedArrays& file);
// Returns a document that begins with these queries, keys and values, from a file of this name. A mask becomes its
// bias: True of "attn_mask" and "attention_mask" means that a query may see the key, that of "key_padding_mask" that it
// may not, and the diagonal tells it of any other; numbers are added. Throws Error, also for a mask that is neither.
Document document_of_heads(const NamedArrays& file, const std::string& name, const UnpackWatch& watch = {});

// Throws Error if a document cannot hold so many numbers; called before they are read.
void check_fits_document(std::uint64_t numbers);

// Makes rows of a table the inputs, one token each. The names come from the file; without any, the document's are kept
// if there are as many, else tokens are numbered. Throws Error, also when weights of the document would no longer fit.
void import_embeddings(Document& document, const NamedArrays& file, const ImportChoice& choice,
                       const UnpackWatch& watch = {});

// Makes the tensors the document's weights. Mechanism, d_in, d_out and qkv_bias follow from names and shapes;
// num_heads, and a mechanism that they leave open, come from the choice or from metadata that attnscope wrote. Tensors
// of nn.MultiheadAttention, GPT-2 and others that have queries, keys and values side by side are split. Inputs with
// another d_in are replaced by drawn ones. Returns a sentence to be said about it, mostly empty. Throws Error, and
// ChoiceNeeded for what stays open.
std::string import_weights(Document& document, const NamedArrays& file, const ImportChoice& choice,
                           const UnpackWatch& watch = {});

// Imports embeddings or weights, depending on what the file holds, in the same way.
std::string import_arrays(Document& document, const NamedArrays& file, const ImportChoice& choice,
                          const UnpackWatch& watch = {});

// Writes every parameter of the document's mechanism as .safetensors under its state_dict name. Throws Error.
void export_weights(const Document& document, const std::filesystem::path& path);

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
