// What a file is, and the sentence for each that is not read.

#include "files/file_kind.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <map>

#include "document/file_formats.h"
#include "document/json.h"
#include "files/array_files.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/import.h"
#include "model_folder.h"
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

// The seven numbers of llama2.c, with one of them changed.
std::string llama2c(std::size_t index = 0, std::int32_t number = 288) {
  std::int32_t sizes[] = {288, 768, 6, 6, 6, 32000, 256};
  sizes[index] = number;
  return {reinterpret_cast<const char*>(sizes), sizeof sizes};
}

// The least that a file must have to be recognized, and what has a little less or other than that.
TEST(FileKind, EachSignOfAFormatIsEnoughAndNoLessIs) {
  const struct {
    const char* name;
    std::string bytes;
    const char* fragment;  // null: the file is not refused
  } cases[] = {
      {"a.bin", llama2c(), "llama2.c"},
      {"a.bin", llama2c().substr(0, 27), nullptr},
      {"a.dat", llama2c(), nullptr},
      {"a.bin", llama2c(5, -32000), "llama2.c"},
      {"a.bin", llama2c(2, 0), nullptr},
      {"a.bin", llama2c(2, 1 << 10), "llama2.c"},
      {"a.bin", llama2c(2, (1 << 10) + 1), nullptr},
      {"a.bin", llama2c(0, (1 << 16) + 2), nullptr},
      {"a.bin", llama2c(1, (1 << 18) + 1), nullptr},
      {"a.bin", llama2c(5, (1 << 20) + 1), nullptr},
      {"a.bin", llama2c(6, (1 << 22) + 1), nullptr},
      {"a.bin", llama2c(0, 287), nullptr},
      {"a.bin", llama2c(4, 4), nullptr},
      {"a.dat", "ak42", "llama2.c"},
      {"a.dat", "24ka", "llama2.c"},
      {"a.dat", little_endian({20240520}), "llm.c"},
      {"a.dat", little_endian({20240521}), nullptr},
      {"a.onnx", "x", "ONNX"},
      {"a.bin", "\x08\x07\x12\x07", "ONNX"},
      {"a.bin", "\x08\x01\x1A\x07", "ONNX"},
      {"a.bin", "\x08\x20\x22\x07", "ONNX"},
      {"a.bin", "\x08\x07\x3A\x07", "ONNX"},
      {"a.bin", "\x08\x07\x42\x07", "ONNX"},
      {"a.bin", "\x08\x07\x12", nullptr},
      {"a.bin", "\x08\0\x12\x07"s, nullptr},
      {"a.bin", "\x08\x21\x12\x07", nullptr},
      {"a.bin", "\x08\x07\x2A\x07", nullptr},
      {"a.bin", "\x80\x02}.", "pickle of Python"},
      {"a.bin", "\x80\x01}.", nullptr},
      {"a.bin", "\x80\x06}.", nullptr},
      {"a.bin", "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19", nullptr},
      {"checkpoint", "model_checkpoint_path: \"a\"", "TensorFlow"},
      {"a.tflite", "\x1C\0\0\0TFL3"s, "TensorFlow"},
      {"A.CKPT.DATA-00000-OF-00001", "x", "TensorFlow"},
      {"a.ckpt.data-00000-of-00001", "x", "TensorFlow"},
      {"a.index", "x", nullptr},
      {"a.dat", "fmgg", "GGML"},
      {"a.dat", "tjgg", "GGML"},
      {"a.dat", "algg", "GGML"},
      {"a.dat", "ARROW1", "Arrow"},
      {"a.dat", "FEA1", "Arrow"},
      {"a.dat", "SQLite format 3", "SQLite"},
      {"a.dat", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "Microsoft Office"},
      {"a.dat", "BZh", "bzip2"},
      {"a.dat",
       "\xFD"
       "7zXZ",
       "an xz file"},
      {"a.dat", "\x28\xB5\x2F\xFD", "zstd"},
      {"a.dat", "Rar!", "RAR"},
      {"a.dat",
       "\x7F"
       "ELF",
       "a program"},
      {"a.py", "x", "Python script"},
      {"a.bmp", "BM", "BMP"},
      {"a.dat", "BM", nullptr},
      {"a.dat", "II*", "TIFF"},
      {"a.dat", "MM\0*"s, "TIFF"},
      {"a.dat", "RIFF", "WebP"},
      {"a.dat", "%!PS", "PostScript"},
      {"a.dat", "\xEF\xBB\xBF<html>", "web page"},
      {"a.dat", "<head>", "web page"},
      {"a.dat", "<heading>", "web page"},
  };
  const TemporaryFolder folder;
  for (const auto& each : cases) {
    put_text(folder / each.name, each.bytes);
    const std::string sentence = kind_of_file(folder / each.name).refusal;
    if (each.fragment) {
      EXPECT_TRUE(says(sentence, {each.fragment})) << each.name << ": " << sentence;
    } else {
      EXPECT_EQ(sentence, "") << each.name << " of " << each.bytes.size() << " bytes";
    }
  }
}

TEST(FileKind, AnArchiveIsJudgedByAllThatIsInIt) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::vector<std::string>& entries) {
    std::filesystem::remove(folder / "a.zip");
    zip_t* const zip = zip_open((folder / "a.zip").c_str(), ZIP_CREATE, nullptr);
    for (const std::string& name : entries) zip_file_add(zip, name.c_str(), zip_source_buffer(zip, "x", 1, 0), 0);
    zip_close(zip);
    try {
      refuse_foreign(Bytes(std::make_shared<const ReadableFile>(folder / "a.zip")), "a.zip");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"a.npy", "readme"}), "");
  EXPECT_EQ(refusal({"a/data.pkl", "a/version"}), "");
  EXPECT_TRUE(says(refusal({"a/constants.pkl", "a/data.pkl"}), {"TorchScript"}));
  EXPECT_TRUE(says(refusal({"xl/workbook.xml", "xl/styles.xml"}), {"workbook of a spreadsheet"}));
  EXPECT_TRUE(says(refusal({"content.xml"}), {"workbook of a spreadsheet"}));
  EXPECT_TRUE(says(refusal({"constants.pkl", "my/content.xml"}), {"without arrays"}));
}

TEST(FileKind, WhatLiesBesideAFileCountsToo) {
  using What = FileKind::What;
  const TemporaryFolder folder;
  const ModelFolder model;
  const std::string weights = ModelFolder::safetensors(model.shapes, {});
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    put_text(folder / name, text);
    return folder / name;
  };
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(kind_of_file(folder / "empty").what, What::document);
  EXPECT_EQ(kind_of_file(put("alone/a.safetensors", weights)).what, What::model);
  EXPECT_EQ(kind_of_file(put("alone/a.pth", "no tensors")).what, What::arrays);
  put("alone/b.npz", "PK\x03\x04");
  put("with/config.json", "{}");
  EXPECT_EQ(kind_of_file(put("with/a.pth", "no tensors")).what, What::model);
  EXPECT_EQ(kind_of_file(put("with/a.csv", "1,2\n")).what, What::arrays);
  EXPECT_EQ(kind_of_file(put("with/b.csv", "the,cat\n")).what, What::arrays);
  EXPECT_EQ(kind_of_file(folder / "with/config.json").what, What::model) << "a checkpoint stands beside it";
  EXPECT_EQ(kind_of_file(put("numbers/config.json", "{}")).what, What::document);
  const FileKind missing = kind_of_file(put("book/config.json", R"({"emb_dim": 768})"));
  EXPECT_EQ(missing.what, What::model);
  EXPECT_TRUE(says(missing.refusal, {"weights are missing"}));
  put("hub/snapshots/abc/config.json", "{}");
  EXPECT_EQ(kind_of_file(folder / "hub").what, What::model);
  put("index/model.safetensors.index.json", "{}");
  EXPECT_EQ(kind_of_file(folder / "index").what, What::model);
  put("pointer/model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_TRUE(says(kind_of_file(folder / "pointer").refusal, {"Git LFS"}));
  EXPECT_EQ(kind_of_file(put("a.npy", "\x89PNG\r\n\x1a\n")).what, What::document) << "its bytes are a picture's";
  EXPECT_EQ(kind_of_file(folder / "a.pth#heads=2").what, What::model);
}

TEST(FileKind, ATableShowsInItsFirstLines) {
  for (const char* const text : {"1 2", "1 2\n3", "1;2\n", "1\t2\n", "1,2\n", "1 , 2\n", "# names\n1 2\n", "\n1 2\n",
                                 "1 2\n3 4\n5 6\nthe cat\n"})
    EXPECT_TRUE(is_table_of_numbers(text)) << text;
  for (const char* const text : {"", "#\n", "1", "1,,\n", "1 2\n3\n", "1 2\n3 4\nthe cat\n", "the cat\n", "1:2 3\n"})
    EXPECT_FALSE(is_table_of_numbers(text)) << text;
  const TemporaryFolder folder;
  put_text(folder / "a.json", "1 2\n3 4\n");
  EXPECT_EQ(kind_of_file(folder / "a.json").what, FileKind::What::document);
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
    EXPECT_EQ(sentence.find("--"), std::string::npos) << "an option of the command line";
  }
  try {
    (void)find_attention(squares(folder, {{"a", 3}, {"b", 2}}), {}, false);
    FAIL() << "nothing shows that it is attention";
  } catch (const ChoiceNeeded& needed) {
    EXPECT_EQ(needed.of, ChoiceNeeded::Of::numbers);
    EXPECT_EQ(needed.options, (std::vector<std::string>{"scores", "shares"}));
  }
  EXPECT_TRUE(says(found({{"h/0/attn/c_attn/w", 3}, {"h/0/attn/c_proj/w", 3}}), {"weights of a model"}));
  EXPECT_TRUE(says(found({{"params/attn/kernel", 3}, {"params/out/kernel", 3}}), {"weights of a model"}));
}

TEST(FileKind, ATableWithOtherKeysThanQueriesIsAttentionIfItsRowsAreShares) {
  EXPECT_TRUE(holds_attention(parse_csv(",le,chat,dort\nthe,0.5,0.25,0.25\ncat,0.1,0.8,0.1\n")));
  EXPECT_TRUE(holds_attention(parse_csv("50;25;25\n10;80;10\n"))) << "in percent";
  EXPECT_FALSE(holds_attention(parse_csv(",d1,d2,d3\nthe,0.5,0.2,0.9\ncat,0.1,0.8,0.4\n")));
  EXPECT_FALSE(holds_attention(parse_csv("0,1,0\n1,0,0\n"))) << "it marks words";
}

TEST(FileKind, ATableOfPandasIsAttentionIfItsNamesAreTheSame) {
  EXPECT_TRUE(holds_attention(parse_csv(",The,cat\nThe,1,0\ncat,0.5,0.5\n")));
  EXPECT_TRUE(holds_attention(parse_csv(",The,cat\nThe,3,0\ncat,2,9\n"))) << "scores";
  EXPECT_FALSE(holds_attention(parse_csv(",d1,d2\nThe,3,0\ncat,2,9\n")));
}

}  // namespace
}  // namespace attnscope::test
