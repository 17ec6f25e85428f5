// A picture of attention of another program carries where that is and how it was looked at.

#include "files/document_file.h"
#include "files/picture_document.h"
#include "pictures.h"
#include "support.h"

namespace attnscope::test {
namespace {

ImportedDocument saved_beside(const TemporaryFolder& folder) {
  return {.file = folder / "attn.npy",
          .tensor = "",
          .shape = {2, 2},
          .number_type = "float32",
          .axes = "query, key",
          .checksum = "8d3e1f06",
          .tokens = {"]]>&amp;", "\"\\"}};
}

class ViewingPicture : public testing::TestWithParam<PictureKind> {};

TEST_P(ViewingPicture, ComesBackAndIsNoDocument) {
  const TemporaryFolder folder;
  const ImportedDocument viewing = saved_beside(folder);
  const std::filesystem::path file = folder / "figure";
  put_text(file, with_document(plain_picture(GetParam()), GetParam(), viewing, file));
  const LoadedFile loaded = load_any_document(file);
  EXPECT_EQ(std::get<ImportedDocument>(loaded.document), viewing);
  EXPECT_TRUE(loaded.is_from_picture);
  const Error error = error_of([&] { load_document(file); });
  EXPECT_TRUE(says(error.what(), {file.string() + ": format is \"attnscope-viewing\"", "nothing to compute"}));
}

INSTANTIATE_TEST_SUITE_P(Pictures, ViewingPicture, testing::ValuesIn(picture_kinds),
                         [](const auto& test) { return kind_name(test.param); });

TEST(ViewingFile, MovesWithItsFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  ImportedDocument viewing = saved_beside(folder);
  viewing.file = folder / "a" / "attn.npy";
  save_document(viewing, folder / "a" / "x.json");
  std::filesystem::rename(folder / "a", folder / "b");
  viewing.file = folder / "b" / "attn.npy";
  EXPECT_EQ(std::get<ImportedDocument>(load_any_document(folder / "b" / "x.json").document), viewing);
}

TEST(ViewingFile, IsNotWrittenOverPicturesAndArrays) {
  const TemporaryFolder folder;
  for (const char* const name : {"x.npy", "x.NPZ", "x.safetensors", "x.csv", "x.png", "x.pdf"}) {
    const Error error = error_of([&] { save_document(saved_beside(folder), folder / name); });
    EXPECT_TRUE(says(error.what(), {name, "saved as JSON", ".json"}));
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace attnscope::test
