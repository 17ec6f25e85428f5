#include "program.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments, const std::string& redirection,
                       const std::string& preparation, const std::filesystem::path& program) {
  const TemporaryFolder folder;
  std::string command = "env -u DISPLAY -u WAYLAND_DISPLAY " + shell_word(program);
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  const std::string out = shell_word((folder / "out").string());
  const std::string err = shell_word((folder / "err").string());
  command = "exec >" + out + " 2>" + err + "; " + preparation + command + " " + redirection;
  const int status = std::system(command.c_str());
  ProgramRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = text_of(folder / "out");
  run.err = text_of(folder / "err");
  return run;
}

std::string builtin_path(const std::string& id) { return documents_folder() / (id + ".json"); }

}  // namespace attnscope::test
