#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace attnscope::test {

// What a run of the program left.
struct ProgramRun {
  int status = -1;  // exit status, or 128 and the signal that ended it
  std::string out;
  std::string err;
};

// Runs the program, or a copy of it, without a display. `redirection` is a piece of shell behind the arguments: ">&-",
// "< file"; and `preparation` one before the program: "ulimit -f 1; ".
ProgramRun run_program(const std::vector<std::string>& arguments, const std::string& redirection = "",
                       const std::string& preparation = "", const std::filesystem::path& program = program_file());

std::string builtin_path(const std::string& id);

}  // namespace attnscope::test
