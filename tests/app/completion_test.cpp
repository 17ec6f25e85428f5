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

// The lines of `text` that contain `mark`: what a completion says of one command.
std::string lines_with(const std::string& text, const std::string& mark) {
  std::istringstream stream(text);
  std::string lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(mark) != std::string::npos) lines += line + "\n";
  }
  return lines;
}

// What the completion for a shell says of one command.
std::string part_of_command(const std::string& script, const std::string& shell, const std::string& command) {
  if (shell == "bash") return lines_with(script, "\"" + command + "\")");
  if (shell == "fish") return lines_with(script, "__fish_seen_subcommand_from " + command + "'");
  const std::size_t begin = script.find("    " + command + ") _arguments");
  return begin == std::string::npos ? "" : script.substr(begin, script.find(";;", begin) - begin);
}

// The section of the manual page about one command.
std::string section_of_command(const std::string& page, const std::string& command) {
  const std::size_t begin = page.find("\n.SH " + command + "\n");
  return begin == std::string::npos ? "" : page.substr(begin + 1, page.find("\n.SH ", begin + 1) - begin);
}

bool has_word(const std::string& text, const std::string& word) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

TEST(Manual, HasEveryCommandAndOption) {
  const std::string page = run_program({"manual"}).out;
  EXPECT_TRUE(page.starts_with(".TH ATTNSCOPE 1"));
  ASSERT_GE(commands().size(), 9U);
  for (const std::string& command : commands()) {
    const std::string section = section_of_command(page, command);
    EXPECT_FALSE(section.empty()) << command;
    ASSERT_FALSE(long_options(command).empty()) << command;
    for (const std::string& option : long_options(command)) {
      EXPECT_NE(section.find("\\fB" + with_roff_hyphens(option) + "\\fR"), std::string::npos) << command << option;
    }
  }
}

TEST(Completion, HasEveryCommandAndOptionForEveryShell) {
  for (const std::string& shell : shells) {
    const std::string script = completion(shell);
    ASSERT_GE(commands().size(), 9U);
    for (const std::string& command : commands()) {
      const std::string part = part_of_command(script, shell, command);
      EXPECT_FALSE(part.empty()) << shell << command;
      for (const std::string& option : long_options(command)) {
        const std::string spelled = shell == "fish" ? "-l " + option.substr(2) : option;
        EXPECT_TRUE(has_word(part, spelled)) << shell << command << option;
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
  EXPECT_NE(run.err.find("SHELL is \"tcsh\", but it must be one of bash, zsh, fish."), std::string::npos) << run.err;
}

}  // namespace
}  // namespace attnscope::test
