// Names of numbered files.

#include <sys/resource.h>

#include "files/image.h"

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

TEST(FileSeries, ReadsNamesOfAnyLength) {
  const std::string digits(100'000, '3');
  EXPECT_TRUE(says(error_of([&] { parse_file_series("%" + digits + "d.png"); }).what(), {"%03d"}));
  EXPECT_FALSE(parse_file_series("%" + digits + ".png"));
  EXPECT_FALSE(parse_file_series(std::string(100'000, '%')));
}

TEST(SeriesWriter, PutsAllFilesInTheirPlacesAtOnce) {
  const TemporaryFolder folder;
  put_text(folder / "a-2.png", "old");
  SeriesWriter writer(*parse_file_series((folder / "a-%d.png").string()));
  for (const char* const bytes : {"one", "two", "three"}) writer.add(bytes);
  EXPECT_EQ(text_of(folder / "a-2.png"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a-1.png"));
  writer.commit();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a-1.png", "a-2.png", "a-3.png"}));
  EXPECT_EQ(text_of(folder / "a-2.png"), "two");
}

TEST(SeriesWriter, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  rlimit usual = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit few = {64, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    SeriesWriter writer(*parse_file_series((folder / "a-%d.png").string()));
    for (int number = 0; number < 200; ++number) writer.add("more than a process may keep open");
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace attnscope::test
