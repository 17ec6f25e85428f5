// Folders of trained models: what is read. run_models.py compares the numbers of
// every family with PyTorch.

#include "files/checkpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/model/transformer.h"
#include "document/json.h"
#include "files/array_files.h"
#include "files/code.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "files/model_config.h"
#include "files/result_file.h"
#include "model_folder.h"
#include "pictures.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Json = nlohmann::json;

TEST(Checkpoint, PutsEveryTensorInItsPlace) {
  const std::shared_ptr<const TrainedModel> model = ModelFolder().parse();
  const Transformer& weights = *model->weights;
  EXPECT_EQ(weights.shape.head_dim, 2);
  EXPECT_TRUE(weights.shape.has_qkv_bias);
  EXPECT_TRUE(weights.is_tied());
  const auto tensor = [&](const char* name) { return find(*weights.layers[0].attention, name); };
  // c_attn is (in, out): column 4 + j of row i is W_key[j, i].
  const float first = find(*weights.layers[0].attention, "W_query.weight")->matrix()(0, 0);
  EXPECT_FLOAT_EQ(tensor("W_key.weight")->matrix()(1, 3), first + 0.01F * (3 * 12 + 4 + 1));
  EXPECT_FLOAT_EQ(tensor("W_value.weight")->matrix()(0, 2), first + 0.01F * (2 * 12 + 8));
  EXPECT_EQ(weights.place_of(0, "W_key.weight", 1, 3), "h.0.attn.c_attn.weight[3, 5]");
  EXPECT_EQ(weights.place_of(0, "W_value.bias", 0, 2), "h.0.attn.c_attn.bias[10]");
  EXPECT_EQ(weights.place_of(0, "out_proj.weight", 1, 2), "h.0.attn.c_proj.weight[2, 1]");
  EXPECT_FLOAT_EQ(weights.layers[0].up.weight(5, 2) - weights.layers[0].up.weight(0, 0), 0.01F * (2 * 6 + 5));
  EXPECT_FALSE(model->encode) << "there is no tokenizer";
}

TEST(Checkpoint, ReadsPartsAndATokenizer) {
  ModelFolder folder;
  folder.files["model.safetensors.index.json"] =
      R"({"metadata": {}, "weight_map": {"wte.weight": "a.safetensors", "wpe.weight": "b.safetensors"}})";
  std::map<std::string, std::vector<Index>> others = folder.shapes;
  const std::map<std::string, std::vector<Index>> one = {*others.find("wte.weight")};
  others.erase("wte.weight");
  folder.files["a.safetensors"] = ModelFolder::safetensors(one, {});
  folder.files["b.safetensors"] = ModelFolder::safetensors(others, {});
  folder.files["tokenizer.json"] =
      R"({"version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
          "post_processor": null, "decoder": null,
          "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"}})";
  const std::shared_ptr<const TrainedModel> model = folder.parse();
  EXPECT_EQ(model->encode("b a c"), (std::vector<Index>{2, 1, 0}));
  EXPECT_EQ(model->shown(2), "b");
  EXPECT_EQ(model->shown(4), "#4") << "the model knows more tokens than the tokenizer";
  EXPECT_EQ(model->text_of({2, 1}), "b a");
}

TEST(Checkpoint, HasTheHashThatSha256sumPrints) {
  ModelFolder folder;
  const std::string bytes = ModelFolder::safetensors(folder.shapes, {});
  EXPECT_EQ(folder.parse()->checkpoint.sha256({}) + "  ", output_of("sha256sum {}", bytes).substr(0, 66));
  folder.files["model.safetensors.index.json"] =
      R"({"weight_map": {"a": "b.safetensors", "b": "a.safetensors", "c": "b.safetensors"}})";
  folder.files["a.safetensors"] = ModelFolder::safetensors({{"unused", {1'000'000}}}, {});  // longer than a piece
  folder.files["b.safetensors"] = bytes;
  EXPECT_EQ(folder.parse()->checkpoint.sha256({}),
            output_of("sha256sum {}", folder.files["a.safetensors"] + bytes).substr(0, 64));
}

TEST(Checkpoint, IsNamedByItsHashInDocumentsAndPictures) {
  const TemporaryFolder folder;
  ModelFolder model;
  put_text(folder / "config.json", model.config.dump());
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, {}));
  put_text(folder / "a.json", R"({"model": ".", "token_ids": [1, 2], "layer": 0})");
  std::string hash;
  {
    const Document document = load_document(folder / "a.json");
    hash = document.model->checkpoint.sha256({});
    save_document(document, folder / "b.json");
    put_text(folder / "c.png", with_document(plain_picture(PictureKind::png), PictureKind::png, document));
    EXPECT_EQ(Json::parse(text_of(folder / "b.json")).at("model_sha256"), hash);
    EXPECT_EQ(load_document(folder / "b.json"), document);
    EXPECT_EQ(load_document(folder / "c.png"), document);
  }
  model.first["wte.weight"] = 3;
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, model.first));
  const std::string own = load_document(folder / "a.json").model->checkpoint.sha256({});
  EXPECT_NE(own, hash);
  for (const std::string name : {"b.json", "c.png"}) {
    const Error error = error_of([&] { load_document(folder / name); });
    EXPECT_TRUE(says(error.what(), {(folder / name).string(), own.substr(0, 12), hash.substr(0, 12)})) << error.what();
    EXPECT_EQ(error.field, "model_sha256");
  }
}

// run_models.py runs the code.
TEST(Checkpoint, IsLoadedByItsCode) {
  const TemporaryFolder folder;
  const ModelFolder model;
  put_text(folder / "config.json", model.config.dump());
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, {}));
  put_text(folder / "a.json", R"({"model": ".", "token_ids": [1, 2], "layer": 0})");
  const std::string code = code_of(load_document(folder / "a.json"), CodeLanguage::pytorch);
  for (const std::string& line : {"checkpoint = load_file(\"" + (folder / "model.safetensors").string() + "\")\n",
                                  std::string("tokens = torch.tensor([1, 2])\n"), std::string("name = \"h.0.\"\n")}) {
    EXPECT_NE(code.find(line), std::string::npos) << line << code;
  }
  const std::string data =
      code_of(parse_document(R"({"model": "example:stories", "text": "Mia", "layer": 1})"), CodeLanguage::pytorch);
  EXPECT_TRUE(
      data.starts_with("# The layer's inputs and weights are data, because the model comes with attnscope and "
                       "has no file of its own.\n"))
      << data.substr(0, 200);
  EXPECT_EQ(data.find("load_file"), std::string::npos);
}

TEST(Checkpoint, IsNotLoadedByCodeOfALayerAboveOneThatIsChanged) {
  const TemporaryFolder folder;
  ModelFolder model;
  model.config["n_layer"] = 2;
  const auto shapes = model.shapes;
  for (const auto& [name, shape] : shapes)
    if (name.starts_with("h.0.")) model.shapes["h.1." + name.substr(4)] = shape;
  put_text(folder / "config.json", model.config.dump());
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, {}));
  put_text(folder / "a.json", R"({"model": ".", "token_ids": [1, 2], "layer": 1,
                                  "changed_layers": {"0": {"heads_off": [0]}}})");
  EXPECT_TRUE(code_of(load_document(folder / "a.json"), CodeLanguage::pytorch)
                  .starts_with("# The layer's inputs and weights are data, because layers below it are changed.\n"));
}

// The program vouches for it, but checks a hash that a document names.
TEST(Checkpoint, OfAnExampleNeedsNoHash) {
  const std::shared_ptr<const TrainedModel> stories = open_model("example:stories");
  const std::string json = to_json(document_of(stories));
  EXPECT_EQ(json.find("model_sha256"), std::string::npos);
  const auto with_hash = [](const std::string& hash) {
    return R"({"model": "example:stories", "text": "Mia", "model_sha256": ")" + hash + "\"}";
  };
  EXPECT_EQ(parse_document(with_hash(stories->checkpoint.sha256({}))).text, "Mia");
  EXPECT_EQ(error_of([&] { parse_document(with_hash(std::string(64, '0'))); }).field, "model_sha256");
}

// Qwen2's files name a window that most of them do not use.
TEST(ModelConfig, HasAWindowWhereTheModelUsesOne) {
  const auto window = [](const Json& changes) {
    Json config = {{"model_type", "qwen2"},   {"vocab_size", 5},        {"max_position_embeddings", 16},
                   {"hidden_size", 8},        {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                   {"intermediate_size", 12}, {"sliding_window", 4}};
    config.update(changes);
    return parse_model_config(config.dump()).shape.sliding_window;
  };
  EXPECT_EQ(window(Json::object()), std::nullopt);
  EXPECT_EQ(window({{"use_sliding_window", false}}), std::nullopt);
  EXPECT_EQ(window({{"use_sliding_window", true}, {"max_window_layers", 0}}), 4);
  EXPECT_EQ(window({{"use_sliding_window", true}, {"max_window_layers", 1}}), std::nullopt) << "of the one layer";
  EXPECT_EQ(window({{"model_type", "mistral"}}), 4);
  EXPECT_EQ(window({{"model_type", "mistral"}, {"sliding_window", nullptr}}), std::nullopt);
}

// As transformers reads them: the first max_window_layers see all keys, unless layer_types says it for each layer.
TEST(ModelConfig, GivesEachLayerItsOwnWindow) {
  const auto windows = [](const Json& changes) -> std::string {
    Json config = {{"model_type", "qwen2"},   {"vocab_size", 5},        {"max_position_embeddings", 16},
                   {"hidden_size", 8},        {"num_hidden_layers", 3}, {"num_attention_heads", 2},
                   {"intermediate_size", 12}, {"sliding_window", 4},    {"use_sliding_window", true},
                   {"max_window_layers", 1}};
    config.update(changes);
    try {
      auto model = std::make_shared<Transformer>();
      model->shape = parse_model_config(config.dump()).shape;
      std::string text;
      ModelInputs inputs;
      inputs.model = model;
      for (Index layer = 0; layer < 3; ++layer)
        text += std::to_string(original_layer_config(inputs, layer).sliding_window.value_or(0)) + " ";
      return text;
    } catch (const Error& error) {
      return error.what();
    }
  };
  const Json mixed = {"sliding_attention", "full_attention", "sliding_attention"};
  const Json full = {"full_attention", "full_attention", "full_attention"};
  EXPECT_EQ(windows(Json::object()), "0 4 4 ");
  EXPECT_EQ(windows({{"model_type", "qwen3"}, {"max_window_layers", 2}}), "0 0 4 ");
  EXPECT_EQ(windows({{"max_window_layers", 0}}), "4 4 4 ");
  EXPECT_EQ(windows({{"max_window_layers", 3}}), "0 0 0 ");
  EXPECT_EQ(windows({{"max_window_layers", nullptr}}), "0 0 0 ") << "28 by default";
  EXPECT_EQ(windows({{"use_sliding_window", false}}), "0 0 0 ");
  EXPECT_EQ(windows({{"layer_types", mixed}}), "4 0 4 ");
  EXPECT_EQ(windows({{"layer_types", full}}), "0 0 0 ");
  EXPECT_EQ(windows({{"use_sliding_window", false}, {"layer_types", full}}), "0 0 0 ");
  EXPECT_EQ(windows({{"model_type", "mistral"}}), "4 4 4 ");
  EXPECT_EQ(windows({{"model_type", "llama"}, {"use_sliding_window", false}, {"layer_types", full}}), "0 0 0 ");
  for (const auto& [changes, fragment] : std::vector<std::pair<Json, std::string>>{
           {{{"use_sliding_window", false}, {"layer_types", mixed}}, "whose length is not said"},
           {{{"sliding_window", nullptr}, {"layer_types", mixed}}, "whose length is not said"},
           {{{"model_type", "mistral"}, {"layer_types", mixed}}, "in some layers in this family"},
           {{{"model_type", "llama"}}, "use_sliding_window is true, but models with a sliding window in this family"},
           {{{"layer_types", {"full_attention"}}}, "a list of 3 types, one for each layer"},
           {{{"layer_types", {"full_attention", "linear_attention", "full_attention"}}}, "layer_types[1] is"}})
    EXPECT_TRUE(says(windows(changes), {fragment})) << changes;
  EXPECT_EQ(windows({{"sliding_window", nullptr}}), "0 0 0 ");
}

TEST(ModelConfig, HasTheBaseOfItsRotaryPositionsInOneOfTwoPlaces) {
  const auto base = [](const Json& changes) {
    Json config = {{"model_type", "llama"},  {"vocab_size", 5},        {"max_position_embeddings", 16},
                   {"hidden_size", 8},       {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                   {"intermediate_size", 12}};
    config.update(changes);
    return parse_model_config(config.dump()).shape.rope->base;
  };
  EXPECT_EQ(base(Json::object()), 10'000);
  EXPECT_EQ(base({{"rope_theta", 500}}), 500);
  EXPECT_EQ(base({{"rope_parameters", {{"rope_theta", 700}, {"rope_type", "default"}}}}), 700);
}

// One mask is written for all layers below.
TEST(Checkpoint, IsNotLoadedByCodeOfALayerAboveOneOfAnotherWindow) {
  const TemporaryFolder folder;
  ModelFolder model = qwen3_folder();
  model.config.update({{"num_hidden_layers", 3}, {"use_sliding_window", true}, {"sliding_window", 2}});
  for (const auto& [name, shape] : qwen3_folder().shapes) {
    for (const char* layer : {"1", "2"})
      if (name.starts_with("model.layers.0"))
        model.shapes["model.layers." + std::string(layer) + name.substr(14)] = shape;
  }
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, {}));
  const auto code = [&](const char* first_windowed, Index layer) {
    model.config["max_window_layers"] = Json::parse(first_windowed);
    put_text(folder / "config.json", model.config.dump());
    put_text(folder / "a.json",
             R"({"model": "config.json", "token_ids": [1, 2, 3], "layer": )" + std::to_string(layer) + "}");
    return code_of(load_document(folder / "a.json"), CodeLanguage::pytorch);
  };
  const std::string reason =
      "# The layer's inputs and weights are data, because layers below it have another sliding window.\n";
  EXPECT_TRUE(code("2", 2).starts_with(reason));
  EXPECT_FALSE(code("2", 1).starts_with(reason));
  EXPECT_FALSE(code("0", 2).starts_with(reason));
}

// The first number of each tensor is a tenth of its place in the alphabet.
std::string first_numbers(const Transformer& model) {
  const TransformerLayer& layer = model.layers.at(0);
  std::string text;
  const auto add = [&](const char* name, float number) {
    text += name + std::string(" ") + std::to_string(std::lround(number * 10)) + " ";
  };
  add("tokens", model.token_embeddings.weight(0, 0));
  if (!model.position_embeddings.values.empty()) add("positions", model.position_embeddings.values[0]);
  if (!model.is_tied()) add("head", model.head.weight(0, 0));
  add("norms", layer.attention_norm.scale.values[0]);
  add("", layer.feed_forward_norm.scale.values[0]);
  add("", model.final_norm.scale.values[0]);
  if (!model.final_norm.shift.values.empty()) add("shift", model.final_norm.shift.values[0]);
  for (const Parameter& parameter : *layer.attention) add(parameter.name.c_str(), parameter.tensor.values[0]);
  add("up", layer.up.weight(0, 0));
  if (model.shape.is_gated) add("gate", layer.gate.weight(0, 0));
  add("down", layer.down.weight(0, 0));
  return text;
}

TEST(Checkpoint, OfTheFamilyOfLlamaHasItsNames) {
  ModelFolder folder = qwen3_folder();
  const auto model = folder.parse();
  EXPECT_EQ(first_numbers(*model->weights),
            "tokens 1 head 0 norms 2  6  13 W_query.weight 11 W_key.weight 8 W_value.weight 12 q_norm.weight 10 "
            "k_norm.weight 7 out_proj.weight 9 out_proj.bias 0 up 5 gate 4 down 3 ");
  const auto& place = model->weights->place_of;
  const std::string layer = "model.layers.0.self_attn.";
  EXPECT_EQ(place(0, "W_query.weight", 5, 3), layer + "q_proj.weight[5, 3]");
  EXPECT_EQ(place(0, "W_key.weight", 2, 1), layer + "k_proj.weight[2, 1]");
  EXPECT_EQ(place(0, "W_value.weight", 2, 1), layer + "v_proj.weight[2, 1]");
  EXPECT_EQ(place(0, "out_proj.weight", 3, 5), layer + "o_proj.weight[3, 5]");
  EXPECT_EQ(place(0, "out_proj.bias", 0, 3), "");
  EXPECT_EQ(place(0, "q_norm.weight", 0, 2), layer + "q_norm.weight[2]");
  EXPECT_EQ(place(0, "k_norm.weight", 0, 2), layer + "k_norm.weight[2]");
  EXPECT_FALSE(model->weights->shape.has_qkv_bias);
  for (const auto& [name, size] : {std::pair("q", 6), std::pair("k", 3), std::pair("v", 3)})
    folder.shapes[layer + name + "_proj.bias"] = {size};
  EXPECT_EQ(folder.parse()->weights->place_of(0, "W_key.bias", 0, 2), layer + "k_proj.bias[2]");
  EXPECT_TRUE(folder.parse()->weights->shape.has_qkv_bias);
  folder.config["tie_word_embeddings"] = true;
  EXPECT_TRUE(folder.parse()->weights->is_tied());
  folder.config.erase("tie_word_embeddings");
  folder.shapes.erase("lm_head.weight");
  EXPECT_TRUE(folder.parse()->weights->is_tied());
  folder.config["tie_word_embeddings"] = false;
  EXPECT_EQ(folder.refusal(), "The checkpoint has no tensor \"lm_head.weight\".");
  folder.config["tie_word_embeddings"] = true;
  folder.shapes[layer + "k_proj.weight"] = {6, 4};
  EXPECT_EQ(folder.refusal(), "The tensor \"" + layer +
                                  "k_proj.weight\" has the shape (6, 4), but config.json asks for "
                                  "(3, 4).");
  folder.shapes.erase(layer + "k_norm.weight");
  folder.shapes[layer + "k_proj.weight"] = {3, 4};
  EXPECT_EQ(folder.refusal(), "The checkpoint has no tensor \"" + layer + "k_norm.weight\".");
  ModelFolder bare = qwen3_folder();
  bare.shapes.clear();
  for (const auto& [name, shape] : qwen3_folder().shapes)
    bare.shapes[name.starts_with("model.") ? name.substr(6) : name] = shape;
  EXPECT_EQ(bare.parse()->weights->place_of(0, "W_key.weight", 2, 1), "layers.0.self_attn.k_proj.weight[2, 1]");
}

TEST(Checkpoint, OfTheBookHasItsNames) {
  const ModelFolder folder = book_folder();
  const auto model = folder.parse();
  EXPECT_EQ(first_numbers(*model->weights),
            "tokens 4 positions 3 head 2 norms 15  17  0 shift 1 W_query.weight 6 W_key.weight 5 W_value.weight 7 "
            "out_proj.weight 10 out_proj.bias 9 up 12 down 14 ");
  EXPECT_EQ(model->weights->place_of(0, "W_query.weight", 1, 0), "trf_blocks.0.att.W_query.weight[1, 0]");
  EXPECT_EQ(model->weights->place_of(0, "out_proj.bias", 0, 1), "trf_blocks.0.att.out_proj.bias[1]");
}

TEST(Checkpoint, OfBertSaysTheMaskedWord) {
  const ModelFolder folder = bert_folder();
  const auto model = folder.parse();
  EXPECT_EQ(model->weights->mask_token, 4);
  EXPECT_TRUE(model->weights->shape.sees_later_tokens);
  EXPECT_EQ(model->encode("a [MASK]"), (std::vector<Index>{2, 5, 4, 3}));
  EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 1, 2), "bert.encoder.layer.0.attention.self.key.weight[1, 2]");
  ModelFolder without = folder;
  std::erase_if(without.shapes, [](const auto& tensor) { return tensor.first.starts_with("cls.predictions."); });
  without.shapes["classifier.weight"] = {2, 4};
  const auto classifier = without.parse();
  EXPECT_TRUE(says_words(*model->weights));
  EXPECT_FALSE(says_words(*classifier->weights));
  const AttentionConfig config = document_of(classifier).config;
  const auto pass = run_model(config);
  EXPECT_EQ(std::string(error_of([&] { logits(*pass, 0, 1, {}); }).what()), no_words);
  EXPECT_EQ(arrays_of(*pass, {}).size(), model_stages().size() - 1);
  EXPECT_EQ(std::string(error_of([&] { arrays_of(*pass, {"logits"}); }).what()), no_words);
  const auto whole = run_model(document_of(model).config);
  EXPECT_EQ(arrays_of(*whole, {}).size(), model_stages().size());
  ModelFolder extra = folder;
  extra.shapes["bert.embeddings.LayerNorm.other"] = {4};
  EXPECT_TRUE(says(extra.refusal(), {"\"bert.embeddings.LayerNorm.other\"", "the numbers would be wrong"}));
  ModelFolder decoder = folder;
  decoder.config["is_decoder"] = true;
  EXPECT_EQ(
      decoder.refusal(),
      "config.json: is_decoder is true, but models with a mask that hides later tokens in this family are not known.");
}

// Query, key and value of the first head lie before those of the second.
TEST(Checkpoint, OfGptNeoxNamesThePlacesOfItsSharedTensor) {
  ModelFolder folder;
  folder.config = {{"model_type", "gpt_neox"}, {"vocab_size", 6},        {"max_position_embeddings", 4},
                   {"hidden_size", 4},         {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                   {"intermediate_size", 6},   {"rotary_pct", 1.0}};
  folder.shapes = {{"gpt_neox.embed_in.weight", {6, 4}}, {"embed_out.weight", {6, 4}}};
  const std::string layer = "gpt_neox.layers.0.";
  for (const std::string& norm :
       {std::string("gpt_neox.final_layer_norm"), layer + "input_layernorm", layer + "post_attention_layernorm"}) {
    folder.shapes[norm + ".weight"] = folder.shapes[norm + ".bias"] = {4};
  }
  const std::map<std::string, std::pair<Index, Index>> sizes = {{"attention.query_key_value", {12, 4}},
                                                                {"attention.dense", {4, 4}},
                                                                {"mlp.dense_h_to_4h", {6, 4}},
                                                                {"mlp.dense_4h_to_h", {4, 6}}};
  for (const auto& [module, size] : sizes) {
    folder.shapes[layer + module + ".weight"] = {size.first, size.second};
    folder.shapes[layer + module + ".bias"] = {size.first};
  }
  folder.shapes[layer + "attention.rotary_emb.inv_freq"] = {1};
  const auto model = folder.parse();
  const auto tensor = [&](const char* name) { return find(*model->weights->layers[0].attention, name); };
  const float first = tensor("W_query.weight")->matrix()(0, 0);
  // Row 3 of the keys is dimension 1 of head 1: row 6 + 2 + 1 of the tensor.
  EXPECT_FLOAT_EQ(tensor("W_key.weight")->matrix()(3, 2), first + 0.01F * (9 * 4 + 2));
  EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 3, 2),
            "gpt_neox.layers.0.attention.query_key_value.weight[9, 2]");
  EXPECT_FLOAT_EQ(tensor("W_value.bias")->values[2] - tensor("W_query.bias")->values[0], 0.01F * 10);
  EXPECT_EQ(model->weights->place_of(0, "W_value.bias", 0, 2), "gpt_neox.layers.0.attention.query_key_value.bias[10]");
}

TEST(Checkpoint, ConstantsAndOtherHeadsAreNoWeights) {
  ModelFolder folder;
  folder.shapes["h.0.attn.bias"] = {1, 1, 4, 4};
  folder.shapes["h.0.attn.masked_bias"] = {};
  folder.types["h.0.attn.bias"] = "BOOL";
  folder.shapes["multiple_choice_head.summary.weight"] = {1, 4};
  EXPECT_NO_THROW(folder.parse());
  folder = qwen3_folder();
  folder.shapes["model.layers.0.self_attn.rotary_emb.inv_freq"] = {1};
  EXPECT_NO_THROW(folder.parse());
}

TEST(Checkpoint, IsSharedWhileItIsOpen) {
  TemporaryFolder folder;
  const ModelFolder model;
  put_text(folder / "config.json", model.config.dump());
  put_text(folder / "model.safetensors", ModelFolder::safetensors(model.shapes, {}));
  const std::string path = std::filesystem::path(folder / "config.json").parent_path().string();
  EXPECT_TRUE(is_model(path));
  EXPECT_TRUE(is_model(folder / "config.json"));
  const auto first = open_model(path);
  EXPECT_EQ(open_model(path), first);
  EXPECT_FALSE(is_model(folder / "nothing"));
  std::string sentence;
  try {
    open_model((folder / "nothing").string());
  } catch (const Error& error) {
    sentence = error.what();
  }
  EXPECT_TRUE(sentence.ends_with("nothing: The weights are missing: there is no nothing beside config.json."))
      << sentence;
}

TEST(Checkpoint, IsOpenedByItsFolderItsConfigurationOrItsWeights) {
  const TemporaryFolder folder;
  ModelFolder model;
  const std::string config = (folder / "config.json").string();
  const std::string weights = (folder / "model.safetensors").string();
  put_text(config, model.config.dump());
  EXPECT_NE(kind_of_file(config).refusal.find("whose weights are missing"), std::string::npos);
  put_text(weights, ModelFolder::safetensors(model.shapes, {}));
  const std::string name = folder.path().stem().string();
  for (const auto& [path, own] : {std::pair(folder.path().string(), name), {config, name}, {weights, "model"}}) {
    EXPECT_TRUE(is_model(path)) << path;
    const auto opened = open_model(path);
    EXPECT_EQ(opened->path, path);
    EXPECT_EQ(opened->name, own);
    EXPECT_EQ(opened->checkpoint.files, std::vector<std::string>{weights}) << path;
  }
  for (const char* other : {"a.bin", "a.safetensors"}) {
    put_text(folder / other, ModelFolder::safetensors(model.shapes, {}));
    EXPECT_TRUE(is_model(folder / other)) << other;
  }
  put_text(folder / "b.safetensors", ModelFolder::safetensors({{"attention.0", {1, 2, 2}}}, {}));
  for (const char* other : {"b.safetensors", "a.npy", "other/a.pth"}) EXPECT_FALSE(is_model(folder / other)) << other;
  for (const std::string& path : {folder.path().string(), config, weights}) {  // written anew, it is another model
    const auto before = open_model(path);
    EXPECT_EQ(open_model(path), before);
    std::filesystem::last_write_time(weights, std::filesystem::last_write_time(weights) + std::chrono::seconds(2));
    EXPECT_NE(open_model(path), before) << path;
  }
  EXPECT_EQ(std::string(error_of([] { open_model("example:none"); }).what()),
            "example:none: no model of this name comes with the program.");
}

}  // namespace
}  // namespace attnscope::test
