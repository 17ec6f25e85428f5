// Checkpoints as people have them: in wrappers, without sizes, in the folders of tools.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "core/error.h"
#include "core/model/transformer.h"
#include "files/array_files.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "model_folder.h"
#include "support.h"

namespace attnscope::test {
namespace {

// The same tensors under other names.
ModelFolder renamed(const ModelFolder& folder, const std::function<std::string(const std::string&)>& name) {
  ModelFolder other = folder;
  other.shapes.clear();
  other.first.clear();
  for (const auto& [own, shape] : folder.shapes) other.shapes[name(own)] = shape;
  return other;
}

TEST(Checkpoint, IsReadInAnyWrapper) {
  for (const ModelFolder& folder : {ModelFolder(), qwen3_folder(), book_folder()}) {
    const auto plain = folder.parse();
    for (const std::string wrapper :
         {"module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module.", "model.", "state_dict.model.",
          "model_state_dict.", "_forward_module.", "my_net.", "my_orig_mod."}) {
      ModelFolder wrapped = renamed(folder, [&](const std::string& name) { return wrapper + name; });
      wrapped.shapes["optimizer_state_dict.state.0.exp_avg"] = {2, 2};
      wrapped.shapes["x_wte.weight"] = {2, 2};
      const auto model = wrapped.parse();
      EXPECT_EQ(model->weights->shape, plain->weights->shape) << wrapper;
      EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 1, 0),
                wrapper + plain->weights->place_of(0, "W_key.weight", 1, 0));
      EXPECT_TRUE(model->checkpoint.names) << wrapper;
    }
  }
  ModelFolder inner = renamed(qwen3_folder(), [](std::string name) {
    if (const std::size_t at = name.find("layers.0."); at != std::string::npos) name.insert(at + 9, "_orig_mod.");
    return name;
  });
  EXPECT_EQ(inner.parse()->weights->place_of(0, "W_key.weight", 2, 1),
            "model.layers.0._orig_mod.self_attn.k_proj.weight[2, 1]");
  EXPECT_FALSE(inner.parse()->checkpoint.names) << "code does not know these names";
  const ModelFolder part = renamed(
      ModelFolder(), [](const std::string& name) { return name.starts_with("ln_f") ? name : "_orig_mod." + name; });
  EXPECT_FALSE(part.parse()->checkpoint.names) << "they begin in two ways";
  ModelFolder two = ModelFolder();
  for (const auto& [name, shape] : ModelFolder().shapes) two.shapes["teacher." + name] = shape;
  EXPECT_NO_THROW(two.parse()) << "the one without a wrapper";
  two = renamed(two, [](const std::string& name) { return name.starts_with("teacher.") ? name : "student." + name; });
  EXPECT_EQ(two.refusal(),
            "The checkpoint has several models, whose names begin with \"student.\", \"teacher.\": save one of them "
            "alone.");
  two = renamed(two, [](const std::string& name) { return (name[0] == 't' ? "net." : "model.") + name.substr(8); });
  EXPECT_EQ(two.refusal(),
            "The checkpoint has several models, whose names begin with \"model.\", \"net.\": save one of them alone.")
      << "both names are usual";
  const auto place_in = [](const std::vector<std::string>& wrappers) {
    ModelFolder several;
    several.shapes.clear();
    for (const std::string& wrapper : wrappers) {
      for (const auto& [name, shape] : ModelFolder().shapes) several.shapes[wrapper + name] = shape;
    }
    return wrappers.size() > 2 ? several.refusal() : several.parse()->weights->place_of(0, "W_query.weight", 0, 0);
  };
  EXPECT_EQ(place_in({"ema.", "model."}), "model.h.0.attn.c_attn.weight[0, 0]");
  EXPECT_EQ(place_in({"model.", "model.ema."}), "model.h.0.attn.c_attn.weight[0, 0]") << "every part of it is usual";
  EXPECT_TRUE(says(place_in({"a.", "b.", "c.", "d.", "e.", "f.", "g.", "h.", "i."}), {"\"g.\", \"h.\": save one"}));
  const ModelFolder whole = renamed(
      qwen3_folder(), [](const std::string& name) { return name.starts_with("model.") ? name : "model." + name; });
  EXPECT_FALSE(whole.parse()->weights->is_tied()) << "the last layer is in the same wrapper";
}

TEST(Checkpoint, ATensorOfAnUnknownTypeOrShapeIsRefusedByItsName) {
  ModelFolder folder;
  folder.types["h.0.mlp.c_fc.weight"] = "F4_16";
  EXPECT_TRUE(says(folder.refusal(), {"\"h.0.mlp.c_fc.weight\": ", "which is not read"})) << folder.refusal();
  folder = {};
  folder.shapes["h.0.attn.c_attn.weight"] = {8, 4};
  EXPECT_TRUE(says(folder.refusal(), {"has the shape (8, 4), but config.json asks for (4, 12)"}));
}

// GPT-2 in layers of nn.Linear, without the biases of norms.
ModelFolder nano_folder(const std::string& wrapper) {
  ModelFolder folder;
  for (const std::string module : {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
    std::vector<Index>& shape = folder.shapes["h.0." + module + ".weight"];
    std::swap(shape[0], shape[1]);
  }
  for (const std::string norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) folder.shapes.erase(norm + ".bias");
  return renamed(folder, [&](const std::string& name) { return wrapper + name; });
}

TEST(Checkpoint, TellsHowFarItIsRead) {
  const auto parts_of = [](ModelFolder folder) {
    folder.shapes["optimizer.state"] = {50, 50};  // does not count
    const std::string bytes = ModelFolder::safetensors(folder.shapes, {});
    const std::string config = folder.config.dump();
    std::vector<float> parts;
    parse_model(
        [&](const std::string& name) {
          if (name == "config.json") return Bytes(config, nullptr);
          return name == "model.safetensors" ? Bytes(bytes, nullptr) : Bytes();
        },
        "", [&](float part) { parts.push_back(part); });
    EXPECT_TRUE(std::ranges::is_sorted(parts));
    EXPECT_EQ(parts.back(), 1);
    return parts;
  };
  const auto parts = parts_of(renamed(ModelFolder(), [](const std::string& name) { return "net." + name; }));
  EXPECT_EQ(std::ranges::count(parts, 1.0F), 1) << "with the last tensor alone";
  EXPECT_TRUE(std::ranges::any_of(parts, [](float part) { return part > 0.4F && part < 0.9F; }));
  parts_of(nano_folder("net.transformer."));  // zeros that are not in the file count as nothing
}

TEST(Checkpoint, OfNanoGptIsReadTransposedWithItsSizes) {
  const auto plain = ModelFolder().parse();
  for (const std::string wrapper : {"model.transformer.", "transformer.", ""}) {
    const auto model = nano_folder(wrapper).parse();
    EXPECT_EQ(model->weights->shape, plain->weights->shape);
    EXPECT_EQ(model->weights->layers[0].attention_norm.shift.values, AlignedFloats(4, 0.0F));
    EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 1, 3), wrapper + "h.0.attn.c_attn.weight[5, 3]");
    const Tensor* const key = find(*model->weights->layers[0].attention, "W_key.weight");
    EXPECT_NEAR(key->matrix()(1, 3) - key->matrix()(0, 0), 0.01F * (4 + 3), 1e-5);
    EXPECT_FALSE(model->checkpoint.names) << "code would read them as they are";
  }
  ModelFolder flat = nano_folder("");
  flat.shapes["h.0.mlp.c_fc.weight"] = {24};
  EXPECT_TRUE(says(flat.refusal(), {"has the shape (24,), but config.json asks for (4, 6)"}));
}

TEST(Checkpoint, WithoutAConfigurationAsksForTheHeadsAlone) {
  const auto parsed = [](const ModelFolder& folder, std::optional<Index> heads) {
    const std::string bytes = ModelFolder::safetensors(folder.shapes, {});
    return parse_model(
        [&](const std::string& name) {
          if (name != "model.safetensors") return Bytes();
          const auto owner = std::make_shared<const std::string>(bytes);
          return Bytes(*owner, owner);
        },
        "", {}, heads);
  };
  ModelFolder book = book_folder();
  const auto plain = book.parse();
  EXPECT_EQ(parsed(book, 2)->weights->shape, plain->weights->shape);
  EXPECT_EQ(parsed(ModelFolder(), 2)->weights->shape, ModelFolder().parse()->weights->shape);
  for (const ModelFolder& folder : {book, ModelFolder()}) {
    try {
      parsed(folder, {});
      ADD_FAILURE() << "nothing was asked";
    } catch (const ChoiceNeeded& needed) {
      EXPECT_EQ(needed.of, ChoiceNeeded::Of::num_heads);
      EXPECT_EQ(std::set<std::string>(needed.options.begin(), needed.options.end()).contains("2"), true);
      EXPECT_NE(std::string(needed.what()).find("config.json"), std::string::npos);
    }
  }
  EXPECT_EQ(likely_heads(768).front(), "12");
  EXPECT_EQ(likely_heads(8), (std::vector<std::string>{"1", "2", "4", "8"}));
  EXPECT_TRUE(says(error_of([&] { parsed(qwen3_folder(), 2); }).what(), {"no config.json", "do not say it"}));
  const ModelFolder other = renamed(book, [](const std::string& name) { return "my_" + name; });
  EXPECT_TRUE(says(error_of([&] { parsed(other, 2); }).what(), {"no config.json", "do not say it"}));
  EXPECT_TRUE(
      says(error_of([&] { parsed(ModelFolder(), 3); }).what(), {"3 heads cannot share 4 features", "1, 2 or 4 heads"}));
  EXPECT_THROW(parsed(ModelFolder(), 3), ChoiceNeeded) << "another number is asked for";
  EXPECT_TRUE(says(error_of([&] { parsed(ModelFolder(), 0); }).what(), {"0 heads cannot share"}));
  for (const std::string wrapper : {"net.", "net.transformer."}) {
    const ModelFolder in = renamed(ModelFolder(), [&](const std::string& name) { return wrapper + name; });
    EXPECT_EQ(parsed(in, 2)->weights->shape, ModelFolder().parse()->weights->shape);
  }
  EXPECT_EQ(parsed(renamed(book, [](const std::string& name) { return "net." + name; }), 2)->weights->shape,
            plain->weights->shape);
  EXPECT_TRUE(says(error_of([&] { parsed(nano_folder(""), 2); }).what(), {"nanoGPT or minGPT", "activation"}));
  ModelFolder flat = book;
  flat.shapes["tok_emb.weight"] = {5};
  EXPECT_TRUE(says(error_of([&] { parsed(flat, 2); }).what(), {"\"tok_emb.weight\"", "(5,)", "must be a matrix"}));
}

// Returns the model of a file alone, which says its sizes beside its tensors.
std::shared_ptr<const TrainedModel> parsed_with_sizes(const std::map<std::string, std::vector<Index>>& shapes,
                                                      const std::map<std::string, std::string>& sizes,
                                                      std::optional<Index> heads = {}) {
  const TemporaryFolder folder;
  Parameters parameters;
  for (const auto& [name, shape] : shapes) parameters.push_back({name, Tensor(shape)});
  write_safetensors(parameters, {sizes.begin(), sizes.end()}, folder / "a.safetensors");
  const auto files = [&](const std::string& name) {
    if (name != "a.safetensors") return Bytes();
    return Bytes(std::make_shared<const ReadableFile>(folder / name));
  };
  return parse_model(files, "a.safetensors", {}, heads);
}

TEST(Checkpoint, ThatSaysItsHeadsTakesNoOtherNumber) {
  const auto parsed = [&](std::optional<Index> heads) {
    return parsed_with_sizes(ModelFolder().shapes, {{"a_model_args.n_head", "4"}, {"model_args.n_head", "2"}}, heads);
  };
  EXPECT_EQ(parsed({})->weights->shape.heads, 2);
  EXPECT_EQ(parsed(2)->weights->shape.heads, 2);
  EXPECT_TRUE(says(error_of([&] { parsed(4); }).what(), {"the model has 2 heads", "leave the number of heads out"}));
  const TransformerShape gpt2 = parsed({})->weights->shape;
  EXPECT_EQ(gpt2.activation, Activation::gelu_tanh);
  const TransformerShape nano =
      parsed_with_sizes(nano_folder("transformer.").shapes, {{"hyper.model_args.n_head", "2"}})->weights->shape;
  EXPECT_EQ(nano.activation, Activation::gelu);
  EXPECT_EQ(nano.hidden, gpt2.hidden);
}

// A layer of Llama with the names of Meta, 8 features and 2 heads of keys.
std::map<std::string, std::vector<Index>> meta_shapes(Index heads, Index head_dim) {
  const Index of_queries = heads * head_dim;
  const Index of_keys = 2 * head_dim;
  std::map<std::string, std::vector<Index>> shapes = {
      {"tok_embeddings.weight", {9, 8}}, {"norm.weight", {8}}, {"output.weight", {9, 8}}, {"rope.freqs", {2}}};
  for (const auto& [name, shape] : std::map<std::string, std::vector<Index>>{{"attention.wq", {of_queries, 8}},
                                                                             {"attention.wk", {of_keys, 8}},
                                                                             {"attention.wv", {of_keys, 8}},
                                                                             {"attention.wo", {8, of_queries}},
                                                                             {"feed_forward.w1", {6, 8}},
                                                                             {"feed_forward.w2", {8, 6}},
                                                                             {"feed_forward.w3", {6, 8}},
                                                                             {"attention_norm", {8}},
                                                                             {"ffn_norm", {8}}})
    shapes["layers.0." + name + ".weight"] = shape;
  return shapes;
}

TEST(Checkpoint, OfLlama2cHasItsSizesBesideItsTensors) {
  const std::map<std::string, std::string> sizes = {{"model_args.n_heads", "4"}, {"model_args.n_kv_heads", "2"}};
  std::map<std::string, std::vector<Index>> wrapped;
  for (const auto& [name, shape] : meta_shapes(4, 2)) wrapped["module." + name] = shape;
  for (const auto& shapes : {meta_shapes(4, 2), wrapped}) {
    const auto model = parsed_with_sizes(shapes, sizes);
    EXPECT_EQ(model->weights->shape.key_value_heads, 2);
    EXPECT_EQ(model->weights->shape.context_length, 2048);
    EXPECT_EQ(model->weights->shape.epsilon, 1e-5);
    EXPECT_EQ(model->weights->shape.rope->base, 10'000);
    EXPECT_FALSE(model->weights->is_tied());
  }
  std::map<std::string, std::string> longer = sizes;
  longer["model_args.max_seq_len"] = "256";
  std::map<std::string, std::vector<Index>> tied = meta_shapes(4, 2);
  tied.erase("output.weight");
  const auto model = parsed_with_sizes(tied, longer);
  EXPECT_EQ(model->weights->shape.context_length, 256);
  EXPECT_TRUE(model->weights->is_tied());
}

// The checkpoint of a model of Llama with the names of Meta, whose sizes stand in params.json.
TEST(Checkpoint, OfMetaHasItsSizesInParams) {
  std::string bytes = ModelFolder::safetensors(meta_shapes(4, 2), {});
  const auto parsed = [&](const std::string& params, std::optional<Index> heads = {}) {
    const auto files = [&](const std::string& name) -> Bytes {
      const std::string& held = name == "params.json" ? params : bytes;
      const bool is_there = name == "consolidated.safetensors" || (name == "params.json" && !params.empty());
      const auto owner = std::make_shared<const std::string>(held);
      return is_there ? Bytes(*owner, owner) : Bytes();
    };
    return parse_model(files, "consolidated.safetensors", {}, heads);
  };
  const auto refusal = [&](const std::string& params) { return std::string(error_of([&] { parsed(params); }).what()); };
  const std::string sizes = R"("dim": 8, "n_layers": 1, "n_heads": 4, "n_kv_heads": 2, "vocab_size": -1,
                               "multiple_of": 256, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-06)";
  const std::shared_ptr<const TrainedModel> model = parsed("{" + sizes + R"(, "rope_theta": 500000.0})");
  const TransformerShape& shape = model->weights->shape;
  EXPECT_EQ(shape.heads, 4);
  EXPECT_EQ(shape.key_value_heads, 2);
  EXPECT_EQ(shape.head_dim, 2);
  EXPECT_EQ(shape.epsilon, 1e-6);
  ASSERT_TRUE(shape.rope);
  EXPECT_EQ(shape.rope->base, 500'000);
  EXPECT_EQ(shape.rope->layout, RopeLayout::interleaved);
  EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 1, 2), "layers.0.attention.wk.weight[1, 2]");
  EXPECT_EQ(parsed("{" + sizes + "}")->weights->shape.rope->base, 10'000);
  EXPECT_TRUE(says(refusal(""), {"model_args", "params.json beside it"}));
  EXPECT_TRUE(says(refusal("{" + sizes + R"(, "use_scaled_rope": true})"), {"use_scaled_rope", "not by how much"}));
  EXPECT_NO_THROW(parsed("{" + sizes + R"(, "use_scaled_rope": false})"));
  EXPECT_TRUE(says(refusal("{" + sizes + R"(, "moe": {}})"), {"moe"}));
  EXPECT_TRUE(says(refusal(R"({"dim": 16, "n_heads": 4})"), {"divided among several machines"}));
  EXPECT_TRUE(says(refusal(R"({"dim": 8, "head_dim": 4, "n_heads": 4})"), {"divided among several machines"}));
  EXPECT_TRUE(says(refusal(R"({"dim": 8})"), {"n_heads"}));
  EXPECT_TRUE(says(refusal(R"({"dim": 16, "head_dim": 2, "n_heads": 4})"), {"divided among several machines"}));
  EXPECT_TRUE(says(refusal(R"({"n_heads": 0})"), {"n_heads", "from 1 to 1000000000"}));
  EXPECT_TRUE(says(refusal(R"({"n_heads": 4, "n_kv_heads": 0})"), {"n_kv_heads", "from 1 to 1000000000"}));
  EXPECT_TRUE(says(refusal("[4]"), {"params.json must be an object"}));
  EXPECT_NE(refusal(R"({"n_heads": 4, "n_kv_heads": 2} 4)"), "");
  EXPECT_TRUE(says(refusal(std::string(1 << 16, ' ') + "{}"), {"65538 bytes", "at most 65536"}));
  const TransformerShape usual =
      parsed(R"({"n_heads": 4, "n_kv_heads": 2, "head_dim": null, "norm_eps": null, "use_scaled_rope": null})")
          ->weights->shape;
  EXPECT_EQ(usual.epsilon, 1e-5);
  EXPECT_EQ(usual.context_length, 2048);
  EXPECT_EQ(parsed(R"({"n_heads": 4, "n_kv_heads": 2, "max_seq_len": 64})")->weights->shape.context_length, 64);
  EXPECT_TRUE(says(error_of([&] { parsed("{" + sizes + "}", 2); }).what(), {"params.json says how many heads"}));
  bytes = ModelFolder::safetensors(meta_shapes(2, 3), {});
  EXPECT_EQ(parsed(R"({"dim": 8, "n_heads": 2, "head_dim": 3})")->weights->shape.head_dim, 3);
}

TEST(Checkpoint, OfAnotherKindIsNamed) {
  const auto refusal = [](ModelFolder folder, const std::string& name, std::vector<Index> shape) {
    folder.shapes[name] = std::move(shape);
    return folder.refusal();
  };
  EXPECT_TRUE(says(refusal(ModelFolder(), "score.weight", {2, 4}), {"classifier", "\"score.weight\"", "no next word"}));
  EXPECT_TRUE(says(refusal(ModelFolder(), "h.0.attn.c_attn.qweight", {4, 4}), {"GPTQ or AWQ", "qweight"}));
  EXPECT_TRUE(says(refusal(ModelFolder(), "h.0.mlp.c_fc.weight.absmax", {4}), {"bitsandbytes", "four bits"}));
  ModelFolder eight;
  eight.types["h.0.mlp.c_fc.weight"] = "I8";
  eight.shapes["h.0.mlp.c_fc.weight"] = {3, 3};
  EXPECT_TRUE(says(eight.refusal(), {"is int8", "before it was quantized"})) << "before its shape";
}

TEST(Checkpoint, IsFoundInEveryFolderThatToolsWrite) {
  const ModelFolder model;
  const std::string bytes = ModelFolder::safetensors(model.shapes, {});
  const auto opens = [&](const std::vector<std::pair<std::string, std::string>>& files, const std::string& path) {
    const TemporaryFolder folder;
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((folder / name).parent_path());
      put_text(folder / name, text);
    }
    EXPECT_TRUE(is_model(folder / path)) << path;
    return open_model((folder / path).string())->checkpoint.files.size();
  };
  const std::string config = model.config.dump();
  std::map<std::string, std::vector<Index>> others = model.shapes;
  const std::map<std::string, std::vector<Index>> one = {*others.find("wte.weight")};
  others.erase("wte.weight");
  EXPECT_EQ(opens({{"m/config.json", config}, {"m/pytorch_model.bin", bytes}}, "m"), 1U);
  EXPECT_EQ(opens({{"m/config.json", config}, {"m/model.pth", bytes}}, "m"), 1U);
  EXPECT_EQ(opens({{"m/config.json", config}, {"m/model.pth", bytes}}, "m/config.json"), 1U);
  EXPECT_EQ(opens({{"m/config.json", config},
                   {"m/model-00001-of-00002.safetensors", ModelFolder::safetensors(one, {})},
                   {"m/model-00002-of-00002.safetensors", ModelFolder::safetensors(others, {})}},
                  "m"),
            2U);
  EXPECT_EQ(opens({{"m/refs/main", "abc"},
                   {"m/snapshots/abc/config.json", config},
                   {"m/snapshots/abc/model.safetensors", bytes},
                   {"m/snapshots/other/config.json", "{}"}},
                  "m"),
            1U);
  const TemporaryFolder several;
  put_text(several / "config.json", config);
  for (const char* name : {"a.pth", "b.pth"}) put_text(several / name, bytes);
  EXPECT_TRUE(
      says(error_of([&] { open_model(several.path().string()); }).what(), {"several checkpoints", "a.pth, b.pth"}));
}

}  // namespace
}  // namespace attnscope::test
