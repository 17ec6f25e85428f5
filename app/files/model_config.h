#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/transformer.h"

// A model's config.json, and how its family names tensors. Private to this folder.
namespace attnscope {

// How queries, keys and values lie in a checkpoint.
enum class QkvPlaces {
  apart,         // each in a tensor of its own
  one_by_one,    // in one tensor: all queries, then all keys, then all values
  head_by_head,  // in one tensor: query, key and value of the first head, then those of the second
};

// The names of a family's tensors. `layer` holds the place of a layer's number; modules stand behind it, and a name may
// have the prefix, or only the end of it, or none. A name is empty where the family has no such tensor.
struct TensorNames {
  std::string_view prefix;
  std::string_view layer;  // "h.{}."
  std::string_view token_embeddings;
  std::string_view position_embeddings;
  Index first_position = 0;           // rows of the positions that stand before that of the first token
  std::string_view token_types = {};  // the first row belongs to all tokens of a text
  std::string_view embedding_norm = {};
  std::string_view final_norm;
  std::string_view transform = {};  // before the last layer, never with the prefix, as the two below it
  std::string_view transform_norm = {};
  std::string_view head;
  std::array<std::string_view, 2> head_bias = {};  // the first that is there
  std::string_view attention_norm;
  std::string_view feed_forward_norm;
  std::string_view attention_out_norm = {};
  std::string_view feed_forward_out_norm = {};
  std::string_view norm_scale = ".weight";
  std::string_view norm_shift = ".bias";
  QkvPlaces qkv_places = QkvPlaces::apart;
  std::string_view qkv = {};  // all three in one tensor
  std::string_view query = {};
  std::string_view key = {};
  std::string_view value = {};
  std::string_view query_norm = {};  // gains, of families that normalize queries and keys
  std::string_view key_norm = {};
  std::string_view out;
  std::string_view up;
  std::string_view gate = {};
  std::string_view gate_and_up = {};  // both in one tensor, instead of the two above
  std::string_view down;
  bool is_transposed = false;                      // weights of layers are (in, out)
  std::array<std::string_view, 3> constants = {};  // of a layer: tensors that follow from config.json, such as masks
  const TensorNames* older = nullptr;              // the names in checkpoints of older tools

  bool separate_projections() const { return qkv_places == QkvPlaces::apart; }
};

// The rows of the table, by family.
extern const TensorNames gpt2_names, gpt_neo_names, gpt_neox_names, opt_names, llama_names, phi_names, phi3_names,
    gemma2_names, gemma3_names, bert_names, roberta_names, distilbert_names, book_names;

struct ModelConfig {
  TransformerShape shape;                                          // without biases, which the tensors tell
  std::map<std::pair<Index, Index>, std::string> head_names = {};  // of (layer, head), as Transformer has them
  const TensorNames* names = nullptr;
  Index token_types = 0;    // rows of their table
  bool is_tied = false;     // the last layer is the table of embeddings
  bool needs_head = false;  // the checkpoint must have the last layer, which else may be tied
};

// Reads the text of a config.json. Throws Error for a family that is not known, naming those that are, for what the
// family can but attnscope cannot, and for sizes that no model has.
ModelConfig parse_model_config(std::string_view json);

}  // namespace attnscope
