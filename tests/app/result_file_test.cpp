// Results as JSON and as npz. What numpy makes of the npz is tested beside this.

#include "interchange/result_file.h"
#include "core/matrix.h"

#include <zip.h>

#include <limits>

#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

Result causal_result() { return evaluate(parse_document(R"({"batch_size": 2})").config); }

// A result with one stage of our own making.
Result result_with(Stage stage, Tensor tensor) {
  Result result;
  result.tensors[stage] = std::make_shared<const Tensor>(std::move(tensor));
  return result;
}

TEST(ResultJson, NestsListsByShape) {
  const Result result = result_with(Stage::context, Tensor({2, 2, 2}, {1, 0.1F, -2, 3, 4, 5, 6, 7.5F}));
  EXPECT_EQ(result_to_json(result, {}),
            "{\n  \"context\":\n    [[[1, 0.1],\n      [-2, 3]],\n     [[4, 5],\n      [6, 7.5]]]\n}\n");
}

TEST(ResultJson, SpellsWhatJsonHasNoNumbersFor) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Result result = result_with(Stage::scores, Tensor({1, 4}, {-infinity, infinity, nan, -0.0F}));
  EXPECT_EQ(result_to_json(result, {}), "{\n  \"scores\":\n    [[\"-inf\", \"inf\", \"nan\", -0.0]]\n}\n");
}

TEST(ResultJson, GivesTheMaskAsBooleans) {
  const Result result = result_with(Stage::mask, Tensor({2, 2}, {0, 1, 0, 0}));
  EXPECT_EQ(result_to_json(result, {}), "{\n  \"mask\":\n    [[false, true],\n     [false, false]]\n}\n");
}

TEST(ResultJson, HasTheChosenStagesOnly) {
  const std::string json = result_to_json(causal_result(), {Stage::output, Stage::mask});
  EXPECT_LT(json.find("\"output\""), json.find("\"mask\""));
  EXPECT_EQ(json.find("\"weights\""), std::string::npos);
}

TEST(ResultJson, HasWeightsOnlyWhereTheyAreAskedFor) {
  const Result result = causal_result();
  EXPECT_EQ(result_to_json(result, {}).find("W_query"), std::string::npos);
  const std::string weights = result_to_json(result, {Stage::query_weight});
  EXPECT_NE(weights.find("\"W_query\""), std::string::npos) << weights;
  EXPECT_EQ(weights.find("inputs"), std::string::npos) << weights;
}

TEST(ResultJson, ComesInPieces) {
  const Result result = result_with(Stage::scores, Tensor({300, 300}));
  std::size_t largest = 0;
  std::string whole;
  write_json(result, {}, [&](std::string_view piece) {
    largest = std::max(largest, piece.size());
    whole += piece;
  });
  EXPECT_EQ(whole, result_to_json(result, {}));
  EXPECT_LT(largest, whole.size() / 2);
}

std::string entry_of(const std::filesystem::path& archive, const std::string& name) {
  zip_t* zip = zip_open(archive.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  if (!zip) return "";
  zip_stat_t status;
  std::string bytes;
  if (zip_stat(zip, name.c_str(), 0, &status) == 0) {
    EXPECT_EQ(status.comp_method, ZIP_CM_STORE);
    bytes.resize(status.size);
    zip_file_t* file = zip_fopen(zip, name.c_str(), 0);
    EXPECT_EQ(zip_fread(file, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(file);
  }
  zip_close(zip);
  return bytes;
}

TEST(ResultNpz, HoldsNpyArraysAsTheyLieInMemory) {
  const TemporaryFolder folder;
  const Result result = causal_result();
  write_npz(result, {}, folder / "a.npz");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npz"});
  const std::string output = entry_of(folder / "a.npz", "output.npy");
  ASSERT_GT(output.size(), 64U);
  EXPECT_EQ(output.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_NE(output.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 6, 2), }"), std::string::npos);
  const Tensor& tensor = *result.find(Stage::output);
  const std::string bytes(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float));
  EXPECT_EQ((output.size() - bytes.size()) % 64, 0U);
  EXPECT_EQ(output.substr(output.size() - bytes.size()), bytes);
  const std::string mask = entry_of(folder / "a.npz", "mask.npy");
  EXPECT_NE(mask.find("{'descr': '|b1', 'fortran_order': False, 'shape': (6, 6), }"), std::string::npos);
  EXPECT_EQ(mask.substr(mask.size() - 36, 7), std::string("\0\1\1\1\1\1\0", 7));
}

TEST(ResultNpz, EqualResultsAreEqualFiles) {
  const TemporaryFolder folder;
  write_npz(causal_result(), {Stage::weights}, folder / "a.npz");
  write_npz(causal_result(), {Stage::weights}, folder / "b.npz");
  EXPECT_TRUE(text_of(folder / "a.npz") == text_of(folder / "b.npz"));
  EXPECT_EQ(entry_of(folder / "a.npz", "output.npy"), "");
}

TEST(ResultSelect, IsWhatIndexingGives) {
  const Result result = evaluate(parse_document(R"({"batch_size": 2, "d_out": 6, "num_heads": 3})").config);
  const Result selected = select(result, {}, 1, 2);
  const Tensor& weights = *selected.find(Stage::weights);
  EXPECT_EQ(weights.shape, (std::vector<Index>{6, 6}));
  EXPECT_EQ(eigen(weights), eigen(*result.find(Stage::weights), 1 * 3 + 2));
  EXPECT_EQ(eigen(*selected.find(Stage::output)), eigen(*result.find(Stage::output), 1));
  EXPECT_EQ(*selected.find(Stage::mask), *result.find(Stage::mask));
  const Result head = select(result, {}, {}, 0);
  EXPECT_EQ(head.find(Stage::queries)->shape, (std::vector<Index>{2, 6, 2}));
  EXPECT_EQ(eigen(*head.find(Stage::queries), 1), eigen(*result.find(Stage::queries), 3));
}

TEST(ResultCsv, NamesRowsAndColumnsByTokens) {
  const TemporaryFolder folder;
  const Result result = result_with(Stage::scores, Tensor({1, 1, 2, 2}, {1, 0.1F, -2, 3}));
  write_csv(result, Stage::scores, {"the", "a,b"}, folder / "a.csv");
  EXPECT_EQ(text_of(folder / "a.csv"), "query,the,\"a,b\"\nthe,1,0.1\n\"a,b\",-2,3\n");
}

TEST(ResultFile, GoesByTheEnding) {
  const TemporaryFolder folder;
  const Result result = causal_result();
  write_result(result, {}, folder / "a.json");
  EXPECT_EQ(text_of(folder / "a.json"), result_to_json(result, {}));
  write_result(result, {}, folder / "a.npz");
  EXPECT_TRUE(text_of(folder / "a.npz").starts_with("PK"));
  for (const char* name : {"a", "a.txt", "a.npz.gz", ".npz"}) {
    EXPECT_TRUE(says(error_of([&] { write_result(result, {}, folder / name); }).what(), {".npz, .npy, .csv or .json"}))
        << name;
  }
}

TEST(ResultFile, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a.npz");
  EXPECT_TRUE(says(error_of([&] { write_npz(causal_result(), {}, folder / "a.npz"); }).what(), {"Is a directory"}));
  const std::filesystem::path missing = folder / "no" / "a.npz";
  EXPECT_TRUE(says(error_of([&] { write_npz(causal_result(), {}, missing); }).what(), {"No such file"}));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npz"});
}

}  // namespace
}  // namespace attnscope::test
