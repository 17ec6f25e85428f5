// What is saved of attention of another program: its format, and every way to get it wrong.

#include "document/imported_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "document/json.h"
#include "document/json_document.h"
#include "support.h"

namespace attnscope::test {
namespace {

ImportedDocument saved() {
  return {.file = "/data/runs/attention.npy",
          .tensor = "h.0.attn",
          .shape = {12, 3, 3},
          .number_type = "float16",
          .axes = "head, query, key",
          .layers = 6,
          .layer = 2,
          .checksum = "8d3e1f06",
          .tokens = {"Your", "<\"journey\">", "日本\n"}};
}

// The text of what is saved, with one piece of it replaced.
std::string with(const std::string& piece, const std::string& by) {
  std::string text = to_json(saved());
  const std::size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), by);
}

TEST(ViewingDocuments, ComeBackAsTheyWere) {
  EXPECT_EQ(parse_viewing_document(to_json(saved())), saved());
  EXPECT_EQ(std::get<ImportedDocument>(parse_any_document(to_json(saved()))), saved());
  EXPECT_EQ(std::get<Document>(parse_any_document("{}")), default_document());
}

TEST(ViewingDocuments, AreReadable) {
  EXPECT_EQ(to_json(saved()), R"({
  "format": "attnscope-viewing",
  "version": 1,
  "file": "/data/runs/attention.npy",
  "tensor": "h.0.attn",
  "shape": [12, 3, 3],
  "number_type": "float16",
  "axes": "head, query, key",
  "layers": 6,
  "layer": 3,
  "checksum": "8d3e1f06",
  "tokens": ["Your", "<\"journey\">", "日本\n"]
}
)");
}

TEST(ViewingDocuments, KeepTheNamesOfRowsAndColumnsApart) {
  ImportedDocument viewing = saved();
  viewing.shape = {12, 2, 3};
  viewing.steps = 2;
  viewing.numbers = NumbersAs::shares;
  viewing.query_tokens = {"a", "b"};
  EXPECT_EQ(parse_viewing_document(to_json(viewing)), viewing);
  EXPECT_NE(to_json(viewing).find("\"query_tokens\": [\"a\", \"b\"]\n}"), std::string::npos) << to_json(viewing);
}

TEST(ViewingDocuments, LeaveOutWhatCanBe) {
  const ImportedDocument viewing = parse_viewing_document(
      R"({"format": "attnscope-viewing", "file": "a.npy", "shape": [2, 2], "number_type": "float32", "axes": "query, key"})");
  EXPECT_EQ(viewing.tokens, (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(viewing.tensor, "");
  EXPECT_EQ(viewing.layers, 1);
  EXPECT_EQ(viewing.layer, 0);
  EXPECT_EQ(viewing.checksum, "");
  EXPECT_EQ(to_json(viewing).find("checksum"), std::string::npos);
}

TEST(ViewingDocuments, NameFilesBesideAndBelowThemRelatively) {
  const auto written = [](const std::filesystem::path& carrier) {
    return parse_viewing_document(to_json(saved(), carrier)).file.string();
  };
  EXPECT_EQ(written("/data/runs/x.json"), "attention.npy");
  EXPECT_EQ(written("/data/x.json"), "runs/attention.npy");
  EXPECT_EQ(written("/data/other/x.json"), "/data/runs/attention.npy");
  EXPECT_EQ(written("/data/runs/deep/x.json"), "/data/runs/attention.npy");
  EXPECT_EQ(written(""), "/data/runs/attention.npy");
  for (const char* const carrier : {"/data/runs/x.json", "/data/x.json", "/data/other/x.json"}) {
    EXPECT_EQ(file_of(parse_viewing_document(to_json(saved(), carrier)), carrier), saved().file) << carrier;
  }
}

TEST(ViewingDocuments, WhoseFileIsNoTextAreRefused) {
  ImportedDocument viewing = saved();
  viewing.file = "/data/\xFF.npy";
  EXPECT_TRUE(says(error_of([&] { to_json(viewing); }).what(), {"no UTF-8 text", "another"}));
}

TEST(ViewingDocuments, AreToldByTheirFormatWhereverItStands) {
  EXPECT_TRUE(
      is_viewing_document(JsonText(R"({"tokens": ["a", "b"], "shape": [2, 2], "format": "attnscope-viewing"})")));
  EXPECT_FALSE(is_viewing_document(JsonText(R"({"tokens": ["attnscope-viewing"], "format": "attnscope"})")));
  EXPECT_FALSE(is_viewing_document(JsonText(R"({"tokens": ["a"], "inputs": [[1]], "format": "attnscope-viewing"})")));
  EXPECT_FALSE(is_viewing_document(JsonText(R"(["attnscope-viewing"])")));
  EXPECT_FALSE(is_viewing_document(JsonText(R"({"shape": [["format"]], "format": "attnscope-viewing"})")));
  EXPECT_FALSE(is_viewing_document(JsonText("{}")));
  EXPECT_FALSE(is_viewing_document(JsonText("")));
}

TEST(ViewingDocuments, AreNoDocuments) {
  const Error error = error_of([] { parse_document(to_json(saved())); });
  EXPECT_EQ(error.field, "format");
  EXPECT_TRUE(says(error.what(), {"format is \"attnscope-viewing\"", "nothing to compute"}));
  EXPECT_TRUE(says(error_of([] { parse_viewing_document(to_json(default_document())); }).what(),
                   {"format is \"attnscope\"", "must be \"attnscope-viewing\""}));
}

TEST(ViewingDocuments, SayWhatIsWrongInASentence) {
  const struct {
    std::string text;
    std::string field;
    std::vector<std::string> fragments;
  } cases[] = {
      {"5", "", {"The document is 5", "JSON object"}},
      {"[]", "", {"The document is an array"}},
      {with("\"attnscope-viewing\"", "\"attnscope\""), "format", {"format is \"attnscope\"", "attnscope-viewing"}},
      {with("\"version\": 1", "\"version\": 2"), "version", {"version is 2", "only version"}},
      {with("\"/data/runs/attention.npy\"", "\"\""), "file", {"file is \"\"", "path"}},
      {with("attention.npy", "a\\u0000.npy"), "file", {"file is"}},
      {with("\"/data/runs/attention.npy\"", "7"), "file", {"file is 7", "path"}},
      {with("\"file\"", "\"fil\""), "", {"\"fil\" is not a key", "did you mean \"file\"?"}},
      {with("  \"file\": \"/data/runs/attention.npy\",\n", ""), "file", {"file is missing"}},
      {with("[12, 3, 3]", "[12, 3, 4]"), "tokens", {"tokens has 3 names", "4 keys"}},
      {with("[12, 3, 3]", "[3]"), "shape", {"shape has 1 sizes", "2 to 32"}},
      {with("[12, 3, 3]", "[0, 3, 3]"), "shape[0]", {"shape[0] is 0", "from 1 up"}},
      {with("[12, 3, 3]", "[12, 3.5, 3]"), "shape[1]", {"shape[1] is 3.5"}},
      {with("[12, 3, 3]", "[[12], 3, 3]"), "shape[0]", {"shape[0] is an array"}},
      {with("[12, 3, 3]", "[{}, 3, 3]"), "shape[0]", {"shape[0] is an object"}},
      {with("[12, 3, 3]", "3"), "shape", {"shape is 3", "array of whole numbers"}},
      {with("[12, 3, 3]", "[12, 99999, 99999]"), "shape", {"99999", "1 to 4096"}},
      {with("[12, 3, 3]", "[99999999999999999999, 3, 3]"), "shape[0]", {"shape[0] is 99999999999999999999"}},
      {with("\"float16\"", "null"), "number_type", {"number_type is null"}},
      {with("head, query, key", "key, query"), "axes", {"axes is \"key, query\"", "layer, head, query, key"}},
      {with("\"layers\": 6", "\"layers\": 0"), "layers", {"layers is 0", "1 to 1000000"}},
      {with("\"layer\": 3", "\"layer\": 7"), "layer", {"layer is 7", "layers is 6"}},
      {with("\"layer\": 3", "\"layer\": [3]"), "layer", {"layer is an array"}},
      {with("\"layer\": 3", "\"layers\": 3"), "layers", {"layers occurs twice"}},
      {with("8d3e1f06", "8d3e1f0"), "checksum", {"checksum is \"8d3e1f0\"", "eight hexadecimal digits"}},
      {with("8d3e1f06", "8D3E1F06"), "checksum", {"checksum is \"8D3E1F06\""}},
      {with("\"8d3e1f06\"", "12345678"), "checksum", {"checksum is 12345678"}},
      {with("\"Your\", ", ""), "tokens", {"tokens has 2 names", "3 tokens"}},
      {with("\"tokens\"", "\"query_tokens\": [\"a\"], \"tokens\""), "query_tokens", {"has 1 names", "3 queries"}},
      {with("\"layer\": 3", "\"layer\": 3, \"steps\": 0"), "steps", {"steps is 0"}},
      {with("\"layer\": 3", "\"layer\": 3, \"numbers\": \"sums\""), "numbers", {"numbers is \"sums\"", "shares"}},
      {with("\"Your\"", "1"), "tokens[0]", {"tokens[0] is 1", "a string"}},
      {with("\"Your\"", "\"" + std::string(100'000, 'a') + "\""), "tokens[0]", {"tokens[0]", "100000 bytes"}},
      {with("\"layer\": 3,", "\"layer\": 3"), "", {"line 11", "not JSON", "a comma"}},
      {with("]\n}", "]"), "", {"not JSON", "the text ends"}},
      {to_json(saved()) + "x", "", {"nothing more after"}},
      {with("日本", "\xFF"), "", {"line 12", "not UTF-8"}},
  };
  for (const auto& broken : cases) {
    SCOPED_TRACE(broken.text.substr(0, 300));
    const Error error = error_of([&] { parse_viewing_document(broken.text); });
    EXPECT_EQ(error.field, broken.field);
    EXPECT_TRUE(says(error.what(), broken.fragments)) << error.what();
  }
}

TEST(ViewingDocuments, ThatEndAnywhereAreRefused) {
  const std::string text = to_json(saved());
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_TRUE(says(error_of([&] { parse_viewing_document(text.substr(0, size)); }).what(), {})) << size;
  }
}

}  // namespace
}  // namespace attnscope::test
