#include "features/shared/app_services.h"

#include <gtest/gtest.h>

#include "document/document.h"
#include "files/document_file.h"
#include "support.h"
#include "tests/support/endless_model.h"

namespace attnscope::test {
namespace {

using Lines = std::vector<std::string>;

class FilePreview : public testing::Test {
protected:
  Lines preview(const std::string& name, const std::string& text) {
    put_text(folder_ / name, text);
    return preview_of(folder_ / name);
  }
  TemporaryFolder folder_;
};

TEST_F(FilePreview, IsEmptyWhereThereIsNoFile) {
  EXPECT_EQ(preview_of(folder_ / "nothing.json"), Lines());
  EXPECT_EQ(preview_of(folder_.path()), Lines());
}

TEST_F(FilePreview, TellsADocumentsSizesAndTokens) {
  Document document = default_document();
  document.tokens = {"journey", "starts"};
  document.config.inputs = RandnInputs{2, 5};
  save_document(document, folder_ / "lecture.json");
  const Lines lines = preview_of(folder_ / "lecture.json");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[1].starts_with("2 tokens, d_in 5,")) << lines[1];
  EXPECT_EQ(lines[2], "journey starts");
}

TEST_F(FilePreview, TellsTheShapeOfATable) {
  EXPECT_EQ(preview("table.csv", "1,2,3\n4,5,6\n"), Lines{"float32 (2, 3)"});
}

TEST_F(FilePreview, ShortensWhatAFileSays) {
  static constexpr std::size_t drawable = 16'384;  // glyphs of one text, beyond which Dear ImGui gives up
  const auto expect_short = [](const Lines& lines) {
    ASSERT_FALSE(lines.empty());
    for (const std::string& line : lines) EXPECT_LT(line.size(), drawable);
  };
  expect_short(preview("seed.json", "{\"seed\": " + std::string(60'000, '7') + "}"));
  const std::string header =
      "{\"" + std::string(17'000, 'n') + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size() & 0xFF);
  length[1] = static_cast<char>(header.size() >> 8);
  expect_short(preview("name.safetensors", length + header + std::string(4, '\0')));
  Document document = default_document();
  document.tokens = std::vector<std::string>(60, std::string(1000, 't'));
  document.config.inputs = RandnInputs{60, 3};
  save_document(document, folder_ / "tokens.json");
  expect_short(preview_of(folder_ / "tokens.json"));
}

TEST_F(FilePreview, LooksIntoNothingThatIsTooLarge) {
  std::string row = "1.25";
  for (int column = 1; column < 100; ++column) row += ",1.25";
  std::string table;
  while (table.size() < 3'100'000) table += row + "\n";
  EXPECT_EQ(preview("table.csv", table), Lines{"3 MB: too large for a preview."});
  EXPECT_EQ(preview("lecture.json", std::string(17 << 20, ' ')), Lines{"18 MB: too large for a preview."});
}

// What would take a model's reading is not read: its weights are none here.
TEST_F(FilePreview, TellsAModelsSizesByItsConfigAlone) {
  write_endless_model(folder_ / "endless");
  put_text(folder_ / "endless" / "model.safetensors", "no weights");
  const Lines sizes = {"A trained model: 4 layers, 4 heads in each",
                       "64 features, 1595 tokens in its vocabulary, texts of up to 64 tokens"};
  EXPECT_EQ(preview_of(folder_ / "endless" / "config.json"), sizes);
  EXPECT_EQ(preview_of(folder_ / "endless" / "model.safetensors"), sizes);
  Lines of_document = preview("a.json", endless_document);
  ASSERT_EQ(of_document.size(), 3U);
  EXPECT_EQ(of_document.front(), "A document of the trained model " + (folder_ / "endless").string());
  of_document.erase(of_document.begin());
  EXPECT_EQ(of_document, sizes);
  EXPECT_EQ(preview("b.json", R"({"bias": "b.npy"})"), Lines{"A document with numbers of b.npy"});
  std::filesystem::remove(folder_ / "endless" / "config.json");
  EXPECT_NE(preview_of(folder_ / "a.json").back().find("not a .safetensors file"), std::string::npos);
}

TEST_F(FilePreview, SaysWhatIsWrong) {
  const Lines lines = preview("damaged.npz", "PK");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with(".")) << lines[0];
  EXPECT_EQ(preview("names.txt", "Your\njourney\n"), Lines{"Names for the tokens that are shown."});
}

}  // namespace
}  // namespace attnscope::test
