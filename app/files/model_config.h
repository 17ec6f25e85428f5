#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/transformer.h"

// A model's config.json, and how its family names tensors. Private to this folder.
namespace attnscope {

// The names of a family's tensors. `layer` holds the place of a layer's number; modules stand behind it, and a name may
// have the prefix or not.
struct TensorNames {
  std::string_view prefix;
  std::string_view layer;  // "h.{}."
  std::string_view token_embeddings;
  std::string_view position_embeddings;
  std::string_view final_norm;
  std::string_view head;
  std::string_view attention_norm;
  std::string_view feed_forward_norm;
  std::string_view norm_scale;
  std::string_view norm_shift;
  std::string_view qkv;  // all three in one tensor; empty where each has its own
  std::string_view query;
  std::string_view key;
  std::string_view value;
  std::string_view query_norm = {};  // gains, of families that normalize queries and keys
  std::string_view key_norm = {};
  std::string_view out;
  std::string_view up;
  std::string_view gate;
  std::string_view down;
  bool is_transposed = false;                      // weights of layers are (in, out)
  std::array<std::string_view, 3> constants = {};  // of a layer: tensors that follow from config.json, such as masks

  bool separate_projections() const { return qkv.empty(); }
};

struct ModelConfig {
  TransformerShape shape;                                          // without biases, which the tensors tell
  std::map<std::pair<Index, Index>, std::string> head_names = {};  // of (layer, head), as Transformer has them
  const TensorNames* names = nullptr;
  bool is_tied = false;     // the last layer is the table of embeddings
  bool needs_head = false;  // the checkpoint must have the last layer, which else may be tied
};

// Reads the text of a config.json. Throws Error for a family that is not known, naming those that are, for what the
// family can but attnscope cannot, and for sizes that no model has.
ModelConfig parse_model_config(std::string_view json);

}  // namespace attnscope
