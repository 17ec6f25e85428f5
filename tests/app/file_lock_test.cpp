#include "platform/system/file.h"

#include "support.h"

namespace attnscope::test {
namespace {

using std::chrono::milliseconds;

TEST(FileLock, KeepsOthersOutUntilItGoes) {
  const TemporaryFolder folder;
  {
    const FileLock first(folder / "lock");
    EXPECT_TRUE(first.is_held());
    EXPECT_FALSE(FileLock(folder / "lock").is_held());
    EXPECT_FALSE(FileLock(folder / "lock", milliseconds(20)).is_held());
    EXPECT_TRUE(FileLock(folder / "lock").is_anothers());
    EXPECT_FALSE(first.is_anothers());
    EXPECT_TRUE(FileLock(folder / "other").is_held());
  }
  EXPECT_TRUE(FileLock(folder / "lock").is_held());
}

TEST(FileLock, MovesWithItsHolder) {
  const TemporaryFolder folder;
  FileLock first(folder / "lock");
  FileLock second = std::move(first);
  EXPECT_TRUE(second.is_held());
  EXPECT_FALSE(FileLock(folder / "lock").is_held());
  second = FileLock();
  EXPECT_TRUE(FileLock(folder / "lock").is_held());
}

TEST(FileLock, GoesWithItsFile) {
  const TemporaryFolder folder;
  FileLock lock(folder / "lock");
  lock.remove();
  EXPECT_FALSE(lock.is_held());
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
  EXPECT_TRUE(FileLock(folder / "lock").is_held());
}

TEST(FileLock, WhereThereCanBeNoneIsNotHeld) {
  const TemporaryFolder folder;
  EXPECT_FALSE(FileLock(folder / "no" / "lock", std::chrono::hours(1)).is_held());
  EXPECT_FALSE(FileLock(folder / "no" / "lock").is_anothers()) << "a program would wait for nobody";
  EXPECT_NO_THROW(FileLock().remove());
}

}  // namespace
}  // namespace attnscope::test
