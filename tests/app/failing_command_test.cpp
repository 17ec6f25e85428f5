// Every command that writes files, with each call that writes failing in turn, and killed at each of them: what was
// there stays whole or is the new file, nothing is left over, and what is wrong is one sentence.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "cli/command_line.h"
#include "support.h"
#include "tests/support/failing_disk.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

constexpr int more_than_there_are = 300;
constexpr int struck_bit = 8;  // of the exit status of a child
constexpr const char* document =
    R"({"tokens": ["a", "b"], "inputs": {"randn": [2, 2]}, "d_out": 2, "num_heads": 1, "dropout": 0.5})";

struct Command {
  const char* name;  // of the test
  Names arguments;   // DOC is the document
  const char* out;   // what it writes
  int pictures = 0;  // of a series
};

constexpr std::size_t tried_in_every_way = 3;  // they begin, go back and end in ways of their own
const std::vector<Command> commands = {
    {"Npz", {"eval", "DOC"}, "a.npz"},
    {"Gif", {"figure", "DOC", "--width", "240px", "--sweep", "seed=1..2"}, "a.gif"},
    {"Series", {"figure", "DOC", "--width", "240px", "--sweep", "seed=1..3"}, "a%d.png", 3},
    {"Npy", {"eval", "DOC", "--stages", "weights"}, "a.npy"},
    {"Csv", {"eval", "DOC", "--stages", "weights"}, "a.csv"},
    {"Json", {"eval", "DOC"}, "a.json"},
    {"Code", {"code", "DOC", "--language", "numpy"}, "a.py"},
    {"Weights", {"weights", "DOC"}, "a.safetensors"},
    {"Png", {"figure", "DOC", "--width", "240px"}, "a.png"},
    {"Svg", {"figure", "DOC", "--width", "240px"}, "a.svg"},
    {"Pdf", {"figure", "DOC", "--width", "240px"}, "a.pdf"},
    {"AnimatedPng", {"figure", "DOC", "--width", "240px", "--sweep", "seed=1..2"}, "a.png"},
    {"Screenshot", {"screenshot", "DOC", "--size", "320x240", "--scale", "0.5"}, "a.png"},
    {"Handout", {"lesson", "handout", "mask"}, "a.pdf"}};

void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

struct Outcome {
  int status = 0;
  bool was_killed = false;
  bool was_struck = false;
  std::string err;
};

// A PDF says when it was made, and has a number from that.
std::string without_date(std::string file) {
  for (const auto& [begin, end] : {std::pair("/CreationDate (D:", ')'), std::pair("/ID [", ']')}) {
    const std::size_t at = file.find(begin);
    if (at != std::string::npos) file.erase(at, file.find(end, at) - at);
  }
  return file;
}

class WritingCommand : public testing::TestWithParam<Command> {
protected:
  WritingCommand() { put_text(read_ / "in.json", document); }

  // In a program of its own: what threads one has does not outlive a fork. `begin` makes calls go wrong there.
  template <typename Begin>
  Outcome run(const TemporaryFolder& folder, const Begin& begin) const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run_here(folder, begin));
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    Outcome outcome;
    outcome.was_killed = WIFSIGNALED(status);
    outcome.status = WEXITSTATUS(status) & ~struck_bit;
    outcome.was_struck = (WEXITSTATUS(status) & struck_bit) != 0;
    outcome.err = text_of(read_ / "err");
    return outcome;
  }
  Outcome run_failing(const TemporaryFolder& folder, int call, int reason) const {
    return run(folder, [=] { return std::make_unique<FailingDisk>(call, reason); });
  }
  Outcome run_killed(const TemporaryFolder& folder, int call) const {
    return run(folder, [=] {
      die_at_call(call);
      return std::unique_ptr<FailingDisk>();
    });
  }

  // The names of what it writes, in order.
  static Names outputs() {
    Names names;
    for (int number = 1; number <= GetParam().pictures; ++number) names.push_back(fmt::format("a{}.png", number));
    return names.empty() ? Names{GetParam().out} : names;
  }
  void make_whole_files() {
    const Outcome outcome = run_failing(whole_, more_than_there_are, EIO);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(whole_.names(), outputs());
  }
  bool is_new(const TemporaryFolder& folder, const std::string& name) const {
    return without_date(text_of(folder / name)) == without_date(text_of(whole_ / name));
  }

  TemporaryFolder read_;
  TemporaryFolder whole_;

private:
  template <typename Begin>
  int run_here(const TemporaryFolder& folder, const Begin& begin) const {
    const int err = ::open((read_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(err, STDERR_FILENO);
    Names words = GetParam().arguments;
    std::ranges::replace(words, "DOC", (read_ / "in.json").string());
    words.insert(words.begin(), "attnscope");
    words.insert(words.end(), {"-o", (folder / GetParam().out).string()});
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    const std::unique_ptr<FailingDisk> disk = begin();
    const int status = run_command_line(static_cast<int>(pointers.size()), pointers.data());
    return status | (disk && disk->has_struck() ? struck_bit : 0);
  }
};

TEST_P(WritingCommand, LeavesTheOldFileOrTheNewOneWhole) {
  make_whole_files();
  for (int call = 1; call < more_than_there_are; ++call) {
    const TemporaryFolder folder;
    for (const std::string& name : outputs()) put_text(folder / name, "old");
    const Outcome outcome = run_failing(folder, call, call % 2 == 0 ? ENOSPC : EIO);
    EXPECT_FALSE(outcome.was_killed) << call;
    EXPECT_EQ(folder.names(), outputs()) << call;
    for (const std::string& name : outputs()) {
      EXPECT_TRUE(is_new(folder, name) || (outcome.status != 0 && text_of(folder / name) == "old")) << call;
    }
    if (outcome.status != 0) {
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
      EXPECT_TRUE(says(outcome.err.substr(0, outcome.err.size() - 1), {"attnscope: "})) << outcome.err;
    }
    if (outcome.was_struck) continue;
    EXPECT_GT(call, 3);
    return;
  }
  FAIL() << "it never ended";
}

class WritingInEveryWay : public WritingCommand {};

TEST_P(WritingInEveryWay, LeavesANewFileWholeOrNone) {
  make_whole_files();
  for (int call = 1; call < more_than_there_are; ++call) {
    const TemporaryFolder folder;
    const Outcome outcome = run_failing(folder, call, ENOSPC);
    for (const std::string& name : folder.names()) EXPECT_TRUE(is_new(folder, name)) << call << " " << name;
    if (outcome.was_struck) continue;
    EXPECT_EQ(folder.names(), outputs());
    return;
  }
  FAIL() << "it never ended";
}

TEST_P(WritingInEveryWay, LeavesNothingWhereItIsKilled) {
  make_whole_files();
  for (int call = 1; call < more_than_there_are; ++call) {
    const TemporaryFolder folder;
    const Outcome outcome = run_killed(folder, call);
    for (const std::string& name : folder.names()) EXPECT_TRUE(is_new(folder, name)) << call << " " << name;
    if (outcome.was_killed) continue;
    EXPECT_EQ(folder.names(), outputs());
    return;
  }
  FAIL() << "it never ended";
}

std::string name_of(const testing::TestParamInfo<Command>& each) { return each.param.name; }

INSTANTIATE_TEST_SUITE_P(Each, WritingCommand, testing::ValuesIn(commands), name_of);
INSTANTIATE_TEST_SUITE_P(Some, WritingInEveryWay,
                         testing::ValuesIn(commands.begin(), commands.begin() + tried_in_every_way), name_of);

}  // namespace
}  // namespace attnscope::test
