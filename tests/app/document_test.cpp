#include "document/document.h"
#include "document/file_formats.h"

#include "support.h"

namespace attnscope::test {
namespace {

TEST(TokenLabels, CarryThePositionWhereANameRepeats) {
  EXPECT_EQ(token_labels({"the", "cat", "the", ""}), (std::vector<std::string>{"the (1)", "cat", "the (3)", "(4)"}));
}

TEST(TokenLabels, ShowEmptyNamesByPosition) {
  EXPECT_EQ(token_labels({"", ""}), (std::vector<std::string>{"(1)", "(2)"}));
  EXPECT_TRUE(token_labels({}).empty());
}

TEST(NumberedTokens, CountFromOne) { EXPECT_EQ(numbered_tokens(3), (std::vector<std::string>{"x1", "x2", "x3"})); }

TEST(CheckDocument, AcceptsTheDefault) { EXPECT_NO_THROW(check(default_document())); }

TEST(CheckDocument, RefusesNamesThatDoNotMatchTheRows) {
  Document document = default_document();
  document.tokens = numbered_tokens(5);
  const Error error = error_of([&] { check(document); });
  EXPECT_EQ(error.field, "tokens");
  EXPECT_TRUE(says(error.what(), {"5 names", "6 rows"}));
}

TEST(CheckDocument, RefusesNamesThatCouldNotBeSaved) {
  Document document = default_document();
  document.tokens = {"a", "b", "\xFF", "d", "e", "f"};
  EXPECT_EQ(error_of([&] { check(document); }).field, "tokens[2]");
  document.tokens = {"a", "b", std::string(1000, 'a'), "d", "e", "f"};
  EXPECT_NO_THROW(check(document));
  document.tokens = {"a", "b", std::string(1001, 'a'), "d", "e", "f"};
  EXPECT_EQ(error_of([&] { check(document); }).field, "tokens[2]");
}

TEST(PictureFormats, AreListedByWhatTheyAreFor) {
  EXPECT_EQ(endings_for(PictureUse::still), ".png, .svg or .pdf");
  EXPECT_EQ(endings_for(PictureUse::animation), ".png, .gif or .mp4");
  EXPECT_EQ(endings_for(PictureUse::series), ".png");
  EXPECT_EQ(listed(&PictureFormat::name, [](const PictureFormat& format) { return format.reopens; }),
            "PNG, SVG, PDF or GIF");
  EXPECT_EQ(listed(&PictureFormat::name, [](const PictureFormat& format) { return format.is_vector; }), "SVG or PDF");
  EXPECT_EQ(format_by_ending("a.GIF"), &format_of(PictureKind::gif));
  EXPECT_EQ(format_by_ending("a.gif", PictureUse::still), nullptr);
  EXPECT_EQ(format_by_ending("a.jpg"), nullptr);
}

}  // namespace
}  // namespace attnscope::test
