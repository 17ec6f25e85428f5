#pragma once

#include <optional>
#include <string>

#include "core/parameters.h"
#include "document/document.h"
#include "files/arrays.h"

namespace attnscope {

// The choices of a user who imports a file; what is left out follows from the file.
struct ImportChoice {
  std::string tensor = {};                  // embeddings: the name of the tensor; weights: what its names begin with
  std::optional<Index> first_row = {};      // embeddings: the rows that become tokens, from 0
  Index row_count = 0;                      // with first_row
  std::optional<Index> num_heads = {};      // weights
  std::optional<Mechanism> mechanism = {};  // weights
  bool keeps_inputs = false;                // weights: inputs of another d_in are an error, not replaced
};

// Whether the arrays are the weights of attention, by their state_dict names, rather than embeddings.
bool holds_weights(const NamedArrays& file, const ImportChoice& choice);

// Whether the arrays are parameters of a model by their names in a state dict, and so no attention.
bool holds_parameters(const NamedArrays& file);
// Throws Error: what to do with a file of them.
[[noreturn]] void refuse_parameters(const NamedArrays& file);

// Whether the arrays are queries, keys and values and nothing else, by these names or by q, k and v.
bool holds_heads(const NamedArrays& file);
// A document that begins with them, from a file of this name. Throws Error.
Document document_of_heads(const NamedArrays& file, const std::string& name, const UnpackWatch& watch = {});

// Throws Error where so many numbers are more than a document can hold; to be asked before they are read.
void check_fits_document(std::uint64_t numbers);

// Makes rows of a table the inputs, one token each. The names come from the file; without any, the document's are kept
// if there are as many, else tokens are numbered. Throws Error, also when weights of the document would no longer fit.
void import_embeddings(Document& document, const NamedArrays& file, const ImportChoice& choice,
                       const UnpackWatch& watch = {});

// Makes the tensors the document's weights. Mechanism, d_in, d_out and qkv_bias follow from names and shapes;
// num_heads, and a mechanism that they leave open, come from the choice or from metadata that attnscope wrote. Inputs
// with another d_in are replaced by drawn ones. Throws Error.
void import_weights(Document& document, const NamedArrays& file, const ImportChoice& choice,
                    const UnpackWatch& watch = {});

// One of the two, depending on what the file holds.
void import_arrays(Document& document, const NamedArrays& file, const ImportChoice& choice,
                   const UnpackWatch& watch = {});

// Every parameter of the document's mechanism as .safetensors under its state_dict name. Throws Error.
void export_weights(const Document& document, const std::filesystem::path& path);

}  // namespace attnscope
