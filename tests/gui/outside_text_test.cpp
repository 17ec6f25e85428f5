// Names from outside as items of lists: whole, whatever is in them, and each an item of its own.

#include <gtest/gtest.h>

#include "viewing_app.h"

namespace attnscope::test {
namespace {

class OutsideText : public ImportedFiles {
protected:
  void expect_text(std::initializer_list<std::string_view> said) {
    const std::string text = app_.text();
    for (const std::string_view part : said) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
};

TEST_F(OutsideText, OfFilesIsWholeInTheDialog) {
  for (const char* const name : {"a##b.json", "a##c.json", "###.json", "50%s.json"}) put_text(folder_ / name, "{}");
  app_.press_control('O');
  expect_text({"a##b.json", "a##c.json", "###.json", "50%s.json"});
  app_.click("dialog/entry/a##c.json");
  EXPECT_EQ(app_.session().shown().dialog.name, "a##c.json");
}

TEST_F(OutsideText, OfFilesIsWholeAmongTheRecentOnes) {
  for (const char* const name : {"a##b.json", "a##c.json"}) {
    put_text(folder_ / name, "{\"tokens\": [\"x\", \"y\"], \"inputs\": {\"randn\": [2, 3]}}");
    drop(name);
  }
  app_.click("menu/file");
  app_.click("menu/file/recent");
  expect_text({"a##b.json", "a##c.json"});
}

TEST_F(OutsideText, OfTensorsIsWhole) {
  const std::string header = R"({"attn##a":{"dtype":"F32","shape":[2,2,2],"data_offsets":[0,32]},)"
                             R"("attn##b":{"dtype":"F32","shape":[2,3,3],"data_offsets":[32,104]}})";
  put_text(folder_ / "two.safetensors",
           static_cast<char>(header.size()) + std::string(7, '\0') + header + std::string(104, '\0'));
  drop("two.safetensors");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  expect_text({"attn##a"});
  app_.click("viewing/tensor");
  expect_text({"attn##b"});
  app_.click("viewing/tensor/1");
  settle();
  EXPECT_EQ(viewing()->tensor, 1U);
}

TEST_F(OutsideText, OfTokensIsWholeInAList) {
  put_text(folder_ / "tokens.json", R"({"tokens": ["x##y", "x##z"], "inputs": {"randn": [2, 3]}})");
  drop("tokens.json");
  app_.press_control('E');
  app_.click("figure/sweep");
  app_.choose("figure/parameter", "embedding");
  expect_text({"x##y"});
  app_.click("figure/token");
  expect_text({"x##z"});
}

}  // namespace
}  // namespace attnscope::test
