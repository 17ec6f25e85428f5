// Results as JSON and as npz. What numpy makes of the npz is tested beside this.

#include "files/result_file.h"
#include "core/tensor.h"

#include <zip.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/evaluate.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

std::string result_to_json(const Result& result, const ResultPart& part) {
  std::string json;
  write_json(result, part, [&](std::string_view piece) { json += piece; });
  return json;
}

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
  const float endless = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Result result = result_with(Stage::scores, Tensor({1, 4}, {-endless, endless, nan, -0.0F}));
  EXPECT_EQ(result_to_json(result, {}), "{\n  \"scores\":\n    [[\"-inf\", \"inf\", \"nan\", -0.0]]\n}\n");
}

TEST(ResultJson, GivesTheMaskAsBooleans) {
  const Result result = result_with(Stage::mask, Tensor({2, 2}, {0, 1, 0, 0}));
  EXPECT_EQ(result_to_json(result, {}), "{\n  \"mask\":\n    [[false, true],\n     [false, false]]\n}\n");
}

TEST(ResultJson, HasTheChosenStagesOnly) {
  const std::string json = result_to_json(causal_result(), {.stages = {Stage::output, Stage::mask}});
  EXPECT_LT(json.find("\"output\""), json.find("\"mask\""));
  EXPECT_EQ(json.find("\"weights\""), std::string::npos);
}

TEST(ResultJson, HasWeightsOnlyWhereTheyAreAskedFor) {
  const Result result = causal_result();
  EXPECT_EQ(result_to_json(result, {}).find("W_query"), std::string::npos);
  const std::string weights = result_to_json(result, {.stages = {Stage::query_weight}});
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
  write_result(result, {}, folder / "a.npz");
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
  write_result(causal_result(), {.stages = {Stage::weights}}, folder / "a.npz");
  write_result(causal_result(), {.stages = {Stage::weights}}, folder / "b.npz");
  EXPECT_TRUE(text_of(folder / "a.npz") == text_of(folder / "b.npz"));
  EXPECT_EQ(entry_of(folder / "a.npz", "output.npy"), "");
}

// What JSON says of one stage of a part.
std::string json_of(const Result& result, Stage stage, std::optional<Index> batch, std::optional<Index> head) {
  return result_to_json(result, {.stages = {stage}, .batch = batch, .head = head});
}

// Every number of these matrices of a stage.
std::string json_of_matrices(const Result& result, Stage stage, std::vector<Index> shape, std::vector<Index> matrices) {
  Tensor part(std::move(shape));
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    eigen(part, static_cast<Index>(i)) = eigen(read_stage(result, stage), matrices[i]);
  }
  return result_to_json(result_with(stage, part), {});
}

TEST(ResultPart, IsWhatIndexingGives) {
  for (const int tokens : {6, 30}) {  // every stage a tensor, or computed when read
    SCOPED_TRACE(tokens);
    const Result result =
        evaluate(parse_document(R"({"batch_size": 2, "d_out": 6, "num_heads": 3, "inputs": {"randn": [)" +
                                std::to_string(tokens) + ", 4]}}")
                     .config);
    EXPECT_EQ(result.find(Stage::weights) != nullptr, tokens == 6);
    const Index T = tokens;
    EXPECT_EQ(json_of(result, Stage::weights, 1, 2), json_of_matrices(result, Stage::weights, {T, T}, {5}));
    EXPECT_EQ(json_of(result, Stage::weights, {}, 0), json_of_matrices(result, Stage::weights, {2, T, T}, {0, 3}));
    EXPECT_EQ(json_of(result, Stage::weights, 1, {}), json_of_matrices(result, Stage::weights, {3, T, T}, {3, 4, 5}));
    EXPECT_EQ(json_of(result, Stage::output, 1, 2), json_of_matrices(result, Stage::output, {T, 6}, {1}));
    EXPECT_EQ(json_of(result, Stage::queries, {}, 0), json_of_matrices(result, Stage::queries, {2, T, 2}, {0, 3}));
    EXPECT_EQ(json_of(result, Stage::mask, 1, 2), json_of(result, Stage::mask, {}, {}));
  }
}

TEST(ResultPart, OfSharedKeysIsWhatTheHeadOfQueriesReads) {
  const Result result = evaluate(
      parse_document(R"({"batch_size": 2, "d_out": 8, "num_heads": 4, "num_kv_heads": 2, "dropout": 0.5})").config);
  for (const Index head : {0, 1, 2, 3}) {
    const Index shared = head / 2;
    EXPECT_EQ(json_of(result, Stage::keys, 1, head), json_of_matrices(result, Stage::keys, {6, 2}, {2 + shared}));
    EXPECT_EQ(json_of(result, Stage::values, {}, head),
              json_of_matrices(result, Stage::values, {2, 6, 2}, {shared, 2 + shared}));
    EXPECT_EQ(json_of(result, Stage::weights, 1, head), json_of_matrices(result, Stage::weights, {6, 6}, {4 + head}));
  }
}

TEST(ResultNpz, HoldsWhatIsComputedWhenRead) {
  const TemporaryFolder folder;
  const Result result = evaluate(parse_document(R"({"dropout": 0.5, "inputs": {"randn": [700, 4]}})").config);
  ASSERT_FALSE(result.find(Stage::dropped_weights));
  write_result(result, {}, folder / "a.npz");
  const Tensor weights = read_stage(result, Stage::dropped_weights);
  const std::string bytes(reinterpret_cast<const char*>(weights.values.data()), weights.values.size() * sizeof(float));
  EXPECT_TRUE(entry_of(folder / "a.npz", "dropped_weights.npy").ends_with(bytes));
  const std::string mask = entry_of(folder / "a.npz", "mask.npy");
  EXPECT_EQ(std::ranges::count(std::string_view(mask).substr(mask.size() - 490000), '\1'), 700 * 699 / 2);
}

TEST(ResultCsv, NamesRowsAndColumnsByTokens) {
  const TemporaryFolder folder;
  const Result result = result_with(Stage::scores, Tensor({1, 1, 2, 2}, {1, 0.1F, -2, 3}));
  write_result(result, {.stages = {Stage::scores}}, folder / "a.csv", std::vector<std::string>{"the", "a,b"});
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
  EXPECT_TRUE(says(error_of([&] { write_result(causal_result(), {}, folder / "a.npz"); }).what(), {"Is a directory"}));
  const std::filesystem::path missing = folder / "no" / "a.npz";
  EXPECT_TRUE(says(error_of([&] { write_result(causal_result(), {}, missing); }).what(), {"No such file"}));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npz"});
}

TEST(ResultPath, HoldsWhatIsAskedForOrSaysWhy) {
  const AttentionConfig config = parse_document(R"({"batch_size": 3, "d_out": 4, "num_heads": 2})").config;
  const auto refusal = [&](const ResultPart& part, const char* path) {
    try {
      check_result_path(path);
      check_result_fits(config, part, path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string one = "Cannot write a.csv: .csv holds one matrix, but ";
  const std::string weights = one + "weights has ";
  for (const char* path : {"a.npz", "a.json"}) EXPECT_EQ(refusal({}, path), "") << path;
  EXPECT_EQ(refusal({}, "a.txt"), "Cannot write a.txt: results are written as .npz, .npy, .csv or .json.");
  EXPECT_EQ(refusal({}, "a.npy"),
            "Cannot write a.npy: .npy holds one stage, but all were chosen: name one with --stages.");
  EXPECT_EQ(refusal({.stages = {Stage::weights, Stage::mask}}, "a.csv"),
            "Cannot write a.csv: .csv holds one stage, but 2 were chosen: name one with --stages.");
  EXPECT_EQ(refusal({.stages = {Stage::weights}}, "a.npy"), "");
  EXPECT_EQ(refusal({.stages = {Stage::mask}}, "a.csv"), "");
  EXPECT_EQ(refusal({.stages = {Stage::weights}}, "a.csv"),
            weights + "3 batch entries: choose one with --batch 1 to 3.");
  EXPECT_EQ(refusal({.stages = {Stage::weights}, .batch = 0}, "a.csv"),
            weights + "2 heads: choose one with --head 1 to 2.");
  EXPECT_EQ(refusal({.stages = {Stage::weights}, .batch = 0, .head = 1}, "a.csv"), "");
  EXPECT_EQ(refusal({.stages = {Stage::output}, .head = 1}, "a.csv"),
            one + "output has 3 batch entries: choose one with --batch 1 to 3.");
  EXPECT_EQ(refusal({.stages = {Stage::output}, .batch = 2}, "a.csv"), "");
}

}  // namespace
}  // namespace attnscope::test
