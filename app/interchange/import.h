#pragma once

#include <optional>
#include <string>

#include "core/parameters.h"
#include "document/document.h"
#include "interchange/arrays.h"

namespace attnscope {

// What a user may choose of a file; what is left out is taken from the file where it says it.
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

// Makes rows of a table the inputs, one token each. Tokens take the names of the file; else they keep those that they
// have where there are as many, and are numbered where not. Throws Error, also when weights of the document would no
// longer fit.
void import_embeddings(Document& document, const NamedArrays& file, const ImportChoice& choice,
                       const UnpackWatch& watch = {});

// Makes the tensors the document's weights. Names and shapes give mechanism, d_in, d_out and qkv_bias; num_heads and a
// mechanism that they leave open come from the choice, or from what attnscope wrote beside the tensors. Inputs of
// another d_in are replaced by drawn ones. Throws Error.
void import_weights(Document& document, const NamedArrays& file, const ImportChoice& choice,
                    const UnpackWatch& watch = {});

// Whichever of the two a file is for.
void import_arrays(Document& document, const NamedArrays& file, const ImportChoice& choice,
                   const UnpackWatch& watch = {});

// Every parameter of the document's mechanism as .safetensors under its state_dict name. Throws Error.
void export_weights(const Document& document, const std::filesystem::path& path);

}  // namespace attnscope
