// Every call that writes a file fails in turn, and programs are killed at each of them.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/text.h"
#include "files/document_file.h"
#include "files/image.h"
#include "platform/system/file.h"
#include "support.h"
#include "tests/support/failing_disk.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

constexpr int reasons[] = {ENOSPC, EIO, EACCES, EMFILE, EROFS};
constexpr int more_than_there_are = 1000;

const std::string old_text(50'000, 'o');
const std::string new_text(2'500'000, 'n');

// As pictures and archives are written: in pieces, with a number that is filled in at the end.
void write_in_pieces(const std::filesystem::path& path) {
  FileWriter writer(path);
  for (std::size_t at = 0; at < new_text.size(); at += 600'000)
    writer.write(std::string_view(new_text).substr(at, 600'000));
  const std::uint64_t end = writer.position();
  writer.seek(0);
  writer.write("n");
  writer.seek(end);
  writer.commit();
}

struct Way {
  const char* name;
  void (*write)(const std::filesystem::path&);
};
constexpr Way ways[] = {{"at once", [](const std::filesystem::path& path) { write_file(path, new_text); }},
                        {"in pieces", write_in_pieces}};

// Writes with the call of this number going wrong. Whether there were so many.
bool write_with_failure(const Way& way, const std::filesystem::path& path, int call, int reason) {
  const FailingDisk disk(call, reason);
  try {
    way.write(path);
  } catch (const Error& error) {
    EXPECT_TRUE(says(error.what(), {"Cannot write ", shown_path(path)})) << call;
    EXPECT_TRUE(disk.has_struck());
  }
  return disk.has_struck();
}

TEST(FailingDisk, LeavesTheOldFileOrTheNewOneWhole) {
  for (const Way& way : ways) {
    for (const int reason : reasons) {
      for (int call = 1; call < more_than_there_are; ++call) {
        const TemporaryFolder folder;
        put_text(folder / "a", old_text);
        const bool has_struck = write_with_failure(way, folder / "a", call, reason);
        const std::string text = text_of(folder / "a");
        EXPECT_TRUE(text == new_text || (has_struck && text == old_text)) << way.name << " " << call;
        EXPECT_EQ(folder.names(), Names{"a"}) << way.name << " " << call << " " << reason;
        if (!has_struck) break;
        ASSERT_LT(call + 1, more_than_there_are);
      }
    }
  }
}

TEST(FailingDisk, LeavesANewFileWholeOrNone) {
  for (const Way& way : ways) {
    for (const int reason : reasons) {
      for (int call = 1; call < more_than_there_are; ++call) {
        const TemporaryFolder folder;
        const bool has_struck = write_with_failure(way, folder / "a", call, reason);
        if (!folder.names().empty()) {
          EXPECT_EQ(folder.names(), Names{"a"}) << way.name << " " << call << " " << reason;
          EXPECT_TRUE(text_of(folder / "a") == new_text) << way.name << " " << call;
        }
        if (!has_struck) break;
        ASSERT_LT(call + 1, more_than_there_are);
      }
    }
  }
}

TEST(FailingDisk, LeavesWholePicturesOfASeries) {
  constexpr std::size_t pictures = 3;
  for (int call = 1; call < more_than_there_are; ++call) {
    const TemporaryFolder folder;
    const FailingDisk disk(call, ENOSPC);
    try {
      SeriesWriter writer(*parse_file_series((folder / "p%d.png").string()));
      for (std::size_t i = 0; i < pictures; ++i) writer.add(new_text);
      writer.commit();
    } catch (const Error& error) {
      EXPECT_TRUE(says(error.what(), {"Cannot write ", "p"}));
    }
    for (const std::string& name : folder.names()) {
      EXPECT_EQ(name.front(), 'p') << name;
      EXPECT_TRUE(text_of(folder / name) == new_text) << name;
    }
    if (disk.has_struck()) continue;
    EXPECT_EQ(folder.names().size(), pictures);
    return;
  }
  FAIL() << "it never ended";
}

// How often programs are killed: each call of each way in turn, as often as the environment asks for.
int rounds() {
  const char* const asked = std::getenv("ATTNSCOPE_KILL_ROUNDS");
  return asked ? std::max(std::atoi(asked), 1) : 1;
}

// In a program of its own, which dies at the call of this number. Whether it was killed.
template <typename Action>
bool is_killed(int call, const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    die_at_call(call);
    try {
      action();
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << call;
  return WIFSIGNALED(status);
}

// A file that takes the place of another needs a name of its own for a moment: who writes there next removes what a
// program left that was killed just then.
TEST(KilledPrograms, LoseNothingAndLeaveNothing) {
  int kills = 0;
  int old = 0;
  int left_over = 0;
  for (int round = 0; round < rounds(); ++round) {
    for (const Way& way : ways) {
      for (int call = 1;; ++call) {
        const TemporaryFolder folder;
        const std::filesystem::path path = folder / "lecture.json";
        put_text(path, old_text);
        const bool was_killed = is_killed(call, [&] { way.write(path); });
        const std::string text = text_of(path);
        EXPECT_TRUE(text == new_text || (was_killed && text == old_text)) << way.name << " " << call;
        if (!was_killed) break;
        ++kills;
        old += text == old_text;
        left_over += folder.names().size() > 1;
        write_file(path, "saved again");
        EXPECT_EQ(folder.names(), Names{"lecture.json"}) << way.name << " " << call;
      }
    }
  }
  EXPECT_GT(kills, 10);
  RecordProperty("kills", kills);
  RecordProperty("old_file_whole", old);
  RecordProperty("left_over_until_the_next_save", left_over);
  if (rounds() > 1)
    fmt::print("{} kills: {} times the old file, {} the new one; {} left a hidden one until the next save\n", kills,
               old, kills - old, left_over);
}

TEST(KilledPrograms, LeaveNothingWhereTheFileIsNew) {
  for (const Way& way : ways) {
    for (int call = 1;; ++call) {
      const TemporaryFolder folder;
      const bool was_killed = is_killed(call, [&] { way.write(folder / "a"); });
      const Names names = folder.names();
      EXPECT_TRUE(names.empty() || (names == Names{"a"} && text_of(folder / "a") == new_text)) << way.name << call;
      if (!was_killed) break;
    }
  }
}

// Its lock says that its program lives.
TEST(AbandonedFiles, OfProgramsThatStillWriteStay) {
  const TemporaryFolder folder;
  put_text(folder / "a", old_text);
  put_text(folder / ".attnscope-0123456789abcdef.tmp", "left by somebody");
  put_text(folder / ".attnscope-notes", "of somebody else");
  put_text(folder / ".attnscope-.tmp.txt", "of somebody else");
  FileWriter writer(folder / "a");
  writer.write(new_text);
  write_file(folder / "a", "another program's");
  writer.commit();
  EXPECT_TRUE(text_of(folder / "a") == new_text);
  EXPECT_EQ(folder.names(), (Names{".attnscope-.tmp.txt", ".attnscope-notes", "a"}));
}

}  // namespace
}  // namespace attnscope::test
