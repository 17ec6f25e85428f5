// Names from outside as items of lists: whole, whatever is in them, and each an item of its own.

#include <gtest/gtest.h>

#include "viewing_controller.h"

namespace attnscope::test {
namespace {

class OutsideText : public Viewing {
protected:
  void expect_text(std::initializer_list<std::string_view> said) {
    const std::string text = desk_.text();
    for (const std::string_view part : said) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
};

TEST_F(OutsideText, OfFilesIsWholeInTheDialog) {
  for (const char* const name : {"a##b.json", "a##c.json", "###.json", "50%s.json"}) put_text(folder_ / name, "{}");
  desk_.press_control('O');
  desk_.frames(3);
  expect_text({"a##b.json", "a##c.json", "###.json", "50%s.json"});
  desk_.click("dialog/entry/a##c.json");
  desk_.frames(2);
  EXPECT_EQ(desk_.session().shown().dialog.name, "a##c.json");
}

TEST_F(OutsideText, OfFilesIsWholeAmongTheRecentOnes) {
  for (const char* const name : {"a##b.json", "a##c.json"}) {
    put_text(folder_ / name, "{\"tokens\": [\"x\", \"y\"], \"inputs\": {\"randn\": [2, 3]}}");
    drop(name);
  }
  desk_.click("menu/file");
  desk_.click("menu/file/recent");
  desk_.frames(2);
  expect_text({"a##b.json", "a##c.json"});
}

TEST_F(OutsideText, OfTensorsIsWhole) {
  const std::string header = R"({"w##a":{"dtype":"F32","shape":[2,2,2],"data_offsets":[0,32]},)"
                             R"("w##b":{"dtype":"F32","shape":[2,3,3],"data_offsets":[32,104]}})";
  put_text(folder_ / "two.safetensors",
           static_cast<char>(header.size()) + std::string(7, '\0') + header + std::string(104, '\0'));
  drop("two.safetensors");
  ASSERT_NE(viewing(), nullptr) << desk_.message();
  expect_text({"w##a"});
  desk_.click("viewing/tensor");
  desk_.frames(2);
  expect_text({"w##b"});
  desk_.click("viewing/tensor/1");
  settle();
  EXPECT_EQ(viewing()->tensor, 1U);
}

TEST_F(OutsideText, OfTokensIsWholeInAList) {
  put_text(folder_ / "tokens.json", R"({"tokens": ["x##y", "x##z"], "inputs": {"randn": [2, 3]}})");
  drop("tokens.json");
  desk_.press_control('E');
  desk_.frames(2);
  desk_.click("figure/sweep");
  desk_.frames(2);
  desk_.choose("figure/parameter", "embedding");
  desk_.frames(2);
  expect_text({"x##y"});
  desk_.click("figure/token");
  desk_.frames(2);
  expect_text({"x##z"});
}

}  // namespace
}  // namespace attnscope::test
