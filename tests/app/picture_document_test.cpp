// A picture carries its document, in every format, to the bit; and other programs still see the same picture.

#include "files/picture_document.h"

#include <fmt/format.h>

#include "document/builtin.h"
#include "document/json.h"
#include "files/document_file.h"
#include "files/image.h"
#include "pictures.h"
#include "platform/system/file.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

class PictureDocument : public testing::TestWithParam<PictureKind> {
protected:
  static std::string with(const Document& document) {
    return with_document(plain_picture(GetParam()), GetParam(), document);
  }
};

TEST_P(PictureDocument, ComesBackToTheBit) {
  std::vector<Document> documents = {difficult_document(), default_document()};
  for (const BuiltinDocument& builtin : builtin_documents()) documents.push_back(parse_document(builtin.json));
  for (const Document& document : documents) {
    const std::optional<std::string> json = document_in(with(document));
    ASSERT_TRUE(json);
    EXPECT_EQ(parse_document(*json), document);
    EXPECT_EQ(to_json(parse_document(*json)), to_json(document));
  }
}

TEST_P(PictureDocument, IsLoadedWhateverTheFileIsCalled) {
  const TemporaryFolder folder;
  put_text(folder / "figure.json", with(difficult_document()));
  const LoadedDocument loaded = load_document_or_picture(folder / "figure.json");
  EXPECT_EQ(loaded.document, difficult_document());
  EXPECT_TRUE(loaded.is_from_picture);
  put_text(folder / "document.png", to_json(difficult_document()));
  EXPECT_FALSE(load_document_or_picture(folder / "document.png").is_from_picture);
}

TEST_P(PictureDocument, TakesThePlaceOfTheOneBefore) {
  const std::string first = with(difficult_document());
  const std::string second = with_document(first, GetParam(), default_document());
  EXPECT_EQ(parse_document(document_in(second).value()), default_document());
  EXPECT_EQ(second.size(), with(default_document()).size());
}

TEST_P(PictureDocument, IsTheSameEveryTime) { EXPECT_EQ(with(difficult_document()), with(difficult_document())); }

TEST_P(PictureDocument, ThatIsMissingIsSaidToBe) {
  const TemporaryFolder folder;
  EXPECT_EQ(document_in(plain_picture(GetParam())), std::nullopt);
  const std::filesystem::path file = folder / "stripped";
  put_text(file, plain_picture(GetParam()));
  EXPECT_TRUE(says(error_of([&] { load_document(file); }).what(), {file.string() + ": This ", "carries no document"}));
}

TEST_P(PictureDocument, ThatIsBadNamesThePictureAndTheField) {
  const TemporaryFolder folder;
  Document bad = default_document();
  bad.config.num_heads = 3;
  put_text(folder / "bad", with(bad));
  EXPECT_TRUE(says(error_of([&] { load_document(folder / "bad"); }).what(), {"/bad: ", "num_heads", "3"}));
}

TEST_P(PictureDocument, IsNeverReplacedByJson) {
  const TemporaryFolder folder;
  for (const std::string ending : {".png", ".SVG", ".pdf"}) {
    const Error error = error_of([&] { save_document(default_document(), folder / ("figure" + ending)); });
    EXPECT_TRUE(says(error.what(), {"figure" + ending, ".json"}));
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Of, PictureDocument, testing::ValuesIn(picture_kinds),
                         [](const auto& kind) { return kind_name(kind.param); });

TEST(PictureWithDocument, IsTheSamePng) {
  const std::string plain = plain_picture(PictureKind::png);
  const std::string with = with_document(plain, PictureKind::png, difficult_document());
  EXPECT_EQ(decode_png(with).pixels, decode_png(plain).pixels);
}

TEST(PictureWithDocument, IsTheSameSvgToOthers) {
  const std::string plain = plain_picture(PictureKind::svg);
  const std::string with = with_document(plain, PictureKind::svg, difficult_document());
  EXPECT_EQ(output_of("rsvg-convert --unlimited {}", with), output_of("rsvg-convert --unlimited {}", plain));
  EXPECT_NE(with.find("kept</note>"), std::string::npos) << "the metadata of others went";
}

TEST(PictureWithDocument, IsASoundPdfThatListsTheDocument) {
  const std::string plain = plain_picture(PictureKind::pdf);
  const std::string with = with_document(plain, PictureKind::pdf, difficult_document());
  EXPECT_NE(output_of("qpdf --check {} 2>&1", with).find("No syntax or stream encoding errors"), std::string::npos);
  EXPECT_NE(output_of("pdfdetach -list {}", with).find("attnscope.json"), std::string::npos);
  EXPECT_EQ(output_of("pdfdetach -save 1 -o {0}.json {0} && cat {0}.json", with), to_json(difficult_document()));
  EXPECT_EQ(output_of("pdftoppm {}", with), output_of("pdftoppm {}", plain));
}

// What other programs write of a picture may keep the document in another form.
TEST(PictureWithDocument, OutlivesOtherProgramsThatRewriteThePdf) {
  const std::string with = with_document(plain_picture(PictureKind::pdf), PictureKind::pdf, difficult_document());
  for (const char* options : {"--qdf", "--stream-data=uncompress", "--object-streams=generate", "--linearize",
                              "--recompress-flate --compression-level=1"}) {
    const std::string rewritten = output_of(fmt::format("qpdf --deterministic-id {} {{}} -", options), with);
    const std::optional<std::string> json = document_in(rewritten);
    ASSERT_TRUE(json) << options;
    EXPECT_EQ(parse_document(*json), difficult_document()) << options;
  }
}

TEST(Stranger, IsNamed) {
  const TemporaryFolder folder;
  put_text(folder / "figure.png", "\xFF\xD8\xFF\xE0 and so on");
  EXPECT_TRUE(says(error_of([&] { load_document(folder / "figure.png"); }).what(), {"figure.png: ", "JPEG"}));
}

TEST_P(PictureDocument, CarriesTheViewBesideTheDocument) {
  const std::string picture = with_document(plain_picture(GetParam()), GetParam(), default_document(), {}, "head=2");
  std::string json = document_in(picture).value();
  EXPECT_EQ(take_view_out(json), "head=2");
  EXPECT_EQ(json, to_json(default_document()));
  EXPECT_EQ(take_view_out(json), "");
  const TemporaryFolder folder;
  write_file(folder / "picture", picture);
  const LoadedDocument loaded = load_document_or_picture(folder / "picture");
  EXPECT_EQ(loaded.view, "head=2");
  EXPECT_EQ(loaded.document, default_document());
}

}  // namespace
}  // namespace attnscope::test
