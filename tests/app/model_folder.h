#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"

namespace attnscope::test {

inline bool is_model(const std::filesystem::path& path) { return kind_of_file(path).what == FileKind::What::model; }

// A model of the family of GPT-2 as files in memory; changes make it a bad one.
struct ModelFolder {
  nlohmann::json config = {{"model_type", "gpt2"}, {"vocab_size", 5}, {"n_positions", 4}, {"n_embd", 4},
                           {"n_layer", 1},         {"n_head", 2},     {"n_inner", 6}};
  std::map<std::string, std::vector<Index>> shapes = {{"wte.weight", {5, 4}},
                                                      {"wpe.weight", {4, 4}},
                                                      {"ln_f.weight", {4}},
                                                      {"ln_f.bias", {4}},
                                                      {"h.0.ln_1.weight", {4}},
                                                      {"h.0.ln_1.bias", {4}},
                                                      {"h.0.ln_2.weight", {4}},
                                                      {"h.0.ln_2.bias", {4}},
                                                      {"h.0.attn.c_attn.weight", {4, 12}},
                                                      {"h.0.attn.c_attn.bias", {12}},
                                                      {"h.0.attn.c_proj.weight", {4, 4}},
                                                      {"h.0.attn.c_proj.bias", {4}},
                                                      {"h.0.mlp.c_fc.weight", {4, 6}},
                                                      {"h.0.mlp.c_fc.bias", {6}},
                                                      {"h.0.mlp.c_proj.weight", {6, 4}},
                                                      {"h.0.mlp.c_proj.bias", {4}}};
  std::map<std::string, std::string> files = {};  // beside the two
  std::map<std::string, float> first = {};        // number of a tensor
  std::map<std::string, std::string> types = {};  // of tensors that are other than F32; their numbers are zeros

  // Each tensor counts up from its place in the alphabet, in hundredths.
  static std::string safetensors(const std::map<std::string, std::vector<Index>>& tensors,
                                 const std::map<std::string, float>& first,
                                 const std::map<std::string, std::string>& types = {}) {
    nlohmann::json header = nlohmann::json::object();
    std::string numbers;
    float start = 0;
    for (const auto& [name, shape] : tensors) {
      const std::size_t begin = numbers.size();
      if (types.contains(name)) {
        const std::string& type = types.at(name);
        const Index bytes = type.ends_with("64") ? 8 : type.ends_with("16") ? 2 : 1;
        numbers.append(static_cast<std::size_t>(bytes * element_count(shape)), '\0');
        header[name] = {{"dtype", type}, {"shape", shape}, {"data_offsets", {begin, numbers.size()}}};
        continue;
      }
      for (Index i = 0; i < element_count(shape); ++i) {
        const float number = i == 0 && first.contains(name) ? first.at(name) : start + 0.01F * static_cast<float>(i);
        numbers.append(reinterpret_cast<const char*>(&number), sizeof number);
      }
      start += 0.1F;
      header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, numbers.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + numbers;
  }

  std::shared_ptr<const TrainedModel> parse() const {
    std::map<std::string, std::string> all = files;
    all.emplace("config.json", config.dump());
    all.emplace("model.safetensors", safetensors(shapes, first, types));
    return parse_model(
        [&](const std::string& name) {
          if (!all.contains(name)) return Bytes();
          const auto owner = std::make_shared<const std::string>(all.at(name));
          return Bytes(*owner, owner);
        },
        "");
  }
  std::string refusal() const {
    try {
      parse();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }
};

// A layer of each kind of names, as the files of these families have them.
inline ModelFolder qwen3_folder() {
  ModelFolder folder;
  folder.config = {{"model_type", "qwen3"},    {"vocab_size", 5},        {"max_position_embeddings", 16},
                   {"hidden_size", 4},         {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                   {"num_key_value_heads", 1}, {"head_dim", 3},          {"intermediate_size", 6}};
  folder.shapes = {{"lm_head.weight", {5, 4}}, {"model.embed_tokens.weight", {5, 4}}, {"model.norm.weight", {4}}};
  const std::map<std::string, std::vector<Index>> layer = {
      {"input_layernorm", {4}},     {"post_attention_layernorm", {4}}, {"self_attn.q_proj", {6, 4}},
      {"self_attn.k_proj", {3, 4}}, {"self_attn.v_proj", {3, 4}},      {"self_attn.o_proj", {4, 6}},
      {"self_attn.q_norm", {3}},    {"self_attn.k_norm", {3}},         {"mlp.up_proj", {6, 4}},
      {"mlp.gate_proj", {6, 4}},    {"mlp.down_proj", {4, 6}}};
  for (const auto& [name, shape] : layer) folder.shapes["model.layers.0." + name + ".weight"] = shape;
  return folder;
}

inline ModelFolder book_folder() {
  ModelFolder folder;
  folder.config = {{"vocab_size", 5}, {"context_length", 4}, {"emb_dim", 2}, {"n_heads", 2}, {"n_layers", 1}};
  folder.shapes = {{"tok_emb.weight", {5, 2}},
                   {"pos_emb.weight", {4, 2}},
                   {"out_head.weight", {5, 2}},
                   {"final_norm.scale", {2}},
                   {"final_norm.shift", {2}}};
  const std::map<std::string, std::vector<Index>> layer = {
      {"att.W_query.weight", {2, 2}}, {"att.W_key.weight", {2, 2}},
      {"att.W_value.weight", {2, 2}}, {"att.out_proj.weight", {2, 2}},
      {"att.out_proj.bias", {2}},     {"att.mask", {4, 4}},
      {"ff.layers.0.weight", {8, 2}}, {"ff.layers.0.bias", {8}},
      {"ff.layers.2.weight", {2, 8}}, {"ff.layers.2.bias", {2}},
      {"norm1.scale", {2}},           {"norm1.shift", {2}},
      {"norm2.scale", {2}},           {"norm2.shift", {2}}};
  for (const auto& [name, shape] : layer) folder.shapes["trf_blocks.0." + name] = shape;
  return folder;
}

// A model of BERT's family, of one layer with two heads.
inline ModelFolder bert_folder() {
  ModelFolder folder;
  folder.config = {{"model_type", "bert"},   {"vocab_size", 6},        {"max_position_embeddings", 4},
                   {"hidden_size", 4},       {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                   {"intermediate_size", 6}, {"type_vocab_size", 2}};
  folder.shapes = {{"bert.embeddings.word_embeddings.weight", {6, 4}},
                   {"bert.embeddings.position_embeddings.weight", {4, 4}},
                   {"bert.embeddings.token_type_embeddings.weight", {2, 4}},
                   {"bert.embeddings.position_ids", {1, 4}},
                   {"bert.pooler.dense.weight", {4, 4}},
                   {"cls.seq_relationship.weight", {2, 4}},
                   {"cls.predictions.bias", {6}},
                   {"cls.predictions.transform.dense.weight", {4, 4}},
                   {"cls.predictions.transform.dense.bias", {4}}};
  const std::string layer = "bert.encoder.layer.0.";
  for (const std::string& norm : {std::string("bert.embeddings.LayerNorm"), layer + "attention.output.LayerNorm",
                                  layer + "output.LayerNorm", std::string("cls.predictions.transform.LayerNorm")}) {
    folder.shapes[norm + ".gamma"] = folder.shapes[norm + ".beta"] = {4};
  }
  for (const std::string part :
       {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"}) {
    folder.shapes[layer + part + ".weight"] = {4, 4};
    folder.shapes[layer + part + ".bias"] = {4};
  }
  folder.shapes[layer + "intermediate.dense.weight"] = {6, 4};
  folder.shapes[layer + "intermediate.dense.bias"] = {6};
  folder.shapes[layer + "output.dense.weight"] = {4, 6};
  folder.shapes[layer + "output.dense.bias"] = {4};
  folder.files["vocab.txt"] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n";
  return folder;
}

}  // namespace attnscope::test
