#include "platform/system/file.h"

#include <array>
#include <atomic>
#include <thread>

#include "core/error.h"
#include "support.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

// What is read of a file from a place on; empty where not all of it is there.
std::string read_of(const ReadableFile& file, std::uint64_t position, std::size_t count) {
  std::string bytes(count, '?');
  return file.read(bytes, position) ? bytes : "";
}

TEST(ReadableFile, IsReadAtAnyPlace) {
  const TemporaryFolder folder;
  put_text(folder / "a", "0123456789");
  const ReadableFile file(folder / "a");
  EXPECT_EQ(file.size(), 10U);
  EXPECT_EQ(read_of(file, 7, 3), "789");
  EXPECT_EQ(read_of(file, 0, 2), "01");
  EXPECT_TRUE(file.is_whole());
}

TEST(ReadableFile, WhatIsCutOffCannotBeRead) {
  const TemporaryFolder folder;
  put_text(folder / "a", "0123456789");
  const ReadableFile file(folder / "a");
  std::filesystem::resize_file(folder / "a", 4);
  EXPECT_FALSE(file.is_whole());
  EXPECT_EQ(read_of(file, 0, 4), "0123");
  EXPECT_EQ(read_of(file, 3, 2), "");
  std::filesystem::resize_file(folder / "a", 10);
  EXPECT_FALSE(file.is_whole()) << "what was read meanwhile was not what it held";
}

TEST(ReadableFile, MayBeCutWhileItIsRead) {
  constexpr std::size_t size = std::size_t{1} << 20;
  const TemporaryFolder folder;
  for (int round = 0; round < 10; ++round) {
    put_text(folder / "a", std::string(size, 'x'));
    const ReadableFile file(folder / "a");
    std::atomic<bool> has_begun = false;
    std::jthread reader([&] {
      for (bool is_there = true; is_there;) {
        const std::string bytes = read_of(file, 0, size);
        is_there = !bytes.empty();
        EXPECT_EQ(bytes.find_first_not_of('x'), std::string::npos);
        has_begun = true;
      }
    });
    wait_until([&] { return has_begun.load(); });
    std::filesystem::resize_file(folder / "a", 0);
    reader.join();
    EXPECT_FALSE(file.is_whole());
  }
}

TEST(ReadableFile, StaysWhenItsNameGoesToAnother) {
  const TemporaryFolder folder;
  put_text(folder / "a", "before");
  const ReadableFile file(folder / "a");
  std::filesystem::remove(folder / "a");
  put_text(folder / "a", "b");
  EXPECT_EQ(read_of(file, 0, 6), "before");
  EXPECT_TRUE(file.is_whole());
}

TEST(ReadableFile, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(error_of([&] { ReadableFile(folder / "none"); }).what(), {"Cannot read", "none", "No such file"}));
  EXPECT_TRUE(says(error_of([&] { ReadableFile(folder.path()); }).what(), {"Is a directory"}));
}

}  // namespace
}  // namespace attnscope::test
