// The manual page and the completions of shells know every command and every option that the parser has.

#include <gtest/gtest.h>

#include <regex>

#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

std::string completion(const std::string& shell) {
  const ProgramRun run = run_program({"completion", shell});
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

// As --help lists them: "  eval    Evaluate …".
std::vector<std::string> commands() { return matches(run_program({"--help"}).out, "\n  ([a-z]+) +[A-Z]"); }

std::vector<std::string> long_options(const std::string& command) {
  return matches(run_program({command, "--help"}).out, "(--[a-z-]+)");
}

std::string with_roff_hyphens(const std::string& text) { return std::regex_replace(text, std::regex("-"), "\\-"); }

// What bash offers after these words, one a line.
std::string offered(const std::string& words) {
  const TemporaryFolder folder;
  put_text(folder / "completion", completion("bash"));
  put_text(folder / "ask",
           "source '" + (folder / "completion").string() + "'\ncd '" + folder.path().string() + "'\nCOMP_WORDS=(" +
               words + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_attnscope\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const std::string command = "bash '" + (folder / "ask").string() + "'";
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0);
  return output;
}

TEST(Manual, HasEveryCommandAndOption) {
  const std::string page = run_program({"manual"}).out;
  EXPECT_TRUE(page.starts_with(".TH ATTNSCOPE 1"));
  ASSERT_GE(commands().size(), 9U);
  for (const std::string& command : commands()) {
    EXPECT_NE(page.find("\n.SH " + command + "\n"), std::string::npos) << command;
    ASSERT_FALSE(long_options(command).empty()) << command;
    for (const std::string& option : long_options(command)) {
      EXPECT_NE(page.find("\\fB" + with_roff_hyphens(option) + "\\fR"), std::string::npos) << command << option;
    }
  }
}

TEST(Completion, HasEveryCommandAndOptionForEveryShell) {
  for (const std::string& shell : shells) {
    const std::string script = completion(shell);
    for (const std::string& command : commands()) {
      EXPECT_NE(script.find(command), std::string::npos) << shell << command;
      for (const std::string& option : long_options(command)) {
        const std::string spelled = shell == "fish" ? "-l " + option.substr(2) : option;
        EXPECT_NE(script.find(spelled), std::string::npos) << shell << command << option;
      }
    }
  }
}

TEST(Completion, OffersCommandsOptionsChoicesAndFiles) {
  EXPECT_EQ(offered("attnscope scr"), "screenshot\n");
  EXPECT_EQ(offered("attnscope eval --sta"), "--stages\n");
  EXPECT_EQ(offered("attnscope eval a.json --backend op"), "openmp\n");
  EXPECT_EQ(offered("attnscope figure --theme ''"), "light\ndark\ntransparent\n");
  EXPECT_EQ(offered("attnscope code --language n"), "numpy\n");
  EXPECT_EQ(offered("attnscope eval compl"), "completion\n");  // the file that is there
}

TEST(Completion, IsOfKnownShells) {
  const ProgramRun run = run_program({"completion", "tcsh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("SHELL: tcsh not in {bash,zsh,fish}"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace attnscope::test
