#include "files/model_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

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

}  // namespace

void Keys::refuse_others() const {
  for (JsonItems items(root_); const JsonValue* item = items.next();) {
    const std::string& key = item->key();
    const std::string_view raw = item->raw();
    const bool is_neutral =
        item->is_null() || (item->is_boolean() && !item->flag()) || raw == "[]" || raw == "{}" || raw == "\"\"";
    if (is_neutral || key.starts_with('_') || is_asked(key) ||
        keys_without_effect.find(fmt::format(" {} ", key)) != std::string_view::npos)
      continue;
    throw Error(
        fmt::format("config.json: {} is {}, but what it does in this family is not known, so that the numbers "
                    "could be wrong. Remove it if it changes nothing.",
                    item->path(), item->spelled()));
  }
}

Activation activation_named(const std::string& name) {
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::gelu_tanh;
  if (name == "gelu" || name == "gelu_python") return Activation::gelu;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  throw Error(fmt::format("config.json: the activation {} is not known; known ones are gelu, gelu_new, silu and relu.",
                          in_quotes(name)));
}

void refuse_key(const JsonValue& value, std::string_view what) {
  throw Error(
      fmt::format("config.json: {} is {}, but models with {} are not known.", value.path(), value.spelled(), what));
}

namespace {

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

}  // namespace

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

namespace {

// The settings of rotary positions that stand in one object of config.json, such as rope_parameters.
struct RopePart {
  std::optional<double> base;
  std::optional<double> share;  // of a head's dimensions that turn
  std::optional<RopeScaling> scaling;
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

}  // namespace

Rope rope_of(const Keys& keys, Index head_dim, const RopeUse& use, std::string_view within) {
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

namespace {

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

}  // namespace

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

void set_sliding_window(TransformerShape& shape, const Keys& keys, WindowUse use) {
  constexpr Index usual_window = 4096;
  constexpr Index usual_first_layer = 28;
  const bool is_by_flag = use == WindowUse::by_flag;
  const bool has_flag = keys.flag("use_sliding_window", false);
  keys.skip({"sliding_window", "max_window_layers"});  // without effect where there is no window
  if (has_flag && use == WindowUse::refused)
    refuse_key(*keys.given("use_sliding_window"), "a sliding window in this family");
  const bool has_window = use == WindowUse::always || (is_by_flag && has_flag);
  std::optional<Index> window;
  if (has_window && !keys.has("sliding_window")) window = usual_window;
  if ((has_window || use == WindowUse::if_given) && keys.given("sliding_window")) window = keys.whole("sliding_window");
  std::vector<bool> layers = every_layer(shape, window.has_value());
  if (is_by_flag && window) {
    const std::optional<JsonValue> first = keys.given("max_window_layers");
    const Index count = first ? first->whole(0, max_rope_offset) : usual_first_layer;
    for (Index layer = 0; layer < std::min(count, std::ssize(layers)); ++layer)
      layers[static_cast<std::size_t>(layer)] = false;
  }
  set_windows(shape, keys, window, std::move(layers), is_by_flag);
}

}  // namespace attnscope
