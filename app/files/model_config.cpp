#include "files/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

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
  config.names = is_first ? &llama_names : &gemma2_names;
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
