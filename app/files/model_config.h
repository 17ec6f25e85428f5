#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/transformer.h"
#include "core/rope.h"
#include "document/json_value.h"

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
    gemma2_names, bert_names, roberta_names, distilbert_names, book_names;

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

// What a model's config.json says, key by key, and what families have in common. Private to this folder.

// The keys of an object in a config.json, and which of them were asked for.
class Keys {
public:
  explicit Keys(const JsonValue& root) : root_(root) {}

  Index whole(std::string_view key) const {
    asked_.emplace(key);
    return root_.needed(key).whole(1, max_rope_offset);
  }
  Index whole(std::string_view key, Index otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->whole(1, max_rope_offset) : otherwise;
  }
  double number(std::string_view key, double otherwise) const {
    const std::optional<JsonValue> value = given(key);
    if (value && !value->is_number()) value->refuse("a number");
    return value ? value->number() : otherwise;
  }
  // Returns a number above 0 that null switches off, where a missing key means `usual`.
  std::optional<double> number_or_none(std::string_view key, std::optional<double> usual) const {
    const std::optional<JsonValue> value = given(key);
    if (!value) return has(key) ? std::nullopt : usual;
    if (!(number(key, 0) > 0)) value->refuse("a number above 0, or null for none");
    return number(key, 0);
  }
  bool flag(std::string_view key, bool otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->flag() : otherwise;
  }
  std::string text(std::string_view key, const std::string& otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->text() : otherwise;
  }
  bool has(std::string_view key) const { return root_.has(key); }
  bool is_asked(std::string_view key) const { return asked_.contains(key); }
  // A key that is there and not null.
  std::optional<JsonValue> given(std::string_view key) const {
    asked_.emplace(key);
    std::optional<JsonValue> value = root_.find(key);
    return value && !value->is_null() ? value : std::nullopt;
  }
  // Marks keys that tensors tell, or that say nothing in this family.
  void skip(std::initializer_list<std::string_view> keys) const { asked_.insert(keys.begin(), keys.end()); }

  // Throws Error if there is another key that may change a number: one that is neither null, false nor empty.
  void refuse_others() const;

private:
  const JsonValue& root_;
  mutable std::set<std::string, std::less<>> asked_;
};

// Throws Error: models with `what`, which the value asks for, are not known.
[[noreturn]] void refuse_key(const JsonValue& value, std::string_view what);

// Throws Error if a key that the family has not asked for changes the numbers in a way that is not computed.
void refuse_unknown_parts(const Keys& keys);

Activation activation_named(const std::string& name);

// What a family does with rotary positions.
struct RopeUse {
  double base = 10'000;              // where the file says none
  std::optional<double> share = {};  // likewise; nothing: all dimensions turn, whatever the file says
};

// Reads the rotary positions of a family; `within` names the layers' kind where the file has an object for each.
Rope rope_of(const Keys& keys, Index head_dim, const RopeUse& use, std::string_view within = {});

// Returns the same for every layer.
std::vector<bool> every_layer(const TransformerShape& shape, bool has_window);

// Gives the layers of a model a sliding window; layer_types may say which if `reads_types`, else only agree.
void set_windows(TransformerShape& shape, const Keys& keys, std::optional<Index> window, std::vector<bool> layers,
                 bool reads_types);

// Says when the models of a family of Llama's kind have a sliding window.
enum class WindowUse {
  refused,   // never
  always,    // of the usual length, where the file names none
  by_flag,   // if use_sliding_window is true; the first layers have none
  if_given,  // if the file names its length
};

// Reads the keys of sliding windows as Hugging Face's library does.
void set_sliding_window(TransformerShape& shape, const Keys& keys, WindowUse use);

}  // namespace attnscope
