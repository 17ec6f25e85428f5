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
    for (const std::string wrapper : {"module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module.", "model.",
                                      "state_dict.model.", "model_state_dict.", "_forward_module.", "my_net."}) {
      ModelFolder wrapped = renamed(folder, [&](const std::string& name) { return wrapper + name; });
      wrapped.shapes["optimizer_state_dict.state.0.exp_avg"] = {2, 2};
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
}

TEST(Checkpoint, OfNanoGptIsReadTransposedWithItsSizes) {
  ModelFolder folder;
  const auto plain = folder.parse();
  for (const std::string module : {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
    std::vector<Index>& shape = folder.shapes["h.0." + module + ".weight"];
    std::swap(shape[0], shape[1]);
  }
  for (const std::string norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) folder.shapes.erase(norm + ".bias");
  folder = renamed(folder, [](const std::string& name) { return "model.transformer." + name; });
  const auto model = folder.parse();
  EXPECT_EQ(model->weights->shape, plain->weights->shape);
  EXPECT_EQ(model->weights->layers[0].attention_norm.shift.values, AlignedFloats(4, 0.0F));
  EXPECT_EQ(model->weights->place_of(0, "W_key.weight", 1, 3), "model.transformer.h.0.attn.c_attn.weight[5, 3]");
  const Tensor* const key = find(*model->weights->layers[0].attention, "W_key.weight");
  EXPECT_NEAR(key->matrix()(1, 3) - key->matrix()(0, 0), 0.01F * (4 + 3), 1e-5);
  EXPECT_FALSE(model->checkpoint.names);
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
}

TEST(Checkpoint, ThatSaysItsHeadsTakesNoOtherNumber) {
  const TemporaryFolder folder;
  Parameters parameters;
  for (const auto& [name, shape] : ModelFolder().shapes) parameters.push_back({name, Tensor(shape)});
  write_safetensors(parameters, {{"model_args.n_head", "2"}}, folder / "a.safetensors");
  const auto parsed = [&](std::optional<Index> heads) {
    const auto files = [&](const std::string& name) {
      if (name != "a.safetensors") return Bytes();
      return Bytes(std::make_shared<const ReadableFile>(folder / name));
    };
    return parse_model(files, "a.safetensors", {}, heads);
  };
  EXPECT_EQ(parsed({})->weights->shape.heads, 2);
  EXPECT_EQ(parsed(2)->weights->shape.heads, 2);
  EXPECT_TRUE(says(error_of([&] { parsed(4); }).what(), {"the model has 2 heads", "leave the number of heads out"}));
}

// The checkpoint of a model of Llama with the names of Meta, whose sizes stand in params.json.
TEST(Checkpoint, OfMetaHasItsSizesInParams) {
  std::map<std::string, std::vector<Index>> shapes = {
      {"tok_embeddings.weight", {9, 8}}, {"norm.weight", {8}}, {"output.weight", {9, 8}}, {"rope.freqs", {2}}};
  for (const auto& [name, shape] : std::map<std::string, std::vector<Index>>{{"attention.wq", {8, 8}},
                                                                             {"attention.wk", {4, 8}},
                                                                             {"attention.wv", {4, 8}},
                                                                             {"attention.wo", {8, 8}},
                                                                             {"feed_forward.w1", {6, 8}},
                                                                             {"feed_forward.w2", {8, 6}},
                                                                             {"feed_forward.w3", {6, 8}},
                                                                             {"attention_norm", {8}},
                                                                             {"ffn_norm", {8}}})
    shapes["layers.0." + name + ".weight"] = shape;
  const std::string bytes = ModelFolder::safetensors(shapes, {});
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
  EXPECT_TRUE(says(error_of([&] { parsed("{" + sizes + "}", 2); }).what(), {"params.json says how many heads"}));
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
