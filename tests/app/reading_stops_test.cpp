// Whoever reads a file is told to stop between its first byte and its last.

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "document/json.h"
#include "files/array_files.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/image.h"
#include "files/picture_document.h"
#include "files/tokenizer.h"
#include "support.h"
#include "tests/support/endless_model.h"

namespace attnscope::test {
namespace {

// Reads once to the end, and then stops at the first look of the watch, at one in the middle and at the last.
void expect_stops(int least_looks, const std::function<void(const PartWatch& watch)>& read) {
  int looks = 0;
  read([&](float part) {
    EXPECT_TRUE(part >= 0 && part <= 1) << part;
    ++looks;
  });
  ASSERT_GE(looks, least_looks);
  for (const int last : {1, (looks + 1) / 2, looks}) {
    int left = last;
    EXPECT_THROW(read([&](float) {
                   if (--left == 0) throw Cancelled{};
                 }),
                 Cancelled)
        << "look " << last << " of " << looks;
  }
}

Parameters many_tensors(int count) {
  Parameters tensors;
  for (int i = 0; i < count; ++i) tensors.push_back({fmt::format("w.{}", i), Tensor({1, 2})});
  return tensors;
}

TEST(ReadingStops, InTheHeaderOfManyTensors) {
  const TemporaryFolder folder;
  write_safetensors(many_tensors(500), {}, folder / "a.safetensors");
  const std::string bytes = text_of(folder / "a.safetensors");
  expect_stops(500, [&](const PartWatch& watch) { parse_safetensors(bytes, watch); });
}

TEST(ReadingStops, InAnArchiveOfManyArrays) {
  const TemporaryFolder folder;
  const Tensor numbers({2, 2});
  std::vector<WrittenArray> arrays;
  for (int i = 0; i < 100; ++i) {
    arrays.emplace_back(fmt::format("a{}", i), numbers.shape, [&](std::span<float> cells, Index) {
      std::ranges::fill(cells, 0.0F);
      return Index{2};
    });
  }
  write_npz(arrays, folder / "a.npz");
  const std::string bytes = text_of(folder / "a.npz");
  // The archive's directory, and then each array.
  expect_stops(200, [&](const PartWatch& watch) { parse_npz(bytes, watch); });
}

TEST(ReadingStops, InACheckpointOfPyTorch) {
  const std::string bytes = data_text("state_dict.pth");
  expect_stops(30, [&](const PartWatch& watch) { parse_pth(bytes, watch); });
  std::string pickle = "\x80\x02](";
  for (int i = 0; i < 100'000; ++i) pickle += 'N';
  pickle += "e.";
  expect_stops(30, [&](const PartWatch& watch) {
    ReadingBudget budget = ReadingBudget::of_file(pickle.size(), watch);
    parse_pickle(pickle, budget);
  });
}

TEST(ReadingStops, InATableOfText) {
  std::string table;
  for (int i = 0; i < 500; ++i) table += fmt::format("row {},1,2\n", i);
  expect_stops(1000, [&](const PartWatch& watch) { parse_csv(table, watch); });  // numbers, then names
}

nlohmann::json vocabulary(int tokens) {
  nlohmann::json words = nlohmann::json::object();
  for (int i = 0; i < tokens; ++i) words[fmt::format("t{}", i)] = i;
  return words;
}

TEST(ReadingStops, InTheVocabularyOfATokenizer) {
  const nlohmann::json model = {{"type", "WordLevel"}, {"vocab", vocabulary(20'000)}, {"unk_token", "t0"}};
  const std::string json = nlohmann::json{{"model", model}}.dump();
  // While the text is read, and while its tokens get their places.
  expect_stops(20, [&](const PartWatch& watch) { Tokenizer::parse(json, watch); });
  std::string merges = "#version: 0.2\n";
  for (int i = 0; i < 9; ++i) merges += fmt::format("t{} t{}\n", i, i);
  nlohmann::json words = vocabulary(10);
  for (int i = 0; i < 9; ++i) words[fmt::format("t{}t{}", i, i)] = 10 + i;
  expect_stops(2, [&](const PartWatch& watch) { Tokenizer::parse_gpt2(words.dump(), merges, watch); });
}

// 40,000 numbers.
Document long_document() {
  Document document = default_document();
  document.tokens = numbered_tokens(200);
  document.config.inputs = Tensor({200, 200});
  return document;
}

TEST(ReadingStops, InADocumentAndInThePicturesThatCarryIt) {
  const TemporaryFolder folder;
  const Document document = long_document();
  save_document(document, folder / "a.json");
  expect_stops(5, [&](const PartWatch& watch) { load_any_document(folder / "a.json", watch); });
  Image image{4, 4, std::vector<std::uint8_t>(64)};
  const std::string svg = "<svg xmlns='http://www.w3.org/2000/svg'></svg>";
  put_text(folder / "a.png", with_document(encode_png(image), PictureKind::png, document));
  put_text(folder / "a.svg", with_document(svg, PictureKind::svg, document));
  for (const char* const name : {"a.png", "a.svg"})
    expect_stops(5, [&](const PartWatch& watch) { load_any_document(folder / name, watch); });
}

TEST(ReadingStops, InTheArraysThatADocumentNames) {
  const TemporaryFolder folder;
  const Tensor zeros({6, 6});
  write_npz({WrittenArray("b", zeros.shape,
                          [](std::span<float> cells, Index) {
                            std::ranges::fill(cells, 0.0F);
                            return Index{6};
                          })},
            folder / "b.npz");
  put_text(folder / "a.json", R"({"bias": "b.npz"})");
  expect_stops(5, [&](const PartWatch& watch) { load_any_document(folder / "a.json", watch); });
  const auto other = std::get<NamedFile>(load_without_others(folder / "a.json"));
  EXPECT_EQ(other.path, "b.npz");
  EXPECT_FALSE(other.is_model);
}

TEST(ReadingStops, InATrainedModelAndWhileItsChecksumIsComputed) {
  const TemporaryFolder folder;
  write_endless_model(folder / "endless");
  expect_stops(30, [&](const PartWatch& watch) { open_model((folder / "endless").string(), watch); });
  put_text(folder / "a.json", endless_document);
  int looks = 0;
  EXPECT_THROW(load_any_document(folder / "a.json",
                                 [&](float) {
                                   if (++looks == 200) throw Cancelled{};
                                 }),
               Cancelled)
      << "in an hour it will say that the checksum is another";
}

TEST(ReadingStops, BeforeAnythingOfAModelIsReadWhereItIsOnlyNamed) {
  const TemporaryFolder folder;
  write_endless_model(folder / "endless");
  put_text(folder / "endless" / "model.safetensors", "no weights");
  put_text(folder / "a.json", endless_document);
  const auto other = std::get<NamedFile>(load_without_others(folder / "a.json"));
  EXPECT_EQ(other.path, (folder / "endless").string());
  EXPECT_TRUE(other.is_model);
  EXPECT_EQ(shape_of_model(other.path).layers, 4);
}

// A copy that is kept in case of a crash does not wait for the checksum.
TEST(ReadingStops, NobodyWhoWritesADocumentWithoutItsChecksum) {
  const TemporaryFolder folder;
  write_endless_model(folder / "endless");
  const Document document = document_of(open_model((folder / "endless").string()));
  EXPECT_NE(model_without_sha256(document), nullptr);
  EXPECT_EQ(parse_document(to_json(document, ModelSha256::if_known)), document);
  EXPECT_EQ(model_without_sha256(document_of(open_model("example:stories"))), nullptr);
}

}  // namespace
}  // namespace attnscope::test
