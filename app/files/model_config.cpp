#include "files/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>

#include "core/error.h"
#include "core/rope.h"
#include "core/text.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

// Keys that no number of a model depends on: of training, of generation, of other heads, and of the tools that wrote
// the file. Those that begin with an underscore have none either.
constexpr std::string_view keys_without_effect =
    " architectures auto_map model_name name description transformers_version torch_dtype dtype bos_token_id"
    " eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id unk_token_id decoder_start_token_id"
    " tokenizer_class prefix language initializer_range initializer_factor init_std use_cache cache_implementation"
    " pretraining_tp tie_encoder_decoder attn_implementation use_flash_attn flash_attn fused_mlp fused_dense"
    " use_bfloat16 torchscript gradient_checkpointing reorder_and_upcast_attn chunk_size_feed_forward return_dict"
    " output_attentions output_hidden_states problem_type finetuning_task task_specific_params id2label label2id"
    " num_labels summary_type summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout"
    " classifier_dropout classifier_dropout_prob seq_classif_dropout qa_dropout dropout drop_rate drop_rate_emb"
    " drop_rate_attn drop_rate_shortcut attention_dropout attention_probs_dropout_prob hidden_dropout"
    " hidden_dropout_prob activation_dropout embed_dropout embd_pdrop attn_pdrop resid_pdrop resid_dropout"
    " layerdrop max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty"
    " temperature top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size"
    " encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores return_dict_in_generate"
    " forced_bos_token_id forced_eos_token_id remove_invalid_values exponential_decay_length_penalty"
    " suppress_tokens begin_suppress_tokens tf_legacy_loss pooler_fc_size pooler_num_attention_heads"
    " pooler_num_fc_layers pooler_size_per_head pooler_type directionality generator_size is_llama_config"
    " transformers.js_config unsloth_fixed unsloth_version max_sequence_length model_max_length seq_length ";

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
  // Returns a number that null switches off, where a missing key means `usual`.
  std::optional<double> number_or_none(std::string_view key, std::optional<double> usual) const {
    if (given(key)) return number(key, 0);
    return has(key) ? std::nullopt : usual;
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
  void refuse_others() const {
    for (JsonItems items(root_); const JsonValue* item = items.next();) {
      const std::string& key = item->key();
      const std::string_view raw = item->raw();
      const bool is_neutral =
          item->is_null() || (item->is_boolean() && !item->flag()) || raw == "[]" || raw == "{}" || raw == "\"\"";
      if (is_neutral || key.starts_with('_') || is_asked(key) ||
          keys_without_effect.find(fmt::format(" {} ", key)) != std::string_view::npos)
        continue;
      throw Error(
          fmt::format("config.json: {} is {}, but what {} does in this family is not known, so that the numbers "
                      "could be wrong. Remove it if it changes nothing.",
                      item->path(), item->spelled(), key));
    }
  }

private:
  const JsonValue& root_;
  mutable std::set<std::string, std::less<>> asked_;
};

Activation activation_named(const std::string& name) {
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::gelu_tanh;
  if (name == "gelu" || name == "gelu_python") return Activation::gelu;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  throw Error(fmt::format("config.json: the activation {} is not known; known ones are gelu, gelu_new, silu and relu.",
                          in_quotes(name)));
}

ModelConfig gpt2_config(const Keys& keys, std::string_view) {
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
  keys.skip({"n_ctx"});
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
    {"is_encoder_decoder", "an encoder and a decoder"},
    {"quantization_config", "numbers that were quantized"},
    {"num_local_experts", "several feed-forward parts of which a router chooses"},
    {"num_experts", "several feed-forward parts of which a router chooses"},
    {"use_bidirectional_attention", "a mask that shows later tokens in this family"},
    {"pruned_heads", "heads that were removed"},
};

void refuse_unknown_parts(const Keys& keys) {
  for (const UnknownPart& part : unknown_parts) {
    if (keys.is_asked(part.key)) continue;
    const std::optional<JsonValue> value = keys.given(part.key);
    if (!value || (value->is_boolean() && !value->flag())) continue;
    if (part.neutral && value->is_number() && value->number() == *part.neutral) continue;
    if (value->is_object() && value->raw() == "{}") continue;
    refuse_key(*value, part.what);
  }
}

// What an object of rotary positions says.
struct RopePart {
  std::optional<double> base;
  std::optional<double> share;  // of a head's dimensions that turn
  std::optional<RopeScaling> scaling;
};

// What a family does with rotary positions.
struct RopeUse {
  double base = 10'000;              // where the file says none
  std::optional<double> share = {};  // likewise; nothing: all dimensions turn, whatever the file says
};

RopePart rope_part(const JsonValue& part, const RopeUse& use) {
  if (!part.is_object()) part.refuse("an object of rotary positions, or null");
  const Keys own(part);
  RopePart result;
  const std::string kind = own.text("rope_type", own.text("type", "default"));
  own.skip({"type", "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"});
  if (kind == "linear") {
    result.scaling = {.kind = RopeScalingKind::linear, .factor = own.number("factor", 1)};
  } else if (kind == "llama3") {
    result.scaling = {.kind = RopeScalingKind::llama3,
                      .factor = own.number("factor", 8),
                      .low = own.number("low_freq_factor", 1),
                      .high = own.number("high_freq_factor", 4),
                      .original_length = own.whole("original_max_position_embeddings", 8192)};
  } else if (kind != "default") {
    throw Error(
        fmt::format("config.json: rotary positions of the kind {} are not known; known are default, linear and llama3.",
                    in_quotes(kind)));
  }
  if (use.share && own.given("partial_rotary_factor")) result.share = own.number("partial_rotary_factor", 1);
  if (own.given("rope_theta")) result.base = own.number("rope_theta", 0);
  refuse_unknown_parts(own);
  for (JsonItems items(part); const JsonValue* item = items.next();) {
    if (item->is_object()) refuse_key(*item, "rotary positions that differ between layers");
  }
  own.refuse_others();
  return result;
}

// Reads the rotary positions of a family; `within` names the layers' kind where the file has an object for each.
Rope rope_of(const Keys& keys, Index head_dim, const RopeUse& use, std::string_view within = {}) {
  RopePart all;
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) {
    std::optional<JsonValue> part = keys.given(key);
    if (!part) continue;
    const std::optional<JsonValue> inner = within.empty() || !part->is_object() ? std::nullopt : part->find(within);
    const RopePart own = rope_part(inner ? *inner : *part, use);
    if (!all.base) all.base = own.base;
    if (!all.share) all.share = own.share;
    if (!all.scaling) all.scaling = own.scaling;
  }
  Rope rope{.base = all.base ? *all.base : keys.number("rope_theta", keys.number("rotary_emb_base", use.base))};
  rope.scaling = all.scaling;
  keys.skip({"rope_theta"});
  if (!use.share) return rope;
  keys.skip({"rotary_emb_base", "partial_rotary_factor", "rotary_pct"});
  const double share =
      all.share ? *all.share : keys.number("partial_rotary_factor", keys.number("rotary_pct", *use.share));
  if (!(share >= 0 && share <= 1))
    throw Error(fmt::format("config.json: the part of a head that turns is {}, but it must be from 0 to 1.", share));
  const auto dims = static_cast<Index>(static_cast<double>(head_dim) * share);
  if (dims < head_dim) rope.dims = dims;
  return rope;
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

// Gives the layers of a model a sliding window.
void set_windows(TransformerShape& shape, const Keys& keys, std::optional<Index> window, std::vector<bool> layers,
                 bool reads_types) {
  layers = windowed_layers(keys, std::move(layers), reads_types);
  const auto count = std::ranges::count(layers, true);
  if (count > 0 && !window) refuse_key(*keys.given("layer_types"), "a sliding window whose length is not said");
  if (count > 0) shape.sliding_window = window;
  if (count > 0 && count < std::ssize(layers)) shape.windowed_layers = std::move(layers);
}

std::vector<bool> every_layer(const TransformerShape& shape, bool has_window) {
  return std::vector<bool>(static_cast<std::size_t>(std::min(shape.layers, max_layers)), has_window);
}

// Reads the keys of sliding windows as Hugging Face's library does. Llama's family has none of them.
void set_sliding_window(TransformerShape& shape, const Keys& keys, std::string_view family) {
  constexpr Index usual_window = 4096;
  constexpr Index usual_first_layer = 28;
  const bool is_qwen = family == "qwen2" || family == "qwen3";
  const bool has_flag = keys.flag("use_sliding_window", false);
  keys.skip({"sliding_window", "max_window_layers"});  // without effect where there is no window
  if (has_flag && family == "llama") refuse_key(*keys.given("use_sliding_window"), "a sliding window in this family");
  const bool has_window = family == "mistral" || (is_qwen && has_flag);
  std::optional<Index> window;
  if (has_window && !keys.has("sliding_window")) window = usual_window;
  if ((has_window || family == "phi3") && keys.given("sliding_window")) window = keys.whole("sliding_window");
  std::vector<bool> layers = every_layer(shape, window.has_value());
  if (is_qwen && window) {
    const std::optional<JsonValue> first = keys.given("max_window_layers");
    const Index count = first ? first->whole(0, max_rope_offset) : usual_first_layer;
    for (Index layer = 0; layer < std::min(count, std::ssize(layers)); ++layer)
      layers[static_cast<std::size_t>(layer)] = false;
  }
  set_windows(shape, keys, window, std::move(layers), is_qwen);
}

// Reads what families have in common that name their sizes as Llama does.
ModelConfig sizes_of_llama(const Keys& keys, std::string_view epsilon_key, double epsilon) {
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
  shape.epsilon = keys.number(epsilon_key, epsilon);
  keys.skip({"attention_bias", "mlp_bias"});  // the tensors tell
  return config;
}

void check_qk_norm(const TransformerShape& shape) {
  if (shape.epsilon == qk_norm_epsilon) return;
  throw Error(fmt::format("config.json: rms_norm_eps is {}, but queries and keys can be normalized with {} alone.",
                          shape.epsilon, qk_norm_epsilon));
}

ModelConfig llama_config(const Keys& keys, std::string_view family) {
  ModelConfig config = sizes_of_llama(keys, "rms_norm_eps", family == "phi3" ? 1e-5 : 1e-6);
  TransformerShape& shape = config.shape;
  shape.norm = NormKind::rms;
  shape.activation = activation_named(keys.text("hidden_act", "silu"));
  shape.is_gated = true;
  shape.has_qk_norm = family == "qwen3";
  if (shape.has_qk_norm) check_qk_norm(shape);
  shape.rope = rope_of(keys, shape.head_dim, {.share = family == "phi3" ? std::optional(1.0) : std::nullopt});
  if (family == "phi3") keys.skip({"original_max_position_embeddings"});  // only of a scaling that is not known
  set_sliding_window(shape, keys, family);
  config.is_tied = keys.flag("tie_word_embeddings", false);
  config.names = family == "phi3" ? &phi3_names : &llama_names;
  return config;
}

// The norms of these families multiply by 1 + scale, and the embeddings are multiplied by the root of their width.
ModelConfig gemma_config(const Keys& keys, std::string_view family) {
  constexpr Index usual_head_dim = 256;
  constexpr Index usual_window = 4096;
  constexpr Index usual_pattern = 6;
  ModelConfig config = sizes_of_llama(keys, "rms_norm_eps", 1e-6);
  TransformerShape& shape = config.shape;
  const bool is_first = family == "gemma";
  const bool is_third = family == "gemma3_text";
  shape.head_dim = keys.whole("head_dim", usual_head_dim);
  shape.norm = NormKind::rms;
  shape.adds_one_to_scales = true;
  shape.embedding_scale = std::sqrt(static_cast<double>(shape.features));
  shape.activation = activation_named(keys.text("hidden_activation", "gelu_pytorch_tanh"));
  keys.skip({"hidden_act", "sliding_window_size"});  // hidden_activation and sliding_window count
  shape.is_gated = true;
  config.is_tied = keys.flag("tie_word_embeddings", true);
  config.names = is_first ? &llama_names : is_third ? &gemma3_names : &gemma2_names;
  shape.rope = rope_of(keys, shape.head_dim, {.base = is_third ? 1e6 : 1e4}, is_third ? "full_attention" : "");
  if (is_first) return config;
  shape.order = LayerOrder::norm_around;
  const double scalar = keys.number("query_pre_attn_scalar", usual_head_dim);
  if (!(scalar > 0)) keys.given("query_pre_attn_scalar")->refuse("a number above 0");
  if (scalar != static_cast<double>(shape.head_dim)) shape.score_scale = 1 / std::sqrt(scalar);
  shape.softcap = keys.number_or_none("attn_logit_softcapping", is_third ? std::nullopt : std::optional(50.0));
  shape.logit_softcap = keys.number_or_none("final_logit_softcapping", is_third ? std::nullopt : std::optional(30.0));
  std::vector<bool> windowed = every_layer(shape, true);
  const Index pattern = is_third ? keys.whole("sliding_window_pattern", usual_pattern) : 2;
  for (Index layer = 0; layer < std::ssize(windowed); ++layer)
    windowed[static_cast<std::size_t>(layer)] = (layer + 1) % pattern != 0;
  set_windows(shape, keys, keys.whole("sliding_window", usual_window), std::move(windowed), true);
  if (!is_third) return config;
  shape.has_qk_norm = true;
  check_qk_norm(shape);
  const std::optional<JsonValue> parameters = keys.given("rope_parameters");
  const bool has_both = parameters && parameters->is_object() && parameters->has("sliding_attention");
  shape.windowed_rope = has_both ? rope_of(keys, shape.head_dim, {}, "sliding_attention")
                                 : Rope{.base = keys.number("rope_local_base_freq", 1e4)};
  keys.skip({"rope_local_base_freq"});
  return config;
}

ModelConfig phi_config(const Keys& keys, std::string_view) {
  ModelConfig config = sizes_of_llama(keys, "layer_norm_eps", 1e-5);
  TransformerShape& shape = config.shape;
  shape.order = LayerOrder::side_by_side;
  shape.activation = activation_named(keys.text("hidden_act", "gelu_new"));
  shape.rope = rope_of(keys, shape.head_dim, {.share = 0.5});
  config.is_tied = keys.flag("tie_word_embeddings", false);
  config.names = &phi_names;
  return config;
}

ModelConfig gpt_neox_config(const Keys& keys, std::string_view) {
  ModelConfig config = sizes_of_llama(keys, "layer_norm_eps", 1e-5);
  TransformerShape& shape = config.shape;
  shape.order = keys.flag("use_parallel_residual", true) ? LayerOrder::side_by_side : LayerOrder::norm_first;
  shape.activation = activation_named(keys.text("hidden_act", "gelu"));
  shape.rope = rope_of(keys, shape.head_dim, {.share = 0.25});
  config.is_tied = keys.flag("tie_word_embeddings", false);
  config.names = &gpt_neox_names;
  return config;
}

// Reads [[["global", "local"], 12]], the kinds of attention with how often they come, or one kind for each layer.
std::vector<bool> local_layers(const Keys& keys, const TransformerShape& shape) {
  std::vector<std::string> kinds;
  const std::size_t most = static_cast<std::size_t>(max_layers);
  const auto append = [&](const JsonValue& list) {
    for (JsonItems items(list); const JsonValue* item = items.next();) {
      kinds.push_back(item->text());
      if ((kinds.back() != "global" && kinds.back() != "local") || kinds.size() > most)
        item->refuse("\"global\" or \"local\", one for each layer");
    }
  };
  const std::optional<JsonValue> types = keys.given("attention_types");
  const std::optional<JsonValue> layers = keys.given("attention_layers");
  if (types) {
    for (JsonItems items(*types); const JsonValue* item = items.next();) {
      if (!item->is_array() || item->size() != 2) item->refuse("a list of kinds and how often they come");
      const Index count = item->element(1).whole(1, max_layers);
      const JsonValue list = item->element(0);
      for (Index i = 0; i < count; ++i) append(list);
    }
  } else if (layers) {
    append(*layers);
  } else {
    for (Index layer = 0; layer < shape.layers; ++layer) kinds.emplace_back(layer % 2 == 0 ? "global" : "local");
  }
  if (std::ssize(kinds) != shape.layers) {
    throw Error(fmt::format("config.json: attention_types names the attention of {} layers, but the model has {}.",
                            kinds.size(), shape.layers));
  }
  std::vector<bool> local;
  for (const std::string& kind : kinds) local.push_back(kind == "local");
  return local;
}

ModelConfig gpt_neo_config(const Keys& keys, std::string_view) {
  constexpr Index usual_window = 256;
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.whole("max_position_embeddings");
  shape.features = keys.whole("hidden_size");
  shape.layers = std::min(keys.whole("num_layers"), max_layers + 1);
  shape.heads = shape.key_value_heads = keys.whole("num_heads");
  shape.hidden = keys.whole("intermediate_size", 4 * shape.features);
  shape.epsilon = keys.number("layer_norm_epsilon", 1e-5);
  shape.activation = activation_named(keys.text("activation_function", "gelu_new"));
  shape.score_scale = 1;
  const Index window = keys.whole("window_size", usual_window);
  keys.skip({"attention_layers"});
  set_windows(shape, keys, window, local_layers(keys, shape), false);
  config.is_tied = keys.flag("tie_word_embeddings", true);
  config.names = &gpt_neo_names;
  return config;
}

ModelConfig opt_config(const Keys& keys, std::string_view) {
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.whole("max_position_embeddings");
  shape.features = keys.whole("hidden_size");
  shape.layers = keys.whole("num_hidden_layers");
  shape.heads = shape.key_value_heads = keys.whole("num_attention_heads");
  shape.hidden = keys.whole("ffn_dim");
  shape.activation = activation_named(keys.text("activation_function", "relu"));
  if (!keys.flag("do_layer_norm_before", true))
    refuse_key(*keys.given("do_layer_norm_before"), "norms behind attention in this family");
  if (keys.whole("word_embed_proj_dim", shape.features) != shape.features)
    refuse_key(*keys.given("word_embed_proj_dim"), "embeddings of another width than the residual stream");
  if (!keys.flag("layer_norm_elementwise_affine", true))
    refuse_key(*keys.given("layer_norm_elementwise_affine"), "norms without scales");
  if (keys.flag("_remove_final_layer_norm", false))
    refuse_key(*keys.given("_remove_final_layer_norm"), "a residual stream that ends without a norm");
  keys.skip({"enable_bias"});  // the tensors tell
  config.is_tied = keys.flag("tie_word_embeddings", true);
  config.names = &opt_names;
  return config;
}

// What BERT, RoBERTa and DistilBERT have in common.
void make_bert(ModelConfig& config, const Keys& keys) {
  TransformerShape& shape = config.shape;
  shape.order = LayerOrder::norm_last;
  shape.sees_later_tokens = true;
  shape.has_embedding_norm = true;
  shape.has_last_transform = true;
  config.is_tied = keys.flag("tie_word_embeddings", true);
  if (const std::optional<JsonValue> decoder = keys.given("is_decoder"); decoder && decoder->flag())
    refuse_key(*decoder, "a mask that hides later tokens in this family");
  if (keys.text("position_embedding_type", "absolute") != "absolute")
    refuse_key(*keys.given("position_embedding_type"), "positions that are not added to the embeddings in this family");
}

ModelConfig bert_config(const Keys& keys, std::string_view family) {
  ModelConfig config = sizes_of_llama(keys, "layer_norm_eps", 1e-12);
  TransformerShape& shape = config.shape;
  make_bert(config, keys);
  shape.activation = activation_named(keys.text("hidden_act", "gelu"));
  shape.has_token_types = true;
  config.token_types = keys.whole("type_vocab_size", 2);
  config.names = &bert_names;
  if (family == "bert") return config;
  config.names = &roberta_names;
  // Positions count from the one behind that of padding.
  if (keys.given("pad_token_id") && keys.given("pad_token_id")->whole() != roberta_names.first_position - 1)
    refuse_key(*keys.given("pad_token_id"), "another padding token than 1 in this family");
  shape.context_length -= roberta_names.first_position;
  if (shape.activation != Activation::gelu)
    refuse_key(*keys.given("hidden_act"), "another activation than gelu in this family");
  return config;
}

ModelConfig distilbert_config(const Keys& keys, std::string_view) {
  ModelConfig config;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  shape.context_length = keys.whole("max_position_embeddings");
  shape.features = keys.whole("dim");
  shape.layers = keys.whole("n_layers");
  shape.heads = shape.key_value_heads = keys.whole("n_heads");
  shape.hidden = keys.whole("hidden_dim");
  shape.activation = activation_named(keys.text("activation", "gelu"));
  shape.epsilon = 1e-12;
  make_bert(config, keys);
  keys.skip({"sinusoidal_pos_embds", "tie_weights_"});  // the checkpoint has their table
  config.names = &distilbert_names;
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
  keys.skip({"qkv_bias"});  // the tensors tell
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

struct Family {
  std::string_view name;
  ModelConfig (*read)(const Keys& keys, std::string_view family);
};

constexpr Family families[] = {{"gpt2", gpt2_config},         {"gpt_neo", gpt_neo_config},
                               {"gpt_neox", gpt_neox_config}, {"opt", opt_config},
                               {"llama", llama_config},       {"mistral", llama_config},
                               {"qwen2", llama_config},       {"qwen3", llama_config},
                               {"gemma", gemma_config},       {"gemma2", gemma_config},
                               {"gemma3_text", gemma_config}, {"phi", phi_config},
                               {"phi3", llama_config},        {"bert", bert_config},
                               {"roberta", bert_config},      {"distilbert", distilbert_config}};

// Families whose second half reads what the first has made of another text.
constexpr std::string_view encoder_decoders[] = {
    "t5",     "mt5",           "umt5",    "longt5",          "switch_transformers", "bart",
    "mbart",  "pegasus",       "marian",  "m2m_100",         "blenderbot",          "blenderbot-small",
    "led",    "prophetnet",    "whisper", "bigbird_pegasus", "encoder-decoder",     "fsmt",
    "plbart", "speech_to_text"};

ModelConfig config_of_family(const Keys& keys) {
  const std::string name = keys.text("model_type", "");
  const auto* const family = std::ranges::find(families, name, &Family::name);
  if (family != std::end(families)) return family->read(keys, name);
  if (name.empty() && keys.given("emb_dim")) return book_config(keys);
  const bool has_two_halves = std::ranges::find(encoder_decoders, name) != std::end(encoder_decoders);
  if (has_two_halves || keys.flag("is_encoder_decoder", false)) {
    throw Error(
        fmt::format("config.json: {} is a family of models with an encoder and a decoder, which are not known: "
                    "only models of one stack of layers are.",
                    in_quotes(name)));
  }
  std::string known;
  for (const Family& each : families)
    known += fmt::format("{}{}", known.empty() ? "" : &each == std::end(families) - 1 ? " and " : ", ", each.name);
  throw Error(
      fmt::format("config.json: {}; known are {}, and the book's GPTModel with vocab_size, context_length, "
                  "emb_dim, n_heads and n_layers.",
                  name.empty() ? "it has no \"model_type\", which names the family of models"
                               : "the family of models " + in_quotes(name) + " is not known",
                  known));
}

}  // namespace

ModelConfig parse_model_config(std::string_view json) {
  const JsonText text(json, "config.json");
  const JsonValue root = text.root();
  if (!root.is_object()) throw Error("config.json must be an object of a model's settings.");
  const Keys keys(root);
  ModelConfig config = config_of_family(keys);
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
  keys.refuse_others();
  return config;
}

}  // namespace attnscope
