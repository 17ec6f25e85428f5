#include "files/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/rope.h"
#include "core/text.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

constexpr TensorNames gpt2_names = {.prefix = "transformer.",
                                    .layer = "h.{}.",
                                    .token_embeddings = "wte.weight",
                                    .position_embeddings = "wpe.weight",
                                    .final_norm = "ln_f",
                                    .head = "lm_head.weight",
                                    .attention_norm = "ln_1",
                                    .feed_forward_norm = "ln_2",
                                    .norm_scale = ".weight",
                                    .norm_shift = ".bias",
                                    .qkv = "attn.c_attn",
                                    .query = {},
                                    .key = {},
                                    .value = {},
                                    .out = "attn.c_proj",
                                    .up = "mlp.c_fc",
                                    .gate = {},
                                    .down = "mlp.c_proj",
                                    .is_transposed = true,
                                    .constants = {"attn.bias", "attn.masked_bias"}};

constexpr TensorNames llama_names = {.prefix = "model.",
                                     .layer = "layers.{}.",
                                     .token_embeddings = "embed_tokens.weight",
                                     .position_embeddings = {},
                                     .final_norm = "norm",
                                     .head = "lm_head.weight",
                                     .attention_norm = "input_layernorm",
                                     .feed_forward_norm = "post_attention_layernorm",
                                     .norm_scale = ".weight",
                                     .norm_shift = ".bias",
                                     .qkv = {},
                                     .query = "self_attn.q_proj",
                                     .key = "self_attn.k_proj",
                                     .value = "self_attn.v_proj",
                                     .query_norm = "self_attn.q_norm",
                                     .key_norm = "self_attn.k_norm",
                                     .out = "self_attn.o_proj",
                                     .up = "mlp.up_proj",
                                     .gate = "mlp.gate_proj",
                                     .down = "mlp.down_proj",
                                     .constants = {"self_attn.rotary_emb.inv_freq", "self_attn.rotary_emb.cos_cached",
                                                   "self_attn.rotary_emb.sin_cached"}};

constexpr TensorNames book_names = {.prefix = {},
                                    .layer = "trf_blocks.{}.",
                                    .token_embeddings = "tok_emb.weight",
                                    .position_embeddings = "pos_emb.weight",
                                    .final_norm = "final_norm",
                                    .head = "out_head.weight",
                                    .attention_norm = "norm1",
                                    .feed_forward_norm = "norm2",
                                    .norm_scale = ".scale",
                                    .norm_shift = ".shift",
                                    .qkv = {},
                                    .query = "att.W_query",
                                    .key = "att.W_key",
                                    .value = "att.W_value",
                                    .out = "att.out_proj",
                                    .up = "ff.layers.0",
                                    .gate = {},
                                    .down = "ff.layers.2",
                                    .constants = {"att.mask"}};

// The keys of a config.json.
class Keys {
public:
  explicit Keys(const JsonValue& root) : root_(root) {}

  Index whole(std::string_view key) const { return root_.needed(key).whole(1, max_rope_offset); }
  Index whole(std::string_view key, Index otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->whole(1, max_rope_offset) : otherwise;
  }
  double number(std::string_view key, double otherwise) const {
    const std::optional<JsonValue> value = given(key);
    if (value && !value->is_number()) value->refuse("a number");
    return value ? value->number() : otherwise;
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
  // A key that is there and not null.
  std::optional<JsonValue> given(std::string_view key) const {
    std::optional<JsonValue> value = root_.find(key);
    return value && !value->is_null() ? value : std::nullopt;
  }

private:
  const JsonValue& root_;
};

Activation activation_named(const std::string& name) {
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::gelu_tanh;
  if (name == "gelu") return Activation::gelu;
  if (name == "silu" || name == "swish") return Activation::silu;
  throw Error(fmt::format("config.json: the activation {} is not known; known ones are gelu, gelu_new and silu.",
                          in_quotes(name)));
}

ModelConfig gpt2_config(const Keys& keys) {
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.given("n_positions") ? keys.whole("n_positions") : keys.whole("n_ctx");
  shape.features = keys.whole("n_embd");
  shape.layers = keys.whole("n_layer");
  shape.heads = shape.key_value_heads = keys.whole("n_head");
  shape.hidden = keys.whole("n_inner", 4 * shape.features);
  shape.activation = activation_named(keys.text("activation_function", "gelu_new"));
  shape.epsilon = keys.number("layer_norm_epsilon", 1e-5);
  if (!keys.flag("scale_attn_weights", true) || keys.flag("scale_attn_by_inverse_layer_idx", false))
    throw Error("config.json: scores that are scaled in another way than by the width of a head are not known.");
  config.is_tied = keys.flag("tie_word_embeddings", true);
  config.names = &gpt2_names;
  return config;
}

[[noreturn]] void refuse_key(const JsonValue& value, std::string_view what) {
  throw Error(
      fmt::format("config.json: {} is {}, but models with {} are not known.", value.path(), value.spelled(), what));
}

// A key that changes the numbers of a model in a way that is not computed.
struct UnknownPart {
  std::string_view key;
  std::string_view what;
  std::optional<double> neutral = {};  // a number that changes nothing, as null and false do
};

constexpr UnknownPart unknown_parts[] = {
    {"attn_logit_softcapping", "capped scores"},
    {"final_logit_softcapping", "capped logits"},
    {"query_pre_attn_scalar", "scores that are scaled in another way than by the width of a head"},
    {"attention_multiplier", "scores that are scaled in another way than by the width of a head"},
    {"logits_scaling", "scaled logits", 1},
    {"logit_scale", "scaled logits", 1},
    {"embedding_multiplier", "scaled embeddings", 1},
    {"scale_emb", "scaled embeddings", 1},
    {"residual_multiplier", "a scaled residual stream", 1},
    {"scale_depth", "a scaled residual stream"},
    {"partial_rotary_factor", "rotary positions for a part of each head", 1},
    {"rotary_pct", "rotary positions for a part of each head", 1},
    {"no_rope_layers", "layers without rotary positions"},
    {"sliding_window_size", "the sliding window of the book's variants"},
    {"attention_chunk_size", "attention within chunks of a text"},
    {"use_qk_norm", "normalized queries and keys in this family"},
    {"qk_layernorm", "normalized queries and keys in this family"},
    {"clip_qkv", "clipped queries, keys and values"},
    {"alibi", "biases that grow with the distance of query and key"},
    {"parallel_attn", "attention and feed-forward part side by side"},
    {"use_parallel_residual", "attention and feed-forward part side by side"},
    {"add_cross_attention", "attention to another text"},
};

void refuse_unknown_parts(const Keys& keys) {
  for (const UnknownPart& part : unknown_parts) {
    const std::optional<JsonValue> value = keys.given(part.key);
    if (!value || (value->is_boolean() && !value->flag())) continue;
    if (part.neutral && value->is_number() && value->number() == *part.neutral) continue;
    refuse_key(*value, part.what);
  }
}

// Checks what rope_parameters or rope_scaling says, and returns its base.
std::optional<double> checked_rope(const JsonValue& part) {
  if (!part.is_object()) part.refuse("an object of rotary positions, or null");
  const Keys own(part);
  const std::string kind = own.text("rope_type", own.text("type", "default"));
  if (kind != "default") {
    throw Error(
        fmt::format("config.json: rotary positions of the kind {} are not known; known is the default, which "
                    "turns each pair by its base alone.",
                    in_quotes(kind)));
  }
  refuse_unknown_parts(own);
  for (JsonItems items(part); const JsonValue* item = items.next();) {
    if (item->is_object()) refuse_key(*item, "rotary positions that differ between layers");
  }
  if (!own.given("rope_theta")) return {};
  return own.number("rope_theta", 0);
}

double rope_base_of(const Keys& keys) {
  constexpr double usual = 10'000;
  std::optional<double> base;
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) {
    const std::optional<JsonValue> part = keys.given(key);
    const std::optional<double> own = part ? checked_rope(*part) : std::nullopt;
    if (!base) base = own;
  }
  return base ? *base : keys.number("rope_theta", usual);
}

// Returns whether each layer has the sliding window, as layer_types says; `otherwise` if it says nothing.
std::vector<bool> windowed_layers(const Keys& keys, std::vector<bool> otherwise, bool is_read) {
  const std::optional<JsonValue> types = keys.given("layer_types");
  if (!types) return otherwise;
  if (!types->is_array() || types->size() != std::ssize(otherwise))
    types->refuse(fmt::format("a list of {} types, one for each layer", otherwise.size()));
  std::vector<bool> windowed;
  for (JsonItems items(*types); const JsonValue* item = items.next();) {
    const std::string type = item->text();
    if (type != "full_attention" && type != "sliding_attention")
      item->refuse(R"("full_attention" or "sliding_attention")");
    windowed.push_back(type == "sliding_attention");
  }
  if (!is_read && windowed != otherwise) refuse_key(*types, "a sliding window in some layers in this family");
  return windowed;
}

// Reads the keys of sliding windows as Hugging Face's library does. Llama's family has none of them.
void set_sliding_window(TransformerShape& shape, const Keys& keys, std::string_view family) {
  constexpr Index usual_window = 4096;
  constexpr Index usual_first_layer = 28;
  const bool is_qwen = family == "qwen2" || family == "qwen3";
  const bool has_flag = keys.flag("use_sliding_window", false);
  if (has_flag && family == "llama") refuse_key(*keys.given("use_sliding_window"), "a sliding window in this family");
  const bool has_window = family == "mistral" || (is_qwen && has_flag);
  std::optional<Index> window;
  if (has_window && !keys.has("sliding_window")) window = usual_window;
  if (has_window && keys.given("sliding_window")) window = keys.whole("sliding_window");
  std::vector<bool> layers(static_cast<std::size_t>(std::min(shape.layers, max_layers)), window.has_value());
  if (is_qwen && window) {
    const std::optional<JsonValue> first = keys.given("max_window_layers");
    const Index count = first ? first->whole(0, max_rope_offset) : usual_first_layer;
    for (Index layer = 0; layer < std::min(count, std::ssize(layers)); ++layer)
      layers[static_cast<std::size_t>(layer)] = false;
  }
  layers = windowed_layers(keys, std::move(layers), is_qwen);
  const auto count = std::ranges::count(layers, true);
  if (count > 0 && !window) refuse_key(*keys.given("layer_types"), "a sliding window whose length is not said");
  if (count > 0) shape.sliding_window = window;
  if (count > 0 && count < std::ssize(layers)) shape.windowed_layers = std::move(layers);
}

ModelConfig llama_config(const Keys& keys, std::string_view family) {
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.whole("max_position_embeddings");
  shape.features = keys.whole("hidden_size");
  shape.layers = keys.whole("num_hidden_layers");
  shape.heads = keys.whole("num_attention_heads");
  shape.key_value_heads = keys.whole("num_key_value_heads", shape.heads);
  shape.head_dim = keys.whole("head_dim", std::max<Index>(shape.features / shape.heads, 1));
  shape.hidden = keys.whole("intermediate_size");
  shape.norm = NormKind::rms;
  shape.epsilon = keys.number("rms_norm_eps", 1e-6);
  shape.activation = activation_named(keys.text("hidden_act", "silu"));
  shape.is_gated = true;
  shape.has_qk_norm = family == "qwen3";
  if (shape.has_qk_norm && shape.epsilon != qk_norm_epsilon) {
    throw Error(fmt::format("config.json: rms_norm_eps is {}, but queries and keys can be normalized with {} alone.",
                            shape.epsilon, qk_norm_epsilon));
  }
  shape.rope = Rope{.base = rope_base_of(keys)};
  set_sliding_window(shape, keys, family);
  config.is_tied = keys.flag("tie_word_embeddings", false);
  config.names = &llama_names;
  return config;
}

ModelConfig book_config(const Keys& keys) {
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.whole("context_length");
  shape.features = keys.whole("emb_dim");
  shape.layers = keys.whole("n_layers");
  shape.heads = shape.key_value_heads = keys.whole("n_heads");
  shape.hidden = 4 * shape.features;
  config.needs_head = true;
  config.names = &book_names;
  return config;
}

constexpr std::string_view head_names_key = "attnscope_head_names";
constexpr std::size_t most_name_bytes = 60;

// Returns the number before or behind the dot of "2.0"; nothing if it is not below `count`.
std::optional<Index> number_below(std::string_view digits, Index count) {
  Index number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = failure == std::errc() && end == digits.data() + digits.size() && number >= 0;
  return is_whole && number < count ? std::optional(number) : std::nullopt;
}

// Reads {"2.0": "previous word"}: the names of heads, by layer and head counted from 0.
std::map<std::pair<Index, Index>, std::string> head_names_of(const Keys& keys, const TransformerShape& shape) {
  std::map<std::pair<Index, Index>, std::string> names;
  const std::optional<JsonValue> given = keys.given(head_names_key);
  if (!given) return names;
  if (!given->is_object()) given->refuse("an object of names, such as {\"0.3\": \"previous word\"}");
  for (JsonItems items(*given); const JsonValue* item = items.next();) {
    const std::string_view place = item->key();
    const auto dot = std::min(place.find('.'), place.size());
    const std::optional<Index> layer = number_below(place.substr(0, dot), shape.layers);
    const std::optional<Index> head = number_below(place.substr(std::min(dot + 1, place.size())), shape.heads);
    if (!layer || !head) {
      throw Error(
          fmt::format("config.json: {} names the head {}, but the model has layers 0 to {} of heads 0 to {}: "
                      "\"0.3\" is head 3 of layer 0.",
                      head_names_key, in_quotes(place), shape.layers - 1, shape.heads - 1));
    }
    const std::string name = item->text("a name");
    const bool is_one_line = std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 32; });
    if (name.empty() || name.size() > most_name_bytes || !is_one_line)
      item->refuse(fmt::format("a name of one line with 1 to {} bytes", most_name_bytes));
    names[{*layer, *head}] = name;
  }
  return names;
}

}  // namespace

ModelConfig parse_model_config(std::string_view json) {
  const JsonText text(json, "config.json");
  const JsonValue root = text.root();
  if (!root.is_object()) throw Error("config.json must be an object of a model's settings.");
  const Keys keys(root);
  const std::string family = keys.text("model_type", "");
  ModelConfig config;
  if (family == "gpt2") {
    config = gpt2_config(keys);
  } else if (family == "llama" || family == "mistral" || family == "qwen2" || family == "qwen3") {
    config = llama_config(keys, family);
  } else if (family.empty() && keys.given("emb_dim")) {
    config = book_config(keys);
  } else {
    throw Error(
        fmt::format("config.json: {}; known are gpt2, llama, mistral, qwen2 and qwen3, and the book's GPTModel with "
                    "vocab_size, context_length, emb_dim, n_heads and n_layers.",
                    family.empty() ? "it has no \"model_type\", which names the family of models"
                                   : "the family of models " + in_quotes(family) + " is not known"));
  }
  refuse_unknown_parts(keys);
  if (keys.given("tie_word_embeddings") && !config.is_tied) config.needs_head = true;
  TransformerShape& shape = config.shape;
  if (!shape.rope) {
    if (shape.heads < 1 || shape.features % shape.heads != 0) {
      throw Error(fmt::format("config.json: {} heads cannot share {} features evenly.", shape.heads, shape.features));
    }
    shape.head_dim = shape.features / shape.heads;
  }
  check(shape);
  config.head_names = head_names_of(keys, shape);
  return config;
}

}  // namespace attnscope
