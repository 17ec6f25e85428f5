#include "files/document_file.h"

#include <limits>

#include "core/evaluate.h"
#include "files/array_files.h"
#include "files/import.h"
#include "files/result_file.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(DocumentFile, ComesBackAsItWas) {
  const TemporaryFolder folder;
  Document document = default_document();
  document.config.seed = 18446744073709551615U;
  save_document(document, folder / "a.json");
  EXPECT_EQ(load_document(folder / "a.json"), document);
}

TEST(DocumentFile, AnExampleHasANameInsteadOfAFile) {
  EXPECT_EQ(load_document("example:causal_dropout").config.dropout, 0.5);
  EXPECT_EQ(load_document("example:stories").model->name, "stories");
  EXPECT_TRUE(says(error_of([] { load_document("example:dropout"); }).what(),
                   {"\"dropout\" is not an example, did you mean \"causal_dropout\"?"}));
  EXPECT_TRUE(says(error_of([] { load_document("example:nobody"); }).what(),
                   {"\"nobody\" is not an example: there are ", "causal_dropout, ", "gpt2_sized."}));
}

// The weights that a model had are those that its queries and keys give.
TEST(DocumentFile, NamesFilesOfArraysBesideIt) {
  const TemporaryFolder folder;
  Document document = default_document();
  document.config.batch_size = 2;
  const Result result = evaluate(document.config);
  write_result(result, {.stages = {Stage::queries, Stage::keys, Stage::values}}, folder / "heads.npz");
  write_result(result, {.stages = {Stage::scores}}, folder / "bias.npy");
  put_text(folder / "a.json",
           R"({"mechanism": "scaled_dot_product_attention", "given": "heads.npz", "mask": "causal"})");
  const Document loaded = load_document(folder / "a.json");
  EXPECT_EQ(loaded.config.heads.origin, "heads.npz");
  const Result same = evaluate(loaded.config);
  EXPECT_EQ(read_stage(same, Stage::weights), read_stage(result, Stage::weights));
  EXPECT_EQ(read_stage(same, Stage::context), read_stage(result, Stage::context));
  save_document(loaded, folder / "b.json");
  EXPECT_EQ(load_document(folder / "b.json"), loaded) << "the numbers are in it";
  const Document opened = document_of_heads(read_arrays(folder / "heads.npz"), "heads.npz");
  EXPECT_EQ(opened.config.heads, loaded.config.heads);
  EXPECT_FALSE(holds_heads(read_arrays(folder / "bias.npy")));
  put_text(folder / "a.json", R"({"batch_size": 2, "mask": "none", "bias": "bias.npy"})");
  EXPECT_EQ(load_document(folder / "a.json").config.bias, *result.find(Stage::scores));
  for (const char* bad : {R"("no.npz")", R"("bias.npy")", R"("")"}) {
    put_text(folder / "a.json", std::string(R"({"mechanism": "scaled_dot_product_attention", "given": )") + bad + "}");
    const Error error = error_of([&] { load_document(folder / "a.json"); });
    EXPECT_TRUE(says(error.what(), {(folder / "a.json").string()})) << error.what();
  }
}

// As attn_mask of torch.nn.functional.scaled_dot_product_attention; an array of numbers is added as it is.
TEST(DocumentFile, TrueInABiasMeansThatAQueryMaySeeTheKey) {
  const TemporaryFolder folder;
  std::string numbers;
  for (int i = 0; i < 36; ++i) numbers += static_cast<char>(i % 5 == 0 ? 0 : 1);
  put_text(folder / "a.json", R"({"mask": "none", "bias": "bias.npy"})");
  put_text(folder / "bias.npy", npy_header("|b1", {6, 6}) + numbers);
  const Tensor seen = load_document(folder / "a.json").config.bias.copy();
  put_text(folder / "bias.npy", npy_header("|u1", {6, 6}) + numbers);
  const Tensor added = load_document(folder / "a.json").config.bias.copy();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(seen.values[i], i % 5 == 0 ? -infinity : 0) << i;
    EXPECT_EQ(added.values[i], i % 5 == 0 ? 0 : 1) << i;
  }
}

TEST(DocumentFile, AMaskOfABatchHidesThePaddingOfEachEntry) {
  const TemporaryFolder folder;
  put_text(folder / "a.json", R"({"mask": "none", "batch_size": 2, "bias": "bias.npy"})");
  put_text(folder / "bias.npy", npy_header("|b1", {2, 6}) + std::string("\1\1\1\1\1\1\1\1\1\1\0\0", 12));
  const Document document = load_document(folder / "a.json");
  EXPECT_EQ(document.config.bias.shape(), (std::vector<Index>{2, 1, 1, 6}));
  const Result result = evaluate(document.config);
  EXPECT_GT(value_at(result, {Stage::weights, 0, 0, 0, 5}), 0);
  EXPECT_EQ(value_at(result, {Stage::weights, 1, 0, 0, 5}), 0);
}

TEST(DocumentFile, AMaskBesideGivenQueriesIsNotIgnored) {
  const TemporaryFolder folder;
  const Result result = evaluate(default_document().config);
  write_result(result, {.stages = {Stage::queries, Stage::keys, Stage::values, Stage::mask}}, folder / "heads.npz");
  const std::string given = R"({"mechanism": "scaled_dot_product_attention", "given": "heads.npz")";
  put_text(folder / "a.json", given + "}");
  EXPECT_TRUE(says(error_of([&] { load_document(folder / "a.json"); }).what(), {"\"mask\"", "mask or bias"}));
  put_text(folder / "a.json", given + R"(, "mask": "causal"})");
  EXPECT_EQ(read_stage(evaluate(load_document(folder / "a.json").config), Stage::weights),
            read_stage(result, Stage::weights));
}

TEST(DocumentFile, ErrorsBeginWithThePathAndTheField) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.json").string();
  const auto error_for = [&](const std::string& text) {
    put_text(path, text);
    return error_of([&] { load_document(path); });
  };
  EXPECT_TRUE(std::string(error_for(R"({"seed": -1})").what()).starts_with(path + ": seed is -1"));
  EXPECT_EQ(error_for(R"({"seed": -1})").field, "seed");
  EXPECT_TRUE(std::string(error_for("{").what()).starts_with(path + ": line 1, column 2: not JSON"));
  EXPECT_TRUE(says(error_for(R"({"inputs": {"randn": [0, 3]}})").what(), {path + ": ", "inputs", "0"}));
  EXPECT_TRUE(says(error_for(R"({"weights": {"a": [1]}})").what(), {path + ": weights.a: a is not a weight"}));
}

TEST(DocumentFile, AMissingFileIsNamed) {
  EXPECT_TRUE(says(error_of([] { load_document("no/such.json"); }).what(), {"Cannot read no/such.json"}));
}

TEST(DocumentFile, AFolderWithoutAModelIsRefused) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(error_of([&] { load_document(folder.path()); }).what(), {"is a folder without config.json"}));
}

}  // namespace
}  // namespace attnscope::test
