// Folders of trained models that are refused, each in one sentence.

#include "files/checkpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/model/transformer.h"
#include "document/json.h"
#include "model_folder.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Json = nlohmann::json;

TEST(Checkpoint, RefusesOnlyTextsWithTokensThatTheModelDoesNotKnow) {
  ModelFolder folder;
  const auto put = [&](const std::string& vocabulary) {
    folder.files["tokenizer.json"] = R"({"model": {"type": "WordLevel", "vocab": )" + vocabulary + "}}";
  };
  put(R"({"a": 0, "b": 1, "c": 2, "d": 3, "e": 4})");
  EXPECT_EQ(folder.parse()->shown(4), "e");
  put(R"({"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5})");
  EXPECT_EQ(folder.parse()->encode("a"), std::vector<Index>{0});
  EXPECT_EQ(
      std::string(error_of([&] { folder.parse()->encode("f"); }).what()),
      "The text has the token \"f\", whose number is 5, but the model knows the tokens from 0 to 4 only: leave it "
      "out.");
  put(R"({"a": 0, "e": 4})");
  EXPECT_EQ(folder.parse()->shown(2), "#2") << "no token has this number";
  folder = {};
  folder.files["vocab.json"] = R"({"a": 0, "b": 1, "ab": 2})";
  EXPECT_FALSE(folder.parse()->encode) << "merges.txt is missing";
  folder.files["merges.txt"] = "a b\n";
  EXPECT_EQ(folder.parse()->encode("ab"), std::vector<Index>{2});
  folder = {};
  folder.files["model.safetensors.index.json"] = R"({"weight_map": {"wte.weight": "b.safetensors"}})";
  EXPECT_EQ(folder.refusal(), "The weights are missing: there is no b.safetensors beside config.json.");
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const auto refusal = [](const std::function<void(ModelFolder&)>& damage) {
    ModelFolder folder;
    damage(folder);
    return folder.refusal();
  };
  EXPECT_EQ(
      refusal([](ModelFolder& f) { f.config["model_type"] = "rwkv"; }),
      "config.json: the family of models \"rwkv\" is not known; known are gpt2, gpt_neo, gpt_neox, opt, llama, "
      "mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, phi, phi3, bert, roberta and distilbert, and the book's "
      "GPTModel with vocab_size, context_length, emb_dim, n_heads and n_layers.");
  for (const auto& [key, value] : {std::pair("model_type", Json("t5")), {"is_encoder_decoder", Json(true)}}) {
    const std::string sentence = refusal([&](ModelFolder& f) {
      f.config["model_type"] = "other";
      f.config[key] = value;
    });
    EXPECT_TRUE(says(sentence, {"is a family of models with an encoder and a decoder, which are not known"}))
        << sentence;
  }
  EXPECT_TRUE(
      refusal([](ModelFolder& f) {
        f.config.erase("model_type");
      }).starts_with("config.json: it has no \"model_type\", which names the family of models; known are gpt2, "));
  EXPECT_EQ(refusal([](ModelFolder& f) { f.shapes.erase("h.0.ln_2.bias"); }),
            "The checkpoint has no tensor \"h.0.ln_2.bias\".");
  EXPECT_EQ(refusal([](ModelFolder& f) {
              f.shapes["wpe.weight"] = {4, 5};
            }),
            "The tensor \"wpe.weight\" has the shape (4, 5), but config.json asks for (4, 4).");
  EXPECT_EQ(refusal([](ModelFolder& f) { f.first["h.0.mlp.c_fc.weight"] = std::numeric_limits<float>::infinity(); }),
            "The number [0, 0] of the tensor \"h.0.mlp.c_fc.weight\" is infinite, so nothing can be computed with it.");
  EXPECT_EQ(refusal([](ModelFolder& f) { f.first["ln_f.bias"] = std::numeric_limits<float>::quiet_NaN(); }),
            "The number [0] of the tensor \"ln_f.bias\" is NaN, so nothing can be computed with it.");
  EXPECT_EQ(refusal([](ModelFolder& f) { f.config["n_head"] = 3; }),
            "config.json: 3 heads cannot share 4 features evenly.");
  EXPECT_NE(refusal([](ModelFolder& f) { f.config["n_embd"] = 1'000'000; }).find("from 1 to 12288"), std::string::npos);
  EXPECT_NE(refusal([](ModelFolder& f) { f.config["n_layer"] = 5000; }).find("from 1 to 256"), std::string::npos);
  EXPECT_NE(refusal([](ModelFolder& f) { f.config.erase("vocab_size"); }), "");
  EXPECT_NE(refusal([](ModelFolder& f) { f.config["activation_function"] = "tanh"; }).find("known ones are"),
            std::string::npos);
  EXPECT_NE(refusal([](ModelFolder& f) { f.files["config.json"] = "[]"; }), "");
  EXPECT_NE(refusal([](ModelFolder& f) { f.files["config.json"] = "{"; }), "");
  EXPECT_NE(refusal([](ModelFolder& f) { f.files["model.safetensors"] = "short"; }), "");
  EXPECT_NE(refusal([](ModelFolder& f) { f.files["tokenizer.json"] = "{}"; }), "");
  EXPECT_NE(refusal([](ModelFolder& f) {
              f.files["model.safetensors.index.json"] = R"({"weight_map": {"a": "../../etc/passwd"}})";
            }).find("the name of a .safetensors beside it"),
            std::string::npos);
}

// Large tensors are read in pieces of so many rows.
TEST(Checkpoint, NamesTheRowOfABadNumberInALaterPiece) {
  constexpr Index tokens = (Index{1} << 18) + 10;  // of four numbers each
  ModelFolder folder;
  folder.config["vocab_size"] = tokens;
  folder.shapes["wte.weight"] = {tokens, 4};
  std::string file = ModelFolder::safetensors(folder.shapes, {});
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(file.data() + file.size() - sizeof bad, &bad, sizeof bad);  // that of the alphabet's last tensor
  folder.files["model.safetensors"] = file;
  EXPECT_TRUE(says(folder.refusal(), {"[262153, 3]", "wte.weight", "NaN"})) << folder.refusal();
}

// Numbers that only scales make weights of, and tensors that the family's formula has no place for.
TEST(Checkpoint, WhatWouldMakeItsNumbersWrongIsRefused) {
  for (const auto& [type, name] : std::map<std::string, std::string>{
           {"I8", "int8"}, {"U8", "uint8"}, {"I16", "int16"}, {"I64", "int64"}, {"BOOL", "bool"}}) {
    ModelFolder folder;
    folder.types["h.0.mlp.c_fc.weight"] = type;
    EXPECT_EQ(folder.refusal(), "The tensor \"h.0.mlp.c_fc.weight\" is " + name +
                                    ": its numbers are weights only together with scales, which are not read. Open the "
                                    "model as it was before it was quantized.");
  }
  ModelFolder half;
  half.types = {{"h.0.mlp.c_fc.weight", "F16"}, {"wte.weight", "F64"}};
  EXPECT_NO_THROW(half.parse());
  const auto extra = [](ModelFolder folder, const std::string& name, std::vector<Index> shape) {
    folder.shapes[name] = std::move(shape);
    return folder.refusal();
  };
  EXPECT_TRUE(
      says(extra(ModelFolder(), "h.0.attn.c_attn.weight_scale", {4}), {"quantized with scales", "weight_scale"}));
  for (const char* name : {"h.0.attn.q_norm.weight", "h.1.ln_1.weight", "h.x", "ln_f.y", "wte.lora_A.weight"}) {
    EXPECT_EQ(extra(ModelFolder(), name, {4}),
              "The checkpoint has the tensor \"" + std::string(name) +
                  "\", but the model that config.json describes has none of this name: "
                  "computed without it, the numbers would be wrong.");
  }
  EXPECT_TRUE(says(extra(qwen3_folder(), "lm_head.bias", {5}), {"\"lm_head.bias\""}));
  EXPECT_TRUE(says(extra(qwen3_folder(), "model.norm.bias", {4}), {"\"model.norm.bias\""}));
  EXPECT_TRUE(says(extra(qwen3_folder(), "model.layers.0.self_attn.k_proj.bias", {3}), {"k_proj.bias"}))
      << "the queries have none";
  EXPECT_EQ(extra(qwen3_folder(), "model.layers.0.self_attn.q_proj.bias", {6}),
            "The checkpoint has no tensor \"model.layers.0.self_attn.k_proj.bias\".");
  ModelFolder tied = qwen3_folder();
  tied.config["tie_word_embeddings"] = true;
  EXPECT_TRUE(tied.parse()->weights->is_tied()) << "lm_head.weight is the table of embeddings once more";
  EXPECT_TRUE(says(extra(tied, "lm_head.bias", {5}), {"\"lm_head.bias\""}));
  ModelFolder headless = book_folder();
  headless.shapes.erase("out_head.weight");
  EXPECT_EQ(headless.refusal(), "The checkpoint has no tensor \"out_head.weight\".");
}

// Files may announce more numbers than they have blocks on the disk for.
TEST(Checkpoint, OfMoreWeightsThanThereIsMemoryForIsRefusedBeforeTheyAreRead) {
  const TemporaryFolder folder;
  ModelFolder model = qwen3_folder();
  model.config.update({{"hidden_size", 12288},
                       {"num_hidden_layers", 256},
                       {"num_attention_heads", 96},
                       {"num_key_value_heads", 96},
                       {"head_dim", 128},
                       {"intermediate_size", 65536}});
  const std::vector<Index> square = {12288, 12288};
  std::map<std::string, std::vector<Index>> layer = {{"input_layernorm", {12288}},
                                                     {"post_attention_layernorm", {12288}},
                                                     {"self_attn.q_norm", {128}},
                                                     {"self_attn.k_norm", {128}},
                                                     {"mlp.down_proj", {12288, 65536}}};
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) layer[std::string("self_attn.") + name] = square;
  for (const char* name : {"mlp.up_proj", "mlp.gate_proj"}) layer[name] = {65536, 12288};
  Json header = Json::object();
  std::uint64_t end = 0;
  const auto add = [&](const std::string& name, const std::vector<Index>& shape) {
    const std::uint64_t begin = std::exchange(end, end + 2 * static_cast<std::uint64_t>(element_count(shape)));
    header[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {begin, end}}};
  };
  for (int i = 0; i < 256; ++i) {
    for (const auto& [name, shape] : layer) add("model.layers." + std::to_string(i) + "." + name + ".weight", shape);
  }
  add("model.embed_tokens.weight", {5, 12288});
  add("model.norm.weight", {12288});
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  put_text(folder / "config.json", model.config.dump());
  put_text(folder / "model.safetensors", std::string(reinterpret_cast<const char*>(&length), sizeof length) + text);
  std::error_code failure;
  std::filesystem::resize_file(folder / "model.safetensors", sizeof length + length + end, failure);
  if (failure) GTEST_SKIP() << "no file can be so large here: " << failure.message();
  const Error error = error_of([&] { open_model(folder.path().string()); });
  EXPECT_TRUE(says(error.what(), {"This model needs 2880.0 GB of memory (3,092,376,698,880 bytes), but only ",
                                  " are free: close other programs, or take a smaller model."}))
      << error.what();
}

// A configuration that asks for much is refused before memory is taken: the tensors are not there.
TEST(Checkpoint, ChecksSizesBeforeItTakesMemory) {
  ModelFolder folder;
  folder.config["vocab_size"] = 1'000'000;
  folder.config["n_embd"] = 12288;
  EXPECT_EQ(folder.refusal(),
            "The tensor \"wte.weight\" has the shape (5, 4), but config.json asks for (1000000, 12288).");
  folder = {};
  folder.config["n_inner"] = 65536;
  EXPECT_NE(folder.refusal().find("asks for (4, 65536)"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
