// What a file is, and the sentence for each that is not read.

#include "files/file_kind.h"

#include <gtest/gtest.h>

#include <map>

#include "document/file_formats.h"
#include "document/json.h"
#include "files/array_files.h"
#include "files/attention_file.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "support.h"

namespace attnscope::test {
namespace {

using namespace std::string_literals;

std::string little_endian(std::initializer_list<std::int32_t> numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

TEST(FileKind, FormatsThatAreNotReadAreNamedWithWhatToDo) {
  const struct {
    const char* name;
    std::string bytes;
    std::vector<std::string> fragments;
  } cases[] = {
      {"model.safetensors",
       "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 548105171\n",
       {"pointer of Git LFS", "git lfs pull"}},
      {"a.gguf", "GGUF\3\0\0\0"s, {"GGUF"}},
      {"renamed.bin", "GGUF\3\0\0\0"s, {"GGUF"}},
      {"a.bin", "lmgg\1\0\0\0"s, {"GGML"}},
      {"stories15M.bin",
       little_endian({288, 768, 6, 6, 6, 32000, 256}) + std::string(100, '\1'),
       {"llama2.c", "whose .bin is not read", ".pt"}},
      {"shared_keys.bin", little_endian({288, 768, 6, 6, 2, 32000, 256}) + std::string(100, '\1'), {"llama2.c"}},
      {"gpt2_124M.bin", little_endian({20240326, 3, 1024, 50257, 12, 12, 768}), {"llm.c"}},
      {"a.onnx", "\x08\x07\x12\x07pytorch", {"ONNX"}},
      {"a.bin", "\x08\x07\x12\x07pytorch", {"ONNX"}},
      {"a.h5", "\x89HDF\r\n\x1a\n\0\0"s, {"HDF5", "numpy.savez"}},
      {"saved_model.pb", "\x08\x01", {"TensorFlow", "from_tf=True"}},
      {"model.ckpt-1000.index", "\0\0\0"s, {"TensorFlow"}},
      {"meta.pkl", "\x80\x04\x95\x10\0\0\0\0\0\0\0}."s, {"pickle of Python", "torch.save"}},
      {"a.pkl", "\x80\x05\x95\x10\0\0\0\0\0\0\0}."s, {"pickle of Python"}},
      {"a.pt", "\x80\x04\x95\x10\0\0\0\0\0\0\0}."s, {"pickle of Python"}},
      {"a.safetensors", "", {"an empty file"}},
      {"a.npy", "", {"an empty file"}},
      {"model.pth", "\n<!DOCTYPE html>\n<html><body>Sign in</body></html>", {"web page", "download the file itself"}},
      {"a.npz", "<HTML><HEAD>", {"web page"}},
      {"a.npy.gz", "\x1F\x8B\x08\0"s, {"gzip", "unpack it"}},
      {"a.tar", std::string(257, 'a') + "ustar", {"tar archive"}},
      {"a.7z", "7z\xBC\xAF\x27\x1C", {"7z archive"}},
      {"cut.npz", "PK\x03\x04 and no more", {"cut short", "again"}},
      {"a.parquet", "PAR1", {"Parquet", ".csv"}},
      {"a.mat", "MATLAB 5.0 MAT-file", {"MATLAB"}},
      {"a.msgpack", "\x83", {"Flax", "save_pretrained"}},
      {"photo.jpg", "\xFF\xD8\xFF\xE0", {"JPEG", "carries no document"}},
      {"a.ipynb", "{\"nbformat\": 4}", {"notebook"}},
  };
  const TemporaryFolder folder;
  for (const auto& each : cases) {
    put_text(folder / each.name, each.bytes);
    const std::string sentence = kind_of_file(folder / each.name).refusal;
    EXPECT_TRUE(says(sentence, each.fragments)) << each.name << ": " << sentence;
    const std::string whole = error_of([&] { checked_kind_of_file(folder / each.name); }).what();
    EXPECT_EQ(whole, (folder / each.name).string() + ": " + sentence);
    for (const char* const word : {"JSON", "UTF-8", "header", "--", "menu"})
      EXPECT_EQ(sentence.find(word), std::string::npos) << sentence;
  }
  put_text(folder / "config.json", R"({"model_type": "gpt2", "vocab_size": 5, "n_positions": 4, "n_embd": 4,
                                       "n_layer": 1, "n_head": 2})");
  EXPECT_TRUE(says(error_of([&] { open_model(folder.path().string()); }).what(), {"pointer of Git LFS"}));
}

TEST(FileKind, ItsContentDecidesBeforeItsName) {
  using What = FileKind::What;
  const TemporaryFolder folder;
  const auto kind = [&](const char* name, const std::string& bytes) {
    put_text(folder / name, bytes);
    const FileKind found = kind_of_file(folder / name);
    EXPECT_EQ(found.refusal, "") << name;
    return found.what;
  };
  EXPECT_EQ(kind("a.json", "{}"), What::document);
  EXPECT_EQ(kind("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'></svg>"), What::document);
  EXPECT_EQ(kind("a.pt", data_text("state_dict.pth")), What::arrays);
  EXPECT_EQ(kind("a.unknown", data_text("state_dict.pth")), What::arrays);
  EXPECT_EQ(kind("a.npy", npy_header("<f4", {1, 1}) + "1234"), What::arrays);
  EXPECT_EQ(kind("array", npy_header("<f4", {1, 1}) + "1234"), What::arrays);
  EXPECT_EQ(kind("a.csv", "1,2\n"), What::arrays);
  EXPECT_EQ(kind("a.tsv", "a\tb\n1\t2\n"), What::arrays);
  EXPECT_EQ(kind("numbers.txt", "4.3e-01 1.5e-01\n5.5e-01 8.7e-01\n"), What::arrays);
  EXPECT_EQ(kind("names.txt", "the\ncat\nslept\n"), What::document);
  EXPECT_EQ(kind("one.txt", "1\n2\n"), What::document) << "names may be numbers";
  EXPECT_EQ(kind("broken.npy", "\x93NUMPY and no more"), What::arrays) << "its reader says what is wrong";
  EXPECT_EQ(kind_of_file(folder / "missing.npy").what, What::document);
  EXPECT_EQ(kind_of_file(folder.path()).what, What::document);
  EXPECT_EQ(kind_of_file("-").what, What::document);
  std::filesystem::create_directory(folder / "tf");
  put_text(folder / "tf" / "saved_model.pb", "x");
  EXPECT_TRUE(says(kind_of_file(folder / "tf").refusal, {"SavedModel"}));
}

// What dialogs list, what no document is named and what a reader takes are one table.
TEST(FileKind, EveryFormatOfArraysIsReadByItsEndingsAndByItsFirstBytes) {
  const TemporaryFolder folder;
  const std::string npy = npy_header("<f4", {1, 2}) + "12345678";
  write_safetensors({{"w", Tensor({2, 3})}}, {}, folder / "w.safetensors");
  const std::map<ArrayKind, std::string> examples = {{ArrayKind::npy, npy},
                                                     {ArrayKind::npz, data_text("state_dict.pth")},
                                                     {ArrayKind::safetensors, text_of(folder / "w.safetensors")},
                                                     {ArrayKind::state_dict, data_text("state_dict.pth")},
                                                     {ArrayKind::table, "1,2\n3,4\n"}};
  for (const ArrayFormat& format : array_formats()) {
    const std::string& bytes = examples.at(format.kind);
    const auto first = bytes.substr(0, 16);
    EXPECT_EQ(array_format_by_bytes(first), format.begins ? &format : array_format_by_bytes(first));
    for (const std::string_view ending : format.endings) {
      if (ending.empty()) continue;
      const std::string name = "a" + std::string(ending);
      put_text(folder / name, bytes);
      EXPECT_EQ(array_format_by_ending(name), &format);
      EXPECT_TRUE(is_array_path(name));
      EXPECT_EQ(is_text_table(name), format.is_text);
      EXPECT_EQ(kind_of_file(folder / name).what, FileKind::What::arrays) << name;
      EXPECT_FALSE(read_arrays(folder / name).arrays.empty()) << name;
      EXPECT_THROW(check_name_of_document(name), Error) << name;
      EXPECT_NE((", " + array_endings() + ",").find(", " + std::string(ending) + ","), std::string::npos);
    }
  }
  EXPECT_FALSE(is_array_path("a.txt"));
  EXPECT_TRUE(is_text_table("a.txt"));
  EXPECT_FALSE(is_array_path("a") || is_array_path("") || is_text_table("a"));
}

TEST(FileKind, ASafetensorsThatIsCutShortSaysSo) {
  const TemporaryFolder folder;
  write_safetensors({{"w", Tensor({4, 4})}}, {}, folder / "a.safetensors");
  const std::string whole = text_of(folder / "a.safetensors");
  for (const std::size_t size : {whole.size() - 1, whole.size() - 40, std::size_t{20}}) {
    put_text(folder / "a.safetensors", whole.substr(0, size));
    EXPECT_TRUE(says(error_of([&] { read_arrays(folder / "a.safetensors"); }).what(), {"cut short", "again"})) << size;
  }
}

// Tensors in a file: T×T numbers each, all of them the same.
NamedArrays squares(const TemporaryFolder& folder, const std::vector<std::pair<std::string, float>>& tensors) {
  Parameters parameters;
  for (const auto& [name, number] : tensors) {
    Tensor tensor({4, 4});
    std::ranges::fill(tensor.values, number);
    parameters.push_back({name, std::move(tensor)});
  }
  write_safetensors(parameters, {}, folder / "a.safetensors");
  return read_arrays(folder / "a.safetensors");
}

TEST(FileKind, SeveralSquareArraysAreAttentionByTheirNamesOrTheirRows) {
  const TemporaryFolder folder;
  const auto found = [&](const std::vector<std::pair<std::string, float>>& tensors) {
    const NamedArrays file = squares(folder, tensors);
    try {
      return find_attention(file, {}, false).front().name;
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(found({{"a", 0.25F}, {"x", 0.25F}}), "a");
  EXPECT_EQ(found({{"attn_0", 3}, {"x", 3}}), "attn_0");
  EXPECT_EQ(found({{"mask", 1}, {"layer.probs", 0.5F}}), "layer.probs") << "masks come last";
  EXPECT_EQ(found({{"0", 0.25F}, {"1", 0.25F}}), "0 … 1");
  EXPECT_EQ(found({{"x", 3}}), "x") << "there is no other";
  for (const auto& names : {std::pair("wq", "wk"), {"a", "b"}, {"mask", "tril"}}) {
    const std::string sentence = found({{names.first, 3}, {names.second, 2}});
    EXPECT_TRUE(says(sentence, {"several square arrays", "sum to 1"})) << sentence;
    EXPECT_FALSE(holds_attention(squares(folder, {{names.first, 3}, {names.second, 2}})));
  }
  EXPECT_TRUE(says(found({{"h/0/attn/c_attn/w", 3}, {"h/0/attn/c_proj/w", 3}}), {"weights of a model"}));
  EXPECT_TRUE(says(found({{"params/attn/kernel", 3}, {"params/out/kernel", 3}}), {"weights of a model"}));
}

TEST(FileKind, OtherNumbersOfKeysThanOfQueriesAreNamed) {
  const auto refusal = [](const std::string& name, std::vector<Index> shape) {
    NamedArrays file;
    ArrayView& array = file.arrays.emplace_back();
    array.name = name;
    array.shape = std::move(shape);
    return std::string(error_of([&] { find_attention(file, {}, false); }).what());
  };
  EXPECT_TRUE(says(refusal("", {2, 3, 4, 6}), {"(2, 3, 4, 6)", "4 queries and 6 keys"}));
  EXPECT_TRUE(says(refusal("cross_attentions", {4, 6}), {"\"cross_attentions\"", "4 queries and 6 keys"}));
  EXPECT_TRUE(says(refusal("x", {4, 6}), {"There is no attention in it"}));
  NamedArrays steps;
  for (const auto& [name, shape] : {std::pair("0", std::vector<Index>{1, 2, 4, 4}), {"1", {1, 2, 1, 5}}}) {
    steps.arrays.emplace_back().name = name;
    steps.arrays.back().shape = shape;
  }
  EXPECT_TRUE(says(error_of([&] { find_attention(steps, {}, false); }).what(), {"\"1\"", "1 query and 5 keys"}));
}

TEST(FileKind, ATableOfPandasIsAttentionIfItsNamesAreTheSame) {
  EXPECT_TRUE(holds_attention(parse_csv(",The,cat\nThe,1,0\ncat,0.5,0.5\n")));
  EXPECT_TRUE(holds_attention(parse_csv(",The,cat\nThe,3,0\ncat,2,9\n"))) << "scores";
  EXPECT_FALSE(holds_attention(parse_csv(",d1,d2\nThe,3,0\ncat,2,9\n")));
}

}  // namespace
}  // namespace attnscope::test
