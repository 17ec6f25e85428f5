// What is found in files of attention, and that it is read as NumPy reads it.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "files/array_files.h"
#include "files/import.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

using Shape = std::vector<Index>;

// An .npy of float32 whose numbers are all the same.
std::string npy_of(const Shape& shape, float number = 0.25F) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  const std::vector<float> numbers(static_cast<std::size_t>(count), number);
  return npy_header("<f4", shape) + std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
}

// Read as a large file is: nothing of it is copied before it is asked for.
NamedArrays in_file(const std::filesystem::path& path) {
  const auto file = std::make_shared<const ReadableFile>(path);
  NamedArrays arrays = parse_arrays(Bytes(file), path.extension().string());
  arrays.file = file;
  return arrays;
}

AttentionTensors only_one(const Shape& shape, bool takes_other_axes = false) {
  const std::string bytes = npy_of(shape);
  const std::vector<AttentionTensors> all = find_attention(parse_npy(bytes), {}, takes_other_axes);
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}

std::string sizes_of(const AttentionTensors& tensors) {
  return fmt::format("{} layers {} batch {} heads {} tokens", tensors.layers, tensors.batch_size, tensors.heads,
                     tensors.keys);
}

// Names without numbers: enough where only shapes matter.
NamedArrays described(const std::vector<std::pair<std::string, Shape>>& arrays) {
  NamedArrays file;
  for (const auto& [name, shape] : arrays) {
    ArrayView& array = file.arrays.emplace_back();
    array.name = name;
    array.shape = shape;
  }
  return file;
}

TEST(ViewedFile, AxesCountFromTheLast) {
  EXPECT_EQ(sizes_of(only_one({5, 5})), "1 layers 1 batch 1 heads 5 tokens");
  EXPECT_EQ(sizes_of(only_one({3, 5, 5})), "1 layers 1 batch 3 heads 5 tokens");
  EXPECT_EQ(sizes_of(only_one({2, 3, 5, 5})), "2 layers 1 batch 3 heads 5 tokens");
  EXPECT_EQ(sizes_of(only_one({2, 4, 3, 5, 5})), "2 layers 4 batch 3 heads 5 tokens");
  EXPECT_EQ(sizes_of(only_one({1, 1, 1, 2, 4, 3, 5, 5})), "2 layers 4 batch 3 heads 5 tokens");
}

TEST(ViewedFile, TheFirstAxisCanBeTakenForAnother) {
  EXPECT_EQ(sizes_of(only_one({3, 5, 5}, true)), "3 layers 1 batch 1 heads 5 tokens");
  EXPECT_EQ(sizes_of(only_one({2, 3, 5, 5}, true)), "1 layers 2 batch 3 heads 5 tokens");
  EXPECT_EQ(only_one({2, 3, 5, 5}).axes, "layer, head, query, key");
  EXPECT_EQ(only_one({2, 3, 5, 5}).other_axes, "batch, head, query, key");
  EXPECT_EQ(only_one({2, 3, 5, 5}, true).axes, "batch, head, query, key");
  EXPECT_EQ(only_one({5, 5}).other_axes, "");
  EXPECT_EQ(only_one({2, 1, 3, 5, 5}).other_axes, "");
}

TEST(ViewedFile, TensorsWhoseNamesDifferInANumberAreLayers) {
  const auto all = find_attention(
      described({{"attn_10", {2, 5, 5}}, {"attn_9", {2, 5, 5}}, {"x", {3, 5}}, {"attn_1", {2, 5, 5}}}), {}, false);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "attn_1 … attn_10");
  EXPECT_EQ(all[0].arrays, (std::vector<std::size_t>{3, 1, 0}));
  EXPECT_EQ(sizes_of(all[0]), "3 layers 1 batch 2 heads 5 tokens");
}

TEST(ViewedFile, OthersAreChoicesTheLikeliestFirst) {
  const auto all = find_attention(
      described(
          {{"mask", {5, 5}}, {"scores", {2, 1, 5, 5}}, {"weights", {2, 1, 5, 5}}, {"b0", {7, 7}}, {"b1", {5, 5}}}),
      {}, false);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].name, "weights");
  EXPECT_EQ(sizes_of(all[0]), "1 layers 2 batch 1 heads 5 tokens");  // as attnscope eval writes it
  EXPECT_EQ(all[1].name, "scores");
}

TEST(ViewedFile, ThereCanBeOtherKeysThanQueries) {
  const auto sizes = [](const AttentionTensors& tensors) {
    return fmt::format("{}, {} queries {} keys", sizes_of(tensors), tensors.queries, tensors.keys);
  };
  EXPECT_EQ(sizes(only_one({4, 7})), "1 layers 1 batch 1 heads 7 tokens, 4 queries 7 keys");
  EXPECT_EQ(sizes(only_one({2, 3, 12, 3})), "2 layers 1 batch 3 heads 3 tokens, 12 queries 3 keys");
  const auto all = find_attention(described({{"hidden", {1, 5, 8}}, {"cross_attentions.0", {1, 2, 5, 7}}}), {}, false);
  ASSERT_EQ(all.size(), 1U) << "only its name makes a rectangle attention";
  EXPECT_EQ(all[0].keys, 7);
}

std::string steps_text(const std::vector<std::pair<std::string, Shape>>& arrays) {
  std::string text;
  for (const AttentionTensors& tensors : find_attention(described(arrays), {}, false)) {
    text += fmt::format("{} steps {} layers {}; ", tensors.steps, tensors.layers, shape_text(tensors.shape));
  }
  return text;
}

TEST(ViewedFile, StepsOfAGenerationAreOneTensor) {
  EXPECT_EQ(steps_text({{"0.0", {1, 2, 4, 4}}, {"0.1", {1, 2, 4, 4}}, {"1.0", {1, 2, 1, 5}}, {"1.1", {1, 2, 1, 5}}}),
            "2 steps 2 layers (1, 2, 5, 5); ");
  EXPECT_EQ(steps_text({{"10", {2, 1, 7}}, {"8", {2, 1, 5}}, {"9", {2, 1, 6}}}), "3 steps 1 layers (2, 3, 7); ");
  EXPECT_EQ(steps_text({{"cross_attentions.0.0", {1, 2, 1, 6}}, {"cross_attentions.1.0", {1, 2, 1, 6}}}),
            "2 steps 1 layers (1, 2, 2, 6); ")
      << "steps that read another text";
  EXPECT_EQ(steps_text({{"0", {1, 2, 1, 6}}, {"1", {1, 2, 1, 6}}}), "1 steps 2 layers (1, 2, 1, 6); ");
  EXPECT_EQ(steps_text({{"attn.0.0", {2, 5, 5}}, {"attn.1.0", {2, 5, 5}}}), "1 steps 2 layers (2, 5, 5); ");
  EXPECT_EQ(steps_text({{"0.0", {1, 4, 4}}, {"1.0", {1, 1, 5}}, {"1.1", {1, 1, 5}}}),
            "1 steps 2 layers (1, 1, 5); 1 steps 1 layers (1, 4, 4); ")
      << "a step with other layers";
}

TEST(ViewedFile, StepsStandBelowEachOtherAndLaterKeysAreZero) {
  const TemporaryFolder folder;
  Parameters steps;
  float number = 0;
  for (const auto& [name, shape] : std::initializer_list<std::pair<std::string, Shape>>{
           {"0.0", {1, 1, 2, 3}}, {"0.1", {1, 1, 2, 3}}, {"1.0", {1, 1, 1, 4}}, {"1.1", {1, 1, 1, 4}}}) {
    Tensor tensor(shape);
    for (float& cell : tensor.values) cell = ++number;
    steps.push_back({name, std::move(tensor)});
  }
  write_safetensors(steps, {}, folder / "steps.safetensors");
  const auto file = std::make_shared<const NamedArrays>(read_arrays(folder / "steps.safetensors"));
  const AttentionTensors tensors = find_attention(*file, {}, false).front();
  const auto attention = read_layer(file, tensors, 1, Stage::weights, "steps");
  std::vector<float> cells(12);
  attention->read(cells, 0, {0, 0, 3, 4});
  EXPECT_EQ(cells, (std::vector<float>{7, 8, 9, 0, 10, 11, 12, 0, 17, 18, 19, 20}));
  cells.assign(4, -1);
  attention->read(cells, 0, {1, 2, 2, 2});
  EXPECT_EQ(cells, (std::vector<float>{12, 0, 19, 20}));
  EXPECT_EQ(attention->place(0, 2, 3), "1.1[0, 0, 0, 3]");
  EXPECT_EQ(attention->place(0, 1, 3), "\"0.1\" has no key 4");
}

TEST(ViewedFile, RowsCanBeDividedByTheirSums) {
  const auto file = std::make_shared<const NamedArrays>(parse_csv("1,2,5\n0,0,0\n"));
  AttentionTensors tensors = find_attention(*file, {}, false).front();
  tensors.divides_rows = true;
  const auto attention = read_layer(file, tensors, 0, Stage::weights, "table");
  std::vector<float> cells(6);
  attention->read(cells, 0, {0, 0, 2, 3});
  EXPECT_EQ(cells, (std::vector<float>{0.125F, 0.25F, 0.625F, 0, 0, 0}));
  attention->read(std::span(cells).first(1), 0, {0, 2, 1, 1});
  EXPECT_EQ(cells[0], 0.625F);
  EXPECT_EQ(attention->place(0, 0, 2), "[0, 2] / sum of its row");
}

TEST(ViewedFile, OneTensorCanBeAskedForByName) {
  const NamedArrays file = described({{"a0", {5, 5}}, {"a1", {5, 5}}});
  const auto all = find_attention(file, "a1", false);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].arrays, std::vector<std::size_t>{1});
  EXPECT_TRUE(says(error_of([&] { find_attention(file, "b", false); }).what(), {"no tensor \"b\""}));
}

TEST(ViewedFile, WhatIsNoAttentionIsRefusedWithItsShape) {
  for (const Shape& shape : {Shape{5, 6}, Shape{5}, Shape{}, Shape{0, 0}, Shape{0, 5, 5}, Shape{2, 1, 2, 1, 2, 5, 5}}) {
    const std::string sentence = error_of([&] { find_attention(described({{"x", shape}}), {}, false); }).what();
    EXPECT_TRUE(says(sentence, {"There is no attention in it", "\"x\" " + shape_text(shape)})) << sentence;
  }
}

TEST(ViewedFile, TooManyTokensAreRefusedWithTheNameOfTheTensorIfItHasOne) {
  const Shape shape{max_tokens + 1, max_tokens + 1};
  const auto refusal_of = [&](const std::string& name) {
    const auto file = std::make_shared<const NamedArrays>(described({{name, shape}}));
    const AttentionTensors tensors = find_attention(*file, {}, false).front();
    return std::string(error_of([&] { stage_of(file, tensors); }).what());
  };
  EXPECT_TRUE(refusal_of("attn").starts_with("The tensor \"attn\" has the shape (4097, 4097)"));
  EXPECT_TRUE(refusal_of("").starts_with("The tensor has the shape (4097, 4097)"));
}

// Causal masks and square weights of a model are no attention, in whichever library's names.
TEST(ViewedFile, ParametersOfAModelAreNoAttention) {
  const std::vector<std::vector<std::pair<std::string, Shape>>> state_dicts = {
      {{"trf_blocks.0.att.mask", {4, 4}},
       {"trf_blocks.1.att.mask", {4, 4}},
       {"trf_blocks.0.att.W_query.weight", {2, 2}},
       {"trf_blocks.1.att.W_query.weight", {2, 2}}},
      {{"h.0.attn.c_proj.weight", {8, 8}}, {"h.0.attn.bias", {1, 1, 4, 4}}, {"wte.weight", {20, 8}}},
      {{"model.transformer.h.0.attn.c_proj.weight", {8, 8}}, {"optimizer.state.1.exp_avg", {8, 8}}},
      {{"self_attn.rel", {8, 8}}, {"self_attn.q_proj.bias", {8}}}};
  for (const auto& state_dict : state_dicts) {
    const NamedArrays file = described(state_dict);
    EXPECT_FALSE(holds_attention(file)) << state_dict.front().first;
    EXPECT_TRUE(says(error_of([&] { find_attention(file, {}, false); }).what(),
                     {"The file has the weights of a model, and no attention", "config.json", "n_heads"}));
    EXPECT_EQ(find_attention(file, state_dict.front().first, false).size(), 1U) << "it was asked for";
    Document document = default_document();
    EXPECT_TRUE(says(error_of([&] { import_arrays(document, file, {}); }).what(), {"config.json"}));
  }
  const NamedArrays module = described({{"W_query", {3, 3}}, {"W_key", {3, 3}}, {"W_value", {3, 3}}});
  EXPECT_TRUE(says(error_of([&] { find_attention(module, {}, false); }).what(), {"an attention module", "import"}));
  EXPECT_FALSE(holds_parameters(described({{"emb.weight", {5, 5}}}))) << "a table alone may be embeddings";
  EXPECT_FALSE(holds_parameters(described({{"attn.weights", {5, 5}}, {"layer.weight", {2, 5, 5}}})));
}

TEST(ViewedFile, MoreThanIsShownIsRefusedBeforeAnythingIsRead) {
  const auto refused = [](const Shape& shape, const std::string& what) {
    const auto file = std::make_shared<const NamedArrays>(described({{"x", shape}}));
    const AttentionTensors tensors = find_attention(*file, {}, false).front();
    return says(error_of([&] { stage_of(file, tensors); }).what(), {what, shape_text(shape)});
  };
  EXPECT_TRUE(refused({4097, 4097}, "4097 tokens"));
  EXPECT_TRUE(refused({Index{1} << 31, Index{1} << 31}, "tokens"));
  EXPECT_TRUE(refused({144, 8, 8}, "144 heads"));
  EXPECT_TRUE(refused({2, 65, 1, 8, 8}, "65 batch entries"));
}

TEST(ViewedFile, RowsOfSharesAreAttentionAndOtherTablesAreNot) {
  const auto holds = [](const std::string& bytes) { return holds_attention(parse_npy(bytes)); };
  EXPECT_TRUE(holds(npy_of({4, 4}, 0.25F)));
  EXPECT_FALSE(holds(npy_of({4, 4}, 0.5F)));
  EXPECT_FALSE(holds(npy_of({4, 4}, -0.25F)));
  EXPECT_FALSE(holds(npy_of({4, 4}, std::nanf(""))));
  EXPECT_FALSE(holds(npy_of({4, 3}, 0.25F)));
  EXPECT_TRUE(holds(npy_of({1, 4, 4}, 0.25F)));
  EXPECT_FALSE(holds(npy_of({1, 4, 4}, 3)));
  EXPECT_TRUE(holds(npy_of({2, 4, 4}, 3)));  // several square matrices are no embeddings
}

TEST(ViewedFile, NumbersThatAreNoSharesAreScores) {
  const auto stage = [](float number) {
    const std::string bytes = npy_of({3, 2, 4, 4}, number);
    const auto file = std::make_shared<const NamedArrays>(parse_npy(bytes));
    return stage_of(file, find_attention(*file, {}, false).front());
  };
  EXPECT_EQ(stage(0.25F), Stage::weights);
  EXPECT_EQ(stage(1), Stage::weights);
  EXPECT_EQ(stage(std::nanf("")), Stage::weights);
  EXPECT_EQ(stage(1.5F), Stage::scores);
  EXPECT_EQ(stage(-0.25F), Stage::scores);
}

TEST(ViewedFile, RowsThatSumToAHundredAreWeightsInPercent) {
  const auto is_percent = [](const NamedArrays& file) {
    return are_percent(file, find_attention(file, {}, false).front());
  };
  EXPECT_TRUE(is_percent(parse_npy(npy_of({3, 2, 4, 4}, 25))));
  EXPECT_FALSE(is_percent(parse_npy(npy_of({3, 2, 4, 4}, 0.25F))));
  EXPECT_FALSE(is_percent(parse_npy(npy_of({3, 2, 4, 4}, 30))));
  EXPECT_TRUE(is_percent(parse_csv("33;33;33\n-0;0;100\n50;25;25\n"))) << "percents are rounded";
  EXPECT_FALSE(is_percent(parse_csv("150;-50\n0;100\n"))) << "a weight is not below 0";
  EXPECT_TRUE(holds_attention(parse_csv("100;0\n43;57\n")));
  const auto file = std::make_shared<const NamedArrays>(parse_csv("100;0\n43;57\n"));
  AttentionTensors tensors = find_attention(*file, {}, false).front();
  EXPECT_EQ(stage_of(file, tensors), Stage::scores);
  tensors.is_in_percent = true;
  EXPECT_EQ(stage_of(file, tensors), Stage::weights);
  const auto attention = read_layer(file, tensors, 0, Stage::weights, "a.csv");
  std::vector<float> row(2);
  attention->read(row, 0, {1, 0, 1, 2});
  EXPECT_EQ(row, (std::vector<float>{43.0F / 100, 57.0F / 100}));
  EXPECT_EQ(attention->place(0, 1, 0), "[1, 0] / 100");
  EXPECT_TRUE(attention->is_causal);
}

TEST(ViewedFile, ACellIsNamedAsPythonWouldAskForIt) {
  const std::string bytes = npy_of({3, 2, 4, 4});
  const auto file = std::make_shared<const NamedArrays>(parse_npy(bytes));
  const auto attention = read_layer(file, find_attention(*file, {}, false).front(), 2, Stage::weights, "a.npy");
  EXPECT_EQ(attention->place(1, 3, 0), "[2, 1, 3, 0]");
  EXPECT_EQ(attention->number_type, "float32");
}

TEST(ViewedFile, WhatIsCutOffWhileItIsLookedAtIsNotANumber) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "large.npy";
  put_text(path, npy_header("<f4", {2, 3000, 3000}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + std::uintmax_t{4} * 2 * 3000 * 3000);
  const auto file = std::make_shared<const NamedArrays>(read_arrays(path));
  const auto attention = read_layer(file, find_attention(*file, {}, false).front(), 0, Stage::weights, "large.npy");
  std::vector<float> cell(1, 7);
  attention->read(cell, 1, {2999, 2999, 1, 1});
  EXPECT_EQ(cell[0], 0);
  std::filesystem::resize_file(path, 1000);
  EXPECT_FALSE(file->is_whole());
  attention->read(cell, 1, {2999, 2999, 1, 1});
  EXPECT_TRUE(std::isnan(cell[0]));
  attention->read(cell, 0, {0, 0, 1, 1});
  EXPECT_EQ(cell[0], 0) << "what is still there";
  EXPECT_TRUE(says(error_of([&] { (void)to_tensor(file->arrays[0]); }).what(), {"made shorter by another program"}));
}

TEST(ViewedFile, StaysWhenAnotherIsPutInItsPlace) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.npy";
  put_text(path, npy_of({2, 5, 5}, 0.5F));
  const auto file = std::make_shared<const NamedArrays>(in_file(path));
  const auto attention = read_layer(file, find_attention(*file, {}, false).front(), 0, Stage::weights, "a.npy");
  std::filesystem::remove(path);
  put_text(path, "x");
  std::vector<float> cells(25);
  attention->read(cells, 1, {0, 0, 5, 5});
  EXPECT_EQ(cells, std::vector<float>(25, 0.5F));
  EXPECT_TRUE(file->is_whole());
}

// All layers, as one float32 array (layers, batch, heads, T, T).
Tensor all_layers(NamedArrays arrays) {
  const auto file = std::make_shared<const NamedArrays>(std::move(arrays));
  const AttentionTensors tensors = find_attention(*file, {}, false).front();
  const Index T = tensors.keys;
  Tensor all({tensors.layers, tensors.batch_size, tensors.heads, T, T});
  const Index matrices = tensors.batch_size * tensors.heads;
  for (Index layer = 0; layer < tensors.layers; ++layer) {
    const auto attention = read_layer(file, tensors, layer, Stage::scores, "");
    for (Index matrix = 0; matrix < matrices; ++matrix) {
      const auto first = static_cast<std::size_t>((layer * matrices + matrix) * T * T);
      attention->read(std::span(all.values).subspan(first, static_cast<std::size_t>(T * T)), matrix, {0, 0, T, T});
    }
  }
  return all;
}

// A part of one matrix.
std::vector<float> part_of(const Tensor& tensor, Index matrix, const CellRect& rect) {
  std::vector<float> cells;
  for (Index row = 0; row < rect.rows; ++row) {
    for (Index col = 0; col < rect.cols; ++col) cells.push_back(tensor.matrix(matrix)(rect.row + row, rect.col + col));
  }
  return cells;
}

class NumpyFiles : public testing::Test {
protected:
  void SetUp() override {
    const std::string script = tests_folder() / "app/viewed_files.py";
    const std::string command = fmt::format("/usr/bin/python3 '{}' '{}'", script, folder_.path().string());
    ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy is the judge of these files: is python3-numpy installed?";
  }
  TemporaryFolder folder_;
};

TEST_F(NumpyFiles, AreReadAsNumpyReadsThem) {
  int files = 0;
  for (const std::string& name : folder_.names()) {
    const std::string stem = name.substr(0, name.find('.'));
    if (name.ends_with(".want.npy")) continue;
    SCOPED_TRACE(name);
    const NamedArrays want = read_arrays(folder_ / (stem + ".want.npy"));
    EXPECT_TRUE(same_bits(all_layers(read_arrays(folder_ / name)), to_tensor(want.arrays.front())));
    EXPECT_TRUE(same_bits(all_layers(in_file(folder_ / name)), to_tensor(want.arrays.front()))) << "not copied";
    ++files;
  }
  EXPECT_GE(files, 60);
}

TEST_F(NumpyFiles, AreReadInParts) {
  for (const char* const name : {"f4_little_C", "f4_little_F", "f8_big_C", "i2_big_F"}) {
    SCOPED_TRACE(name);
    const auto file = std::make_shared<const NamedArrays>(read_arrays(folder_ / (std::string(name) + ".npy")));
    const Tensor want = to_tensor(read_arrays(folder_ / (std::string(name) + ".want.npy")).arrays.front());
    const auto attention = read_layer(file, find_attention(*file, {}, false).front(), 1, Stage::scores, "");
    const CellRect rect = {1, 0, 2, 3};
    std::vector<float> cells(6);
    attention->read(cells, 2, rect);
    EXPECT_EQ(cells, part_of(want, 3 + 2, rect));
  }
}

TEST_F(NumpyFiles, AreLookedAtInPlaceWhereTheyAreNotPacked) {
  const NamedArrays large = read_arrays(folder_ / "large.npz");
  for (const ArrayView& array : large.arrays) EXPECT_TRUE(array.bytes.is_there()) << array.name;
  const NamedArrays packed = read_arrays(folder_ / "packed.npz");
  for (const ArrayView& array : packed.arrays) EXPECT_FALSE(array.bytes.is_there()) << array.name;
}

// Bytes that this process has read so far.
Index bytes_read() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  Index count = -1;
  return counters >> name >> count ? count : -1;
}

TEST(ViewedFile, OfALargeFileNoMoreIsReadThanWhatIsLookedAt) {
  constexpr Index tokens = 2000;
  const TemporaryFolder folder;
  put_text(folder / "large.npy", npy_header("<f4", {8, tokens, tokens}));
  std::filesystem::resize_file(folder / "large.npy", std::filesystem::file_size(folder / "large.npy") +
                                                         std::size_t{8} * tokens * tokens * sizeof(float));
  const auto arrays = std::make_shared<const NamedArrays>(in_file(folder / "large.npy"));
  if (bytes_read() < 0) GTEST_SKIP() << "this system does not count them";
  std::vector<float> row(tokens);
  const Index before = bytes_read();
  ASSERT_TRUE(read_matrix(row, arrays->arrays.front(), 3, {700, 0, 1, tokens}));
  const Index read = bytes_read() - before;
  EXPECT_GE(read, tokens * 4);
  EXPECT_LT(read, tokens * 4 + 4096) << "the rest is the file of counters";
}

// Where the cells of a matrix lie far apart, a page is read for each.
TEST(ViewedFile, KnowsWhatACellCosts) {
  const TemporaryFolder folder;
  put_text(folder / "rows.npy", npy_of({4, 6, 6}));
  NamedArrays file = in_file(folder / "rows.npy");
  EXPECT_EQ(read_for_a_cell(file.arrays.front()), 1);
  file.arrays.front().is_fortran = true;
  EXPECT_EQ(read_for_a_cell(file.arrays.front()), 4);
  file.arrays.front().shape = {9000, 6, 6};
  EXPECT_EQ(read_for_a_cell(file.arrays.front()), 4096);
  EXPECT_EQ(read_for_a_cell(parse_npy(npy_of({4, 6, 6})).arrays.front()), 1);
}

}  // namespace
}  // namespace attnscope::test
