#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
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

}  // namespace attnscope
