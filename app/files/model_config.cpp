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

// The keys of config.json that say a family's sizes. A key is empty where the family has none.
struct SizeKeys {
  std::string_view context = "max_position_embeddings";
  std::string_view older_context = {};  // where the file has no such key
  std::string_view features = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view key_value_heads = {};
  std::string_view head_dim = {};
  std::string_view hidden = "intermediate_size";
  bool has_usual_hidden = false;  // four times the features, where the file says nothing
  std::string_view epsilon = "layer_norm_epsilon";
  double usual_epsilon = 1e-5;
};

constexpr SizeKeys llama_sizes = {
    .key_value_heads = "num_key_value_heads", .head_dim = "head_dim", .epsilon = "rms_norm_eps", .usual_epsilon = 1e-6};

constexpr SizeKeys with_epsilon(SizeKeys keys, std::string_view key, double usual) {
  keys.epsilon = key;
  keys.usual_epsilon = usual;
  return keys;
}

// A family of models: the keys of its config.json and what a missing one means. `read` reads what only this family has.
struct Family {
  std::string_view name;
  const TensorNames* names;
  SizeKeys sizes = llama_sizes;
  std::string_view activation_key = "hidden_act";
  const char* activation = "gelu";  // where the file says none
  bool is_tied = false;             // likewise
  std::array<std::string_view, 2> told_by_tensors = {"attention_bias", "mlp_bias"};
  RopeUse rope = {};
  bool has_qk_norm = false;
  WindowUse window = WindowUse::refused;
  void (*read)(ModelConfig& config, const Keys& keys, const Family& family) = nullptr;
};

// Reads what every family has.
ModelConfig common_config(const Keys& keys, const Family& family) {
  const SizeKeys& sizes = family.sizes;
  ModelConfig config;
  config.names = family.names;
  TransformerShape& shape = config.shape;
  shape.vocabulary = keys.whole("vocab_size");
  const bool has_older = !sizes.older_context.empty() && !keys.given(sizes.context);
  shape.context_length = keys.whole(has_older ? sizes.older_context : sizes.context);
  shape.features = keys.whole(sizes.features);
  shape.layers = keys.whole(sizes.layers);
  shape.heads = shape.key_value_heads = keys.whole(sizes.heads);
  if (!sizes.key_value_heads.empty()) shape.key_value_heads = keys.whole(sizes.key_value_heads, shape.heads);
  const Index usual_head_dim = std::max<Index>(shape.features / shape.heads, 1);
  if (!sizes.head_dim.empty()) shape.head_dim = keys.whole(sizes.head_dim, usual_head_dim);
  shape.hidden = 4 * shape.features;
  if (!sizes.hidden.empty())
    shape.hidden = sizes.has_usual_hidden ? keys.whole(sizes.hidden, shape.hidden) : keys.whole(sizes.hidden);
  shape.epsilon = sizes.epsilon.empty() ? sizes.usual_epsilon : keys.number(sizes.epsilon, sizes.usual_epsilon);
  if (!family.activation_key.empty())
    shape.activation = activation_named(keys.text(family.activation_key, family.activation));
  if (!family.name.empty()) config.is_tied = keys.flag("tie_word_embeddings", family.is_tied);
  for (const std::string_view key : {sizes.older_context, family.told_by_tensors[0], family.told_by_tensors[1]})
    keys.skip({key});
  return config;
}

void read_gpt2(ModelConfig&, const Keys& keys, const Family&) {
  if (!keys.flag("scale_attn_weights", true) || keys.flag("scale_attn_by_inverse_layer_idx", false))
    throw Error("config.json: scores that are scaled in another way than by the width of a head are not known.");
}

void check_qk_norm(const TransformerShape& shape) {
  if (shape.epsilon == qk_norm_epsilon) return;
  throw Error(fmt::format("config.json: rms_norm_eps is {}, but queries and keys can be normalized with {} alone.",
                          shape.epsilon, qk_norm_epsilon));
}

void read_llama(ModelConfig& config, const Keys& keys, const Family& family) {
  TransformerShape& shape = config.shape;
  shape.norm = NormKind::rms;
  shape.is_gated = true;
  shape.has_qk_norm = family.has_qk_norm;
  if (shape.has_qk_norm) check_qk_norm(shape);
  shape.rope = rope_of(keys, shape.head_dim, family.rope);
  set_sliding_window(shape, keys, family.window);
}

void read_phi3(ModelConfig& config, const Keys& keys, const Family& family) {
  keys.skip({"original_max_position_embeddings"});  // only of a scaling that is not known
  read_llama(config, keys, family);
}

// The norms of these families multiply by 1 + scale, and the embeddings are multiplied by the root of their width.
void read_gemma(ModelConfig& config, const Keys& keys, const Family& family) {
  constexpr Index usual_head_dim = 256;
  constexpr Index usual_window = 4096;
  constexpr Index usual_pattern = 6;
  TransformerShape& shape = config.shape;
  const bool is_first = family.name == "gemma";
  const bool is_third = family.has_qk_norm;
  shape.head_dim = keys.whole("head_dim", usual_head_dim);
  shape.norm = NormKind::rms;
  shape.adds_one_to_scales = true;
  shape.embedding_scale = std::sqrt(static_cast<double>(shape.features));
  keys.skip({"hidden_act", "sliding_window_size"});  // hidden_activation and sliding_window count
  shape.is_gated = true;
  shape.rope = rope_of(keys, shape.head_dim, family.rope, is_third ? "full_attention" : "");
  if (is_first) return;
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
  if (!is_third) return;
  shape.has_qk_norm = true;
  check_qk_norm(shape);
  const std::optional<JsonValue> parameters = keys.given("rope_parameters");
  const bool has_both = parameters && parameters->is_object() && parameters->has("sliding_attention");
  shape.windowed_rope = has_both ? rope_of(keys, shape.head_dim, {}, "sliding_attention")
                                 : Rope{.base = keys.number("rope_local_base_freq", 1e4)};
  keys.skip({"rope_local_base_freq"});
}

void read_phi(ModelConfig& config, const Keys& keys, const Family& family) {
  config.shape.order = LayerOrder::side_by_side;
  config.shape.rope = rope_of(keys, config.shape.head_dim, family.rope);
}

void read_gpt_neox(ModelConfig& config, const Keys& keys, const Family& family) {
  read_phi(config, keys, family);
  if (!keys.flag("use_parallel_residual", true)) config.shape.order = LayerOrder::norm_first;
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

void read_gpt_neo(ModelConfig& config, const Keys& keys, const Family&) {
  constexpr Index usual_window = 256;
  TransformerShape& shape = config.shape;
  shape.layers = std::min(shape.layers, max_layers + 1);  // it is checked later
  shape.score_scale = 1;
  const Index window = keys.whole("window_size", usual_window);
  keys.skip({"attention_layers"});
  set_windows(shape, keys, window, local_layers(keys, shape), false);
}

void read_opt(ModelConfig& config, const Keys& keys, const Family&) {
  if (!keys.flag("do_layer_norm_before", true))
    refuse_key(*keys.given("do_layer_norm_before"), "norms behind attention in this family");
  if (keys.whole("word_embed_proj_dim", config.shape.features) != config.shape.features)
    refuse_key(*keys.given("word_embed_proj_dim"), "embeddings of another width than the residual stream");
  if (!keys.flag("layer_norm_elementwise_affine", true))
    refuse_key(*keys.given("layer_norm_elementwise_affine"), "norms without scales");
  if (keys.flag("_remove_final_layer_norm", false))
    refuse_key(*keys.given("_remove_final_layer_norm"), "a residual stream that ends without a norm");
}

// What BERT, RoBERTa and DistilBERT have in common.
void read_encoder(ModelConfig& config, const Keys& keys, const Family&) {
  TransformerShape& shape = config.shape;
  shape.order = LayerOrder::norm_last;
  shape.sees_later_tokens = true;
  shape.has_embedding_norm = true;
  shape.has_last_transform = true;
  if (const std::optional<JsonValue> decoder = keys.given("is_decoder"); decoder && decoder->flag())
    refuse_key(*decoder, "a mask that hides later tokens in this family");
  if (keys.text("position_embedding_type", "absolute") != "absolute")
    refuse_key(*keys.given("position_embedding_type"), "positions that are not added to the embeddings in this family");
}

void read_bert(ModelConfig& config, const Keys& keys, const Family& family) {
  read_encoder(config, keys, family);
  config.shape.has_token_types = true;
  config.token_types = keys.whole("type_vocab_size", 2);
}

void read_roberta(ModelConfig& config, const Keys& keys, const Family& family) {
  read_bert(config, keys, family);
  // Positions count from the one behind that of padding.
  if (keys.given("pad_token_id") && keys.given("pad_token_id")->whole() != roberta_names.first_position - 1)
    refuse_key(*keys.given("pad_token_id"), "another padding token than 1 in this family");
  config.shape.context_length -= roberta_names.first_position;
  if (config.shape.activation != Activation::gelu)
    refuse_key(*keys.given("hidden_act"), "another activation than gelu in this family");
}

void read_book(ModelConfig& config, const Keys&, const Family&) { config.needs_head = true; }

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

constexpr SizeKeys gpt2_sizes = {.context = "n_positions",
                                 .older_context = "n_ctx",
                                 .features = "n_embd",
                                 .layers = "n_layer",
                                 .heads = "n_head",
                                 .hidden = "n_inner",
                                 .has_usual_hidden = true};
constexpr SizeKeys gpt_neo_sizes = {.layers = "num_layers", .heads = "num_heads", .has_usual_hidden = true};
constexpr SizeKeys opt_sizes = {.hidden = "ffn_dim", .epsilon = {}};
constexpr SizeKeys distilbert_sizes = {.features = "dim",
                                       .layers = "n_layers",
                                       .heads = "n_heads",
                                       .hidden = "hidden_dim",
                                       .epsilon = {},
                                       .usual_epsilon = 1e-12};
constexpr SizeKeys book_sizes = {.context = "context_length",
                                 .features = "emb_dim",
                                 .layers = "n_layers",
                                 .heads = "n_heads",
                                 .hidden = {},
                                 .epsilon = {}};

// Returns a family that is read as Llama is.
constexpr Family like_llama(std::string_view name, WindowUse window, bool has_qk_norm = false) {
  return {.name = name,
          .names = &llama_names,
          .activation = "silu",
          .has_qk_norm = has_qk_norm,
          .window = window,
          .read = read_llama};
}

constexpr Family like_gemma(std::string_view name, const TensorNames& names, double rope_base = 1e4,
                            bool has_qk_norm = false) {
  return {.name = name,
          .names = &names,
          .activation_key = "hidden_activation",
          .activation = "gelu_pytorch_tanh",
          .is_tied = true,
          .rope = {.base = rope_base},
          .has_qk_norm = has_qk_norm,
          .read = read_gemma};
}

constexpr Family like_bert(std::string_view name, const TensorNames& names,
                           void (*read)(ModelConfig&, const Keys&, const Family&)) {
  return {.name = name,
          .names = &names,
          .sizes = with_epsilon(llama_sizes, "layer_norm_eps", 1e-12),
          .is_tied = true,
          .read = read};
}

constexpr Family families[] = {
    {.name = "gpt2",
     .names = &gpt2_names,
     .sizes = gpt2_sizes,
     .activation_key = "activation_function",
     .activation = "gelu_new",
     .is_tied = true,
     .told_by_tensors = {},
     .read = read_gpt2},
    {.name = "gpt_neo",
     .names = &gpt_neo_names,
     .sizes = gpt_neo_sizes,
     .activation_key = "activation_function",
     .activation = "gelu_new",
     .is_tied = true,
     .told_by_tensors = {},
     .read = read_gpt_neo},
    {.name = "gpt_neox",
     .names = &gpt_neox_names,
     .sizes = with_epsilon(llama_sizes, "layer_norm_eps", 1e-5),
     .rope = {.share = 0.25},
     .read = read_gpt_neox},
    {.name = "opt",
     .names = &opt_names,
     .sizes = opt_sizes,
     .activation_key = "activation_function",
     .activation = "relu",
     .is_tied = true,
     .told_by_tensors = {"enable_bias"},
     .read = read_opt},
    like_llama("llama", WindowUse::refused),
    like_llama("mistral", WindowUse::always),
    like_llama("qwen2", WindowUse::by_flag),
    like_llama("qwen3", WindowUse::by_flag, true),
    like_gemma("gemma", llama_names),
    like_gemma("gemma2", gemma2_names),
    like_gemma("gemma3_text", gemma2_names, 1e6, true),
    {.name = "phi",
     .names = &phi_names,
     .sizes = with_epsilon(llama_sizes, "layer_norm_eps", 1e-5),
     .activation = "gelu_new",
     .rope = {.share = 0.5},
     .read = read_phi},
    {.name = "phi3",
     .names = &phi3_names,
     .sizes = with_epsilon(llama_sizes, "rms_norm_eps", 1e-5),
     .activation = "silu",
     .rope = {.share = 1.0},
     .window = WindowUse::if_given,
     .read = read_phi3},
    like_bert("bert", bert_names, read_bert),
    like_bert("roberta", roberta_names, read_roberta),
    {.name = "distilbert",
     .names = &distilbert_names,
     .sizes = distilbert_sizes,
     .activation_key = "activation",
     .is_tied = true,
     .told_by_tensors = {"sinusoidal_pos_embds", "tie_weights_"},  // the checkpoint has their table
     .read = read_encoder}};

// The book's GPTModel, whose file names no family.
constexpr Family book = {.name = {},
                         .names = &book_names,
                         .sizes = book_sizes,
                         .activation_key = {},
                         .told_by_tensors = {"qkv_bias"},
                         .read = read_book};

// Families whose second half reads what the first has made of another text.
constexpr std::string_view encoder_decoders[] = {
    "t5",     "mt5",           "umt5",    "longt5",          "switch_transformers", "bart",
    "mbart",  "pegasus",       "marian",  "m2m_100",         "blenderbot",          "blenderbot-small",
    "led",    "prophetnet",    "whisper", "bigbird_pegasus", "encoder-decoder",     "fsmt",
    "plbart", "speech_to_text"};

ModelConfig config_of_family(const Keys& keys) {
  const std::string name = keys.text("model_type", "");
  const Family* const found = std::ranges::find(families, name, &Family::name);
  const bool is_known = found != std::end(families);
  if (is_known || (name.empty() && keys.given("emb_dim"))) {
    const Family& family = is_known ? *found : book;
    ModelConfig config = common_config(keys, family);
    family.read(config, keys, family);
    return config;
  }
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
