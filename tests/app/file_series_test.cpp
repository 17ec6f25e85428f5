// Names of numbered files.

#include "interchange/file_series.h"

#include "support.h"

namespace attnscope::test {
namespace {

std::string third(const std::string& pattern) { return parse_file_series(pattern).value().path(3).string(); }

TEST(FileSeries, PutsTheNumberWhereThePatternSays) {
  EXPECT_EQ(third("out-%d.png"), "out-3.png");
  EXPECT_EQ(third("out-%03d.png"), "out-003.png");
  EXPECT_EQ(third("frames/%01d"), "frames/3");
  EXPECT_EQ(third("100%d/50%_%02d.png"), "100%d/50%_03.png");
  EXPECT_EQ(third("{}%d{0}.png"), "{}3{0}.png");
  EXPECT_EQ(parse_file_series("%02d")->path(12345).string(), "12345");
}

TEST(FileSeries, IsNoneWithoutAPlaceForANumber) {
  for (const char* const path : {"out.png", "50%.png", "%s.png", "frames-%d/out.png", "", "%"})
    EXPECT_FALSE(parse_file_series(path)) << path;
}

TEST(FileSeries, RefusesTwoNumbersAndBlanks) {
  for (const char* const path : {"%d-%d.png", "%3d.png", "%00d.png", "%012d.png", "%99999999999d"})
    EXPECT_TRUE(says(error_of([&] { parse_file_series(path); }).what(), {path, "%03d"})) << path;
}

}  // namespace
}  // namespace attnscope::test
