#include "files/model_config.h"

// A family is a row of names here, and what it does with config.json in model_config.cpp.
namespace attnscope {

constexpr TensorNames gpt2_names = {.prefix = "transformer.",
                                    .layer = "h.{}.",
                                    .token_embeddings = "wte.weight",
                                    .position_embeddings = "wpe.weight",
                                    .final_norm = "ln_f",
                                    .head = "lm_head.weight",
                                    .attention_norm = "ln_1",
                                    .feed_forward_norm = "ln_2",
                                    .qkv_places = QkvPlaces::one_by_one,
                                    .qkv = "attn.c_attn",
                                    .out = "attn.c_proj",
                                    .up = "mlp.c_fc",
                                    .down = "mlp.c_proj",
                                    .is_transposed = true,
                                    .constants = {"attn.bias", "attn.masked_bias"}};

constexpr TensorNames gpt_neo_names = {.prefix = "transformer.",
                                       .layer = "h.{}.",
                                       .token_embeddings = "wte.weight",
                                       .position_embeddings = "wpe.weight",
                                       .final_norm = "ln_f",
                                       .head = "lm_head.weight",
                                       .attention_norm = "ln_1",
                                       .feed_forward_norm = "ln_2",
                                       .query = "attn.attention.q_proj",
                                       .key = "attn.attention.k_proj",
                                       .value = "attn.attention.v_proj",
                                       .out = "attn.attention.out_proj",
                                       .up = "mlp.c_fc",
                                       .down = "mlp.c_proj",
                                       .constants = {"attn.attention.bias", "attn.attention.masked_bias"}};

constexpr TensorNames gpt_neox_names = {
    .prefix = "gpt_neox.",
    .layer = "layers.{}.",
    .token_embeddings = "embed_in.weight",
    .position_embeddings = {},
    .final_norm = "final_layer_norm",
    .head = "embed_out.weight",
    .attention_norm = "input_layernorm",
    .feed_forward_norm = "post_attention_layernorm",
    .qkv_places = QkvPlaces::head_by_head,
    .qkv = "attention.query_key_value",
    .out = "attention.dense",
    .up = "mlp.dense_h_to_4h",
    .down = "mlp.dense_4h_to_h",
    .constants = {"attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"}};

constexpr TensorNames opt_names = {.prefix = "model.decoder.",
                                   .layer = "layers.{}.",
                                   .token_embeddings = "embed_tokens.weight",
                                   .position_embeddings = "embed_positions.weight",
                                   .first_position = 2,
                                   .final_norm = "final_layer_norm",
                                   .head = "lm_head.weight",
                                   .attention_norm = "self_attn_layer_norm",
                                   .feed_forward_norm = "final_layer_norm",
                                   .query = "self_attn.q_proj",
                                   .key = "self_attn.k_proj",
                                   .value = "self_attn.v_proj",
                                   .out = "self_attn.out_proj",
                                   .up = "fc1",
                                   .down = "fc2"};

constexpr TensorNames llama_names = {.prefix = "model.",
                                     .layer = "layers.{}.",
                                     .token_embeddings = "embed_tokens.weight",
                                     .position_embeddings = {},
                                     .final_norm = "norm",
                                     .head = "lm_head.weight",
                                     .attention_norm = "input_layernorm",
                                     .feed_forward_norm = "post_attention_layernorm",
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

namespace {

// Returns the names of Llama's family with the norms around attention and feed-forward part.
constexpr TensorNames with_norms_around(TensorNames names) {
  names.feed_forward_norm = "pre_feedforward_layernorm";
  names.attention_out_norm = "post_attention_layernorm";
  names.feed_forward_out_norm = "post_feedforward_layernorm";
  return names;
}

constexpr TensorNames with_shared_tensors(TensorNames names) {
  names.qkv_places = QkvPlaces::one_by_one;
  names.qkv = "self_attn.qkv_proj";
  names.query = names.key = names.value = {};
  names.up = names.gate = {};
  names.gate_and_up = "mlp.gate_up_proj";
  return names;
}

}  // namespace

constexpr TensorNames phi3_names = with_shared_tensors(llama_names);
constexpr TensorNames gemma2_names = with_norms_around(llama_names);

constexpr TensorNames phi_names = {.prefix = "model.",
                                   .layer = "layers.{}.",
                                   .token_embeddings = "embed_tokens.weight",
                                   .position_embeddings = {},
                                   .final_norm = "final_layernorm",
                                   .head = "lm_head.weight",
                                   .head_bias = {"lm_head.bias"},
                                   .attention_norm = "input_layernorm",
                                   .feed_forward_norm = "input_layernorm",
                                   .query = "self_attn.q_proj",
                                   .key = "self_attn.k_proj",
                                   .value = "self_attn.v_proj",
                                   .out = "self_attn.dense",
                                   .up = "mlp.fc1",
                                   .down = "mlp.fc2",
                                   .constants = {"self_attn.rotary_emb.inv_freq"}};

namespace {

constexpr TensorNames with_gamma(TensorNames names) {
  names.norm_scale = ".gamma";
  names.norm_shift = ".beta";
  names.older = nullptr;
  return names;
}

constexpr TensorNames new_bert_names = {.prefix = "bert.",
                                        .layer = "encoder.layer.{}.",
                                        .token_embeddings = "embeddings.word_embeddings.weight",
                                        .position_embeddings = "embeddings.position_embeddings.weight",
                                        .token_types = "embeddings.token_type_embeddings.weight",
                                        .embedding_norm = "embeddings.LayerNorm",
                                        .final_norm = {},
                                        .transform = "cls.predictions.transform.dense",
                                        .transform_norm = "cls.predictions.transform.LayerNorm",
                                        .head = "cls.predictions.decoder.weight",
                                        .head_bias = {"cls.predictions.bias", "cls.predictions.decoder.bias"},
                                        .attention_norm = "attention.output.LayerNorm",
                                        .feed_forward_norm = "output.LayerNorm",
                                        .query = "attention.self.query",
                                        .key = "attention.self.key",
                                        .value = "attention.self.value",
                                        .out = "attention.output.dense",
                                        .up = "intermediate.dense",
                                        .down = "output.dense"};
constexpr TensorNames old_bert_names = with_gamma(new_bert_names);

constexpr TensorNames with_older(TensorNames names, const TensorNames* older) {
  names.older = older;
  return names;
}

constexpr TensorNames of_roberta(TensorNames names) {
  names.prefix = "roberta.";
  names.first_position = 2;
  names.transform = "lm_head.dense";
  names.transform_norm = "lm_head.layer_norm";
  names.head = "lm_head.decoder.weight";
  names.head_bias = {"lm_head.bias", "lm_head.decoder.bias"};
  return names;
}

}  // namespace

constexpr TensorNames bert_names = with_older(new_bert_names, &old_bert_names);
constexpr TensorNames roberta_names = of_roberta(new_bert_names);

constexpr TensorNames distilbert_names = {.prefix = "distilbert.",
                                          .layer = "transformer.layer.{}.",
                                          .token_embeddings = "embeddings.word_embeddings.weight",
                                          .position_embeddings = "embeddings.position_embeddings.weight",
                                          .embedding_norm = "embeddings.LayerNorm",
                                          .final_norm = {},
                                          .transform = "vocab_transform",
                                          .transform_norm = "vocab_layer_norm",
                                          .head = "vocab_projector.weight",
                                          .head_bias = {"vocab_projector.bias"},
                                          .attention_norm = "sa_layer_norm",
                                          .feed_forward_norm = "output_layer_norm",
                                          .query = "attention.q_lin",
                                          .key = "attention.k_lin",
                                          .value = "attention.v_lin",
                                          .out = "attention.out_lin",
                                          .up = "ffn.lin1",
                                          .down = "ffn.lin2"};

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
                                    .query = "att.W_query",
                                    .key = "att.W_key",
                                    .value = "att.W_value",
                                    .out = "att.out_proj",
                                    .up = "ff.layers.0",
                                    .down = "ff.layers.2",
                                    .constants = {"att.mask"}};

}  // namespace attnscope
