#include "interchange/document_file.h"

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

}  // namespace
}  // namespace attnscope::test
