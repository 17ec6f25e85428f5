// Files are there whole or not at all, and what goes wrong is said.

#include "platform/system/file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "support.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

TEST(WriteFile, LeavesTheFileAndNothingElse) {
  const TemporaryFolder folder;
  write_file(folder / "a.json", "one");
  EXPECT_EQ(text_of(folder / "a.json"), "one");
  write_file(folder / "a.json", "");
  EXPECT_EQ(text_of(folder / "a.json"), "");
  EXPECT_EQ(folder.names(), Names{"a.json"});
}

TEST(WriteFile, TakesAnyBytesAndManyOfThem) {
  const TemporaryFolder folder;
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  write_file(folder / "big", bytes);
  EXPECT_TRUE(text_of(folder / "big") == bytes);
}

TEST(WriteFile, NamesTheTargetAndTheReason) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing" / "a.json").string();
  EXPECT_TRUE(says(error_of([&] { write_file(missing, "x"); }).what(), {"Cannot write " + missing, "No such file"}));
  EXPECT_TRUE(says(error_of([&] { write_file(folder.path(), "x"); }).what(), {"Is a directory"}));
  EXPECT_TRUE(says(error_of([&] { write_file(folder.path().string() + "/", "x"); }).what(), {"Is a directory"}));
  EXPECT_TRUE(says(error_of([&] { write_file("", "x"); }).what(), {"the name of the file is empty"}));
  EXPECT_TRUE(says(error_of([&] { write_file("/dev/null", "x"); }).what(), {"/dev/null", "not an ordinary file"}));
  put_text(folder / "file", "x");
  EXPECT_TRUE(says(error_of([&] { write_file(folder / "file" / "a", "x"); }).what(), {"Not a directory"}));
}

TEST(WriteFile, RespectsProtection) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is protected from root";
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0444);
  EXPECT_TRUE(says(error_of([&] { write_file(folder / "a", "new"); }).what(), {"Permission denied"}));
  EXPECT_EQ(text_of(folder / "a"), "old");
  ::chmod(folder.path().c_str(), 0555);
  EXPECT_TRUE(says(error_of([&] { write_file(folder / "b", "new"); }).what(), {"Permission denied"}));
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(WriteFile, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0640);
  std::filesystem::create_symlink("a", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(text_of(folder / "a"), "new");
  struct stat status = {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(folder.names(), (Names{"a", "link"}));
}

struct stat status_of(const std::filesystem::path& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

TEST(WriteFile, KeepsTheOwnerAndDropsWhatRunsAsTheOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  ASSERT_EQ(::chown((folder / "a").c_str(), 1234, 4321), 0);
  ASSERT_EQ(::chmod((folder / "a").c_str(), 06751), 0);
  write_file(folder / "a", "new");
  const struct stat status = status_of(folder / "a");
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 4321U);
  EXPECT_EQ(status.st_mode & 07777U, 0751U);
}

TEST(WriteFile, LeavesTheOtherNamesOfAFileAlone) {
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  std::filesystem::create_hard_link(folder / "a", folder / "b");
  write_file(folder / "a", "new");
  EXPECT_EQ(text_of(folder / "a"), "new");
  EXPECT_EQ(text_of(folder / "b"), "old");
}

TEST(WriteFile, WritesWhereALinkLeadsThatLeadsNowhereYet) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/later", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_EQ(text_of(folder / "sub" / "later"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(WriteFile, RefusesWhatIsNoName) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(says(error_of([&] { write_file(folder / "loop", "x"); }).what(), {"Too many levels"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "loop"));
  const std::string name(300, 'n');
  EXPECT_TRUE(says(error_of([&] { write_file(folder / name, "x"); }).what(), {"File name too long"}));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(says(error_of([&] { write_file(folder / "pipe", "x"); }).what(), {"not an ordinary file"}));
}

// What is written has no name yet, so that nothing stays of a program that is killed.
TEST(FileWriter, IsSeenByNobodyBeforeItIsWhole) {
  const TemporaryFolder folder;
  FileWriter writer(folder / "a");
  writer.write(std::string(5'000'000, 'x'));
  writer.finish();
  EXPECT_EQ(folder.names(), Names{});
  writer.commit();
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(WriteFile, NewFilesFollowTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "a", "x");
  ::umask(before);
  struct stat status = {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(FileWriter, LeavesTheOldFileUntilItIsDone) {
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  {
    FileWriter writer(folder / "a");
    writer.write(std::string(5'000'000, 'x'));
    EXPECT_EQ(text_of(folder / "a"), "old");
    EXPECT_EQ(folder.names(), Names{"a"});
  }
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(FileWriter, GoesBackToFillIn) {
  const TemporaryFolder folder;
  FileWriter writer(folder / "a");
  writer.write("????def");
  EXPECT_EQ(writer.position(), 7U);
  writer.seek(0);
  writer.write("0abc");
  writer.seek(7);
  writer.write("g");
  writer.commit();
  EXPECT_EQ(text_of(folder / "a"), "0abcdefg");
}

TEST(ReadFile, GivesEveryByteUpToTheLimit) {
  const TemporaryFolder folder;
  const std::string bytes(2'500'000, 'z');
  put_text(folder / "a", bytes);
  EXPECT_TRUE(read_file(folder / "a", bytes.size()) == bytes);
  const Error error = error_of([&] { read_file(folder / "a", bytes.size() - 1); });
  EXPECT_TRUE(says(error.what(), {(folder / "a").string(), "larger than 2499999 bytes"}));
}

TEST(ReadFile, NamesTheFileAndTheReason) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(error_of([&] { read_file(folder / "no", 9); }).what(), {"Cannot read", "no: No such file"}));
  EXPECT_TRUE(says(error_of([&] { read_file(folder.path(), 9); }).what(), {"Is a directory"}));
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(says(error_of([&] { read_file(folder / "loop", 9); }).what(), {"Too many levels"}));
}

TEST(ReadFile, WaitsForNobody) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  (folder / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(listener);
  for (const std::filesystem::path& path : {folder / "pipe", folder / "socket", std::filesystem::path("/dev/zero")}) {
    EXPECT_TRUE(says(error_of([&] { read_file(path, 100); }).what(), {"Cannot read", "not an ordinary file"}));
  }
}

}  // namespace
}  // namespace attnscope::test
