// Pictures that were cut off, changed, or made to do harm give one sentence and nothing else.

#include <fmt/format.h>
#include <zlib.h>

#include <random>

#include "document/json.h"
#include "files/image.h"
#include "files/picture_document.h"
#include "pictures.h"
#include "support.h"

namespace attnscope::test {
namespace {

const std::string& valid_picture(PictureKind kind) {
  static const std::string pictures[] = {
      with_document(plain_picture(PictureKind::png), PictureKind::png, default_document()),
      with_document(plain_picture(PictureKind::svg), PictureKind::svg, default_document()),
      with_document(plain_picture(PictureKind::pdf), PictureKind::pdf, default_document()),
      with_document(plain_picture(PictureKind::gif), PictureKind::gif, default_document())};
  return pictures[static_cast<std::size_t>(kind)];
}

// A document, none, or a sentence; never anything else.
std::optional<std::string> read(const std::string& bytes) {
  try {
    const std::optional<std::string> json = document_in(bytes);
    if (json) parse_document(*json);
    return json;
  } catch (const Error& error) {
    EXPECT_TRUE(says(error.what(), {}));
    return {};
  }
}

class HostilePicture : public testing::TestWithParam<PictureKind> {
protected:
  const std::string& valid_ = valid_picture(GetParam());
  const std::string json_ = to_json(default_document());
};

TEST_P(HostilePicture, CutOffAnywhereHasTheDocumentOrNone) {
  for (std::size_t size = 0; size < valid_.size(); ++size) {
    const std::optional<std::string> json = read(valid_.substr(0, size));
    ASSERT_TRUE(!json || *json == json_) << size;
    ASSERT_TRUE(!json || GetParam() != PictureKind::png) << size;
  }
}

// PNG and PDF have checksums: no change goes unseen. A letter of an SVG or a GIF may become another one.
TEST_P(HostilePicture, WithABitFlippedHasTheDocumentOrNone) {
  for (std::size_t position = 0; position < valid_.size(); ++position) {
    std::string bytes = valid_;
    bytes[position] = static_cast<char>(bytes[position] ^ 1 << position % 8);
    const std::optional<std::string> json = read(bytes);
    const bool has_checksums = GetParam() == PictureKind::png || GetParam() == PictureKind::pdf;
    ASSERT_TRUE(!json || *json == json_ || !has_checksums) << position;
    ASSERT_TRUE(!json || GetParam() != PictureKind::png) << position;
  }
}

TEST_P(HostilePicture, OfNoiseIsRefused) {
  const bool has_checksums = GetParam() == PictureKind::png || GetParam() == PictureKind::pdf;
  std::mt19937 engine(11);
  constexpr int rounds = 3000;
  int with_document = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = valid_;
    for (auto change = engine() % 40; change > 0; --change) {
      const std::size_t from = engine() % bytes.size();
      const std::size_t count = engine() % 30;
      if (change % 3 == 0) {
        bytes.erase(from, count);
      } else if (change % 3 == 1) {
        bytes.insert(from, bytes.substr(engine() % bytes.size(), count));
      } else {
        bytes[from] = static_cast<char>(engine());
      }
      if (bytes.empty()) bytes = valid_;
    }
    const std::optional<std::string> json = read(bytes);
    ASSERT_TRUE(!json || *json == json_ || !has_checksums) << round;
    ASSERT_TRUE(bytes != valid_ || json == json_) << round;
    if (json) ++with_document;
  }
  EXPECT_LT(with_document, rounds / 2) << "most of them are damaged";
}

INSTANTIATE_TEST_SUITE_P(Of, HostilePicture, testing::ValuesIn(picture_kinds),
                         [](const auto& kind) { return kind_name(kind.param); });

void expect_refused(const std::string& bytes, const std::vector<std::string>& fragments) {
  EXPECT_TRUE(says(error_of([&] { document_in(bytes); }).what(), fragments));
}

std::string number(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string content = type + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  return number(static_cast<std::uint32_t>(data.size())) + content + number(static_cast<std::uint32_t>(sum));
}

std::string png_with(const std::string& chunks) {
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", std::string(13, '\0')) + chunks + chunk("IEND", "");
}

const std::string nul(1, '\0');
const std::string compressed_text = "attnscope" + nul + "\1" + nul + nul + nul;

TEST(HostilePng, SaysWhatIsWrong) {
  expect_refused(png_with(number(0x7FFFFFFF) + "IDAT"), {"IDAT", "2147483647"});
  expect_refused(png_with(number(0xFFFFFFFF) + "IDAT"), {"damaged"});
  expect_refused(png_with(number(0) + "IDAT" + number(7)), {"checksum", "IDAT"});
  expect_refused(png_with(chunk("IHDR", "")), {"header"});
  expect_refused("\x89PNG\r\n\x1a\n" + chunk("IDAT", "") + chunk("IEND", ""), {"header"});
  expect_refused(png_with(chunk("iTXt", "attnscope" + nul)), {"no text"});
  expect_refused(png_with(chunk("iTXt", "attnscope" + nul + "\1" + nul)), {"no text"});
  expect_refused(png_with(chunk("iTXt", compressed_text + "noise")), {"damaged"});
  expect_refused(png_with(chunk("iTXt", compressed_text)), {"cut off"});
  expect_refused(png_with(chunk("zTXt", "attnscope" + nul + "\5" + deflate_text("{}"))), {"method"});
  const std::string document = chunk("iTXt", compressed_text + deflate_text("{}"));
  expect_refused(png_with(document + document), {"two documents"});
}

TEST(HostilePng, TakesWhatOtherProgramsMakeOfTheChunk) {
  EXPECT_EQ(document_in(png_with(chunk("iTXt", compressed_text + deflate_text("{}")))), "{}");
  EXPECT_EQ(document_in(png_with(chunk("iTXt", "attnscope" + nul + nul + nul + "en" + nul + nul + "{}"))), "{}");
  EXPECT_EQ(document_in(png_with(chunk("zTXt", "attnscope" + nul + nul + deflate_text("{}")))), "{}");
  EXPECT_EQ(document_in(png_with(chunk("tEXt", "attnscope" + nul + "{}"))), "{}");
  EXPECT_EQ(document_in(png_with(chunk("tEXt", "attnscope2" + nul + "{}"))), std::nullopt);
}

TEST(Inflate, StopsAtTheLimit) {
  const std::string packed = deflate_text(std::string(10'000'000, ' '));
  EXPECT_LT(packed.size(), 20'000U);
  EXPECT_EQ(inflate_text(packed, 10'000'000, "It").size(), 10'000'000U);
  EXPECT_TRUE(says(error_of([&] { inflate_text(packed, 9'999'999, "It"); }).what(), {"It holds", "9999999 bytes"}));
  EXPECT_EQ(inflate_text(deflate_text(""), 0, "It"), "");
}

std::string svg_with(const std::string& content, const std::string& before = "") {
  return before + "<svg xmlns='http://www.w3.org/2000/svg'>" + content + "</svg>";
}

TEST(HostileSvg, SaysWhatIsWrong) {
  const std::string document = "<d:document xmlns:d='urn:attnscope'>{}</d:document>";
  EXPECT_EQ(document_in(svg_with(document)), "{}");
  EXPECT_EQ(
      document_in(svg_with("<g><metadata><document xmlns='urn:attnscope'><![CDATA[{}]]></document></metadata></g>")),
      "{}");
  EXPECT_EQ(document_in(svg_with("<document>{}</document>")), std::nullopt);
  expect_refused(svg_with(document + document), {"two documents"});
  expect_refused(svg_with("<d:document xmlns:d='urn:attnscope'>{<b/>}</d:document>"), {"other elements"});
  expect_refused("<html/>", {"not SVG"});
  expect_refused("<svg", {"line 1"});
  expect_refused("<", {"line 1"});
  expect_refused(svg_with("&unknown;"), {"line 1"});
  EXPECT_EQ(read(svg_with("<d:document xmlns:d='urn:attnscope'/>")), std::nullopt);
}

TEST(HostileSvg, DoesNotGrowByItsEntities) {
  std::string entities = "<!DOCTYPE svg [<!ENTITY a0 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>";
  for (int level = 1; level < 12; ++level) {
    std::string value;
    for (int i = 0; i < 10; ++i) value += fmt::format("&a{};", level - 1);
    entities += fmt::format("<!ENTITY a{} '{}'>", level, value);
  }
  expect_refused(svg_with("<d:document xmlns:d='urn:attnscope'>&a11;</d:document>", entities + "]>"), {"SVG"});
}

// A declaration gives each element attributes that do not stand there.
TEST(HostileSvg, DoesNotGrowByItsAttributes) {
  std::string svg = "<!DOCTYPE svg [<!ATTLIST a";
  for (int i = 0; i < 4000; ++i) svg += fmt::format(" x{} CDATA 'v'", i);
  svg += ">]><svg xmlns='http://www.w3.org/2000/svg'>";
  for (int i = 0; i < 40'000; ++i) svg += "<a/>";
  EXPECT_EQ(std::string(error_of([&] { document_in(svg + "</svg>"); }).what()),
            "This file takes more work than any that a tool writes.");
}

TEST(HostileSvg, IsRefusedHoweverDeep) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<g>";
  expect_refused(svg_with(deep), {"SVG"});
}

TEST(HostileGif, SaysWhatIsWrong) {
  const std::string screen = "GIF89a" + std::string(7, '\0');
  const std::string document =
      "\x21\xFF\x0B"
      "ATTNSCOP1.0\2{}" +
      nul;
  EXPECT_EQ(document_in(screen + document + ";"), "{}");
  EXPECT_EQ(document_in(screen + ";"), std::nullopt);
  EXPECT_EQ(document_in(screen + "\x21\xFE\2{}" + nul + ";"), std::nullopt);
  expect_refused("GIF8", {"cut off after 4 bytes"});
  expect_refused(screen, {"cut off"});
  expect_refused(screen + "\x21", {"cut off"});
  expect_refused(screen + "\x21\xFF", {"cut off"});
  expect_refused(screen + document, {"cut off"});
  expect_refused(screen + "?;", {"damaged at byte 13"});
  expect_refused(screen + document + document + ";", {"two documents"});
}

TEST(HostilePdf, SaysWhatIsWrong) {
  const std::string dictionary = "%PDF-1.5\n1 0 obj << /AttnscopeDocument true >> ";
  EXPECT_EQ(document_in(dictionary + "stream\n" + deflate_text("{}")), "{}");
  EXPECT_EQ(document_in(dictionary + "stream\r\n{}\nendstream"), "{}");
  EXPECT_EQ(document_in(dictionary + "endobj stream\n{}\nendstream"), std::nullopt);
  EXPECT_EQ(document_in(dictionary + "stream"), std::nullopt);
  EXPECT_EQ(document_in(dictionary + "streamer"), std::nullopt);
  EXPECT_EQ(document_in(dictionary), std::nullopt);
  expect_refused(dictionary + "stream\n", {"cut off"});
  expect_refused(dictionary + "stream\nnoise", {"damaged"});
  expect_refused(dictionary + "stream\n{}", {"cut off"});
  const std::string stream = "/AttnscopeDocument true >> stream\n{}\nendstream ";
  expect_refused("%PDF-1.5\n" + stream + stream, {"two documents"});
}

}  // namespace
}  // namespace attnscope::test
