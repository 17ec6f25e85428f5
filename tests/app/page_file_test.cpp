// Pages with files inside.

#include <gtest/gtest.h>

#include "core/error.h"
#include "document/builtin.h"
#include "document/json.h"
#include "files/document_file.h"
#include "files/image.h"
#include "model_folder.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

// The page's own frame, without the program in it.
std::string empty_html() { return text_of(tests_folder().parent_path() / "app/platform/web/page.html"); }

std::string bytes_of_base64(std::string_view text) {
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    EXPECT_NE(letters.find(letter), letters.npos) << letter;
    held = held << 6 | static_cast<unsigned>(letters.find(letter));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 255);
  }
  return bytes;
}

// Returns what page.js finds in a page.
std::vector<PageFile> inside(const std::string& page) {
  const std::string begin = "id=\"given\">";
  const std::size_t from = page.find(begin) + begin.size();
  std::vector<PageFile> files;
  for (const auto& file : nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from)))
    files.push_back(
        {file.at("path"), inflate_text(bytes_of_base64(file.at("packed").get<std::string>()), 1 << 24, "")});
  return files;
}

TEST(PageFile, HoldsADocumentThatParsesBack) {
  Document document = default_document();
  document.tokens = {"</script>", "<!--", "é", "\"", "\\", "cat"};
  const TemporaryFolder folder;
  put_text(folder / "empty.html", empty_html());
  write_page(folder / "lecture.html", folder / "empty.html", page_files(document, "lec<ture.json"));
  const std::string page = text_of(folder / "lecture.html");
  const std::vector<PageFile> files = inside(page);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "lec<ture.json");
  EXPECT_EQ(parse_document(files[0].bytes), document);
  EXPECT_EQ(page_with(page, {}), page_with(empty_html(), {})) << "what was inside is replaced, and nothing else";
}

TEST(PageFile, HoldsTheFilesOfAModelBesideItsDocument) {
  const ModelFolder model;
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "gpt");
  put_text(folder / "gpt/config.json", model.config.dump());
  put_text(folder / "gpt/model.safetensors", ModelFolder::safetensors(model.shapes, model.first));
  const Document document = load_document_or_picture(folder / "gpt").document;
  const std::vector<PageFile> files = inside(page_with(empty_html(), page_files(document, "a.json")));
  const TemporaryFolder other;
  std::filesystem::create_directory(other / "model");
  for (const PageFile& file : files) put_text(other / file.path, file.bytes);
  const Document opened = load_document_or_picture(other / "a.json").document;
  ASSERT_TRUE(opened.model);
  EXPECT_EQ(opened.model->path, (other / "model").string());
  EXPECT_EQ(opened.tokens, document.tokens);
  EXPECT_EQ(opened.model->checkpoint.sha256({}), document.model->checkpoint.sha256({}));
}

TEST(PageFile, IsRefusedWithASentence) {
  const TemporaryFolder folder;
  put_text(folder / "other.html", "<html></html>");
  put_text(folder / "empty.html", empty_html());
  const auto refusal = [&](const char* to, const std::filesystem::path& empty) {
    try {
      write_page(folder / to, empty, page_files(default_document(), "a.json"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("a.html", {}).find("./dev web"), std::string::npos);
  EXPECT_NE(refusal("a.html", folder / "other.html").find("none of its pages"), std::string::npos);
  EXPECT_NE(refusal("a.txt", folder / "empty.html").find("written as .html"), std::string::npos);
  EXPECT_EQ(refusal("a.html", folder / "empty.html"), "");
}

}  // namespace
}  // namespace attnscope::test
