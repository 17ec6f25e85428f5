#pragma once

#include <optional>
#include <string>

#include "core/parameters.h"
#include "document/document.h"
#include "files/arrays.h"

namespace attnscope {

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
// Throws Error that says what to do with a file of parameters.
[[noreturn]] void refuse_parameters(const NamedArrays& file);

// Returns whether the arrays are named queries, keys and values, or q, k and v, and there are no others.
bool holds_heads(const NamedArrays& file);
// Returns a document that begins with these queries, keys and values, from a file of this name. Throws Error.
Document document_of_heads(const NamedArrays& file, const std::string& name, const UnpackWatch& watch = {});

// Throws Error if a document cannot hold so many numbers; called before they are read.
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

// Imports embeddings or weights, depending on what the file holds.
void import_arrays(Document& document, const NamedArrays& file, const ImportChoice& choice,
                   const UnpackWatch& watch = {});

// Writes every parameter of the document's mechanism as .safetensors under its state_dict name. Throws Error.
void export_weights(const Document& document, const std::filesystem::path& path);

}  // namespace attnscope
